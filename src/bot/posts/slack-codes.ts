import type { PauseReason } from '../../domain/watching/watch.ts'

/** Slack's codes: https://docs.slack.dev/reference/methods/chat.postMessage and chat.update, November 2026. */
export const GONE = new Set([
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
  'thread_not_found',
])

export const BAD = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'markdown_text_conflict',
  'invalid_attachments',
])

export const DEAD: Readonly<Record<string, PauseReason>> = {
  is_archived: 'archived',
  not_in_channel: 'not-in-channel',
  channel_not_found: 'not-in-channel',
}

/** Slack has a fault of its own, or the token has one, which is nothing that a channel's owner can mend. */
export const PASSING = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
  'account_inactive',
  'accesslimited',
  'ratelimited',
  'rate_limited',
])
