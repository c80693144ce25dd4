import { expect, it } from 'vitest'
import { classifyFailure, type SlackFailure } from '../../../packages/slack/src/client/slack-errors.ts'

const refused = { kind: 'channel-unavailable', reason: 'refused' } as const

/**
 * The error codes that Slack documents (https://docs.slack.dev/reference/methods/chat.postMessage and chat.update, August 2026), grouped
 * by topic, with the failure that each group is classified as.
 */
const CLASSES: readonly { topic: string; failure: SlackFailure; codes: string }[] = [
  {
    topic: 'a deleted message',
    failure: { kind: 'message-gone' },
    codes: 'message_not_found cant_update_message edit_window_closed',
  },
  {
    topic: 'the format of a message',
    failure: { kind: 'bad-message' },
    codes: `attachment_payload_limit_exceeded block_mismatch invalid_arguments invalid_attachments invalid_blocks
      invalid_blocks_format invalid_metadata_format invalid_metadata_schema markdown_text_conflict metadata_too_large
      msg_blocks_too_long msg_too_long no_text slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
      slack_connect_lists_sharing_blocked too_many_attachments too_many_contact_cards`,
  },
  {
    topic: 'a thread',
    failure: { kind: 'thread-closed' },
    codes: 'cannot_reply_to_message restricted_action_non_threadable_channel restricted_action_thread_locked',
  },
  {
    topic: 'an archived channel',
    failure: { kind: 'channel-unavailable', reason: 'archived' },
    codes: 'is_archived is_inactive',
  },
  {
    topic: 'a channel that the app is not in',
    failure: { kind: 'channel-unavailable', reason: 'not-in-channel' },
    codes: 'channel_not_found not_in_channel',
  },
  {
    topic: 'the app’s permissions in a channel',
    failure: refused,
    codes: `access_denied ekm_access_denied enterprise_is_restricted messages_tab_disabled missing_scope no_permission
      not_allowed_token_type posting_to_channel_denied restricted_action restricted_action_read_only_channel
      restricted_action_thread_only_channel team_access_not_granted`,
  },
  {
    topic: 'rate limiting',
    failure: { kind: 'rate-limited', retryMs: 5000 },
    codes: 'rate_limited ratelimited',
  },
  {
    topic: 'the workspace, its token, or Slack itself, which may be temporary',
    failure: { kind: 'temporary' },
    codes: `accesslimited account_inactive app_access_restricted external_channel_migrating fatal_error internal_error
      invalid_auth message_limit_exceeded not_authed org_login_required request_timeout service_unavailable
      streaming_state_conflict team_added_to_org team_not_found token_expired token_revoked two_factor_setup_required
      update_failed`,
  },
]

it.each(CLASSES)('classifies an error about $topic', ({ failure, codes }) => {
  for (const code of codes.split(/\s+/))
    expect({ code, ...classifyFailure(new Error(`An API error occurred: ${code}`)) }).toEqual({
      code,
      ...failure,
    })
})
