import { UserError } from '@signalman/runtime'

/** Why posting in a channel is impossible, according to Slack. */
export type ChannelRefusal = 'archived' | 'not-in-channel' | 'refused'

/** What an error from Slack means for a message. */
export type SlackFailure =
  /** Rate limited (429), which isn't a rejection. Retry after `retryMs`. */
  | { readonly kind: 'rate-limited'; readonly retryMs: number }
  /** The message to edit was deleted, or can't be edited. */
  | { readonly kind: 'message-gone' }
  /** The thread accepts no more messages. The rest of the channel isn't affected. */
  | { readonly kind: 'thread-closed' }
  | { readonly kind: 'channel-unavailable'; readonly reason: ChannelRefusal }
  /** Slack rejects the message itself. */
  | { readonly kind: 'bad-message' }
  /** The app is no longer in the workspace. */
  | { readonly kind: 'uninstalled' }
  /** May be temporary: an error of Slack, the workspace, or the token, no response, or an unknown code. */
  | { readonly kind: 'temporary' }

const codes = (failure: SlackFailure, text: string) =>
  text.split(/\s+/).map((code): [string, SlackFailure] => [code, failure])

/**
 * What Slack's codes mean for a message (https://docs.slack.dev/reference/methods/chat.postMessage and chat.update, November 2026).
 * Every other code may be temporary: the workspace, the token, or an unknown error aren't reasons to give up.
 */
const FAILURES: ReadonlyMap<string | undefined, SlackFailure> = new Map([
  ...codes(
    { kind: 'message-gone' },
    'message_not_found cant_update_message edit_window_closed thread_not_found',
  ),
  // `invalid_arguments` is Slack's code for blocks that it can't parse. The last three are links that can't be shared.
  ...codes(
    { kind: 'bad-message' },
    `invalid_blocks invalid_blocks_format msg_blocks_too_long msg_too_long no_text markdown_text_conflict invalid_attachments
    too_many_attachments attachment_payload_limit_exceeded too_many_contact_cards block_mismatch invalid_arguments
    invalid_metadata_format invalid_metadata_schema metadata_too_large slack_connect_canvas_sharing_blocked
    slack_connect_file_link_sharing_blocked slack_connect_lists_sharing_blocked`,
  ),
  ...codes(
    { kind: 'thread-closed' },
    'restricted_action_thread_locked restricted_action_non_threadable_channel cannot_reply_to_message',
  ),
  ...codes({ kind: 'channel-unavailable', reason: 'archived' }, 'is_archived is_inactive'),
  ...codes({ kind: 'channel-unavailable', reason: 'not-in-channel' }, 'not_in_channel channel_not_found'),
  // Errors about the channel, the app's permissions in it, or the recipient of a DM.
  ...codes(
    { kind: 'channel-unavailable', reason: 'refused' },
    `restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel posting_to_channel_denied
    method_not_supported_for_channel_type missing_scope no_permission not_allowed_token_type access_denied ekm_access_denied
    team_access_not_granted enterprise_is_restricted cannot_dm_bot messages_tab_disabled user_not_found users_not_found
    user_not_visible user_disabled`,
  ),
])

/** After an internal error of Slack, the call may have succeeded anyway. */
const INTERNAL = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'])

/** The codes of `@slack/web-api` if there was no response, or one from a gateway in front of Slack. */
const NO_RESPONSE: ReadonlySet<unknown> = new Set(['slack_webapi_request_error', 'slack_webapi_http_error'])

/** Classifies what `@slack/web-api` throws. */
export function classifyFailure(error: unknown): SlackFailure {
  if (error instanceof UserError) return { kind: 'uninstalled' }
  const retryMs = retryAfterMs(error)
  if (retryMs !== undefined) return { kind: 'rate-limited', retryMs }
  return FAILURES.get(slackErrorCode(error)) ?? { kind: 'temporary' }
}

/**
 * True if Slack rejected the call, or the app is no longer installed there. A retry won't help. A lost response, a 429, and an
 * internal error of Slack don't count as rejections.
 */
export function wasRejected(error: unknown): boolean {
  if (error instanceof UserError) return true
  const code = slackErrorCode(error)
  return code !== undefined && !INTERNAL.has(code) && retryAfterMs(error) === undefined
}

/** True if Slack definitely didn't carry out the call: it was rejected or rate limited. */
export const didNotHappen = (error: unknown): boolean =>
  wasRejected(error) || retryAfterMs(error) !== undefined

/** True if Slack may have carried out the call without confirming it. */
export const mayHaveHappened = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && NO_RESPONSE.has(error.code)) || INTERNAL.has(slackErrorCode(error) ?? ''))

/**
 * True if Slack says that the installation has ended (https://docs.slack.dev/reference/methods/auth.test, November 2026).
 * `invalid_auth` and `token_expired` have other causes too.
 */
export const isEndedToken = (error: unknown): boolean =>
  ['token_revoked', 'account_inactive'].includes(slackErrorCode(error) ?? '')

/** Slack's error code for a rejected call, which `@slack/web-api` puts into its message. */
export const slackErrorCode = (error: unknown): string | undefined =>
  error instanceof Error ? /^An API error occurred: ([a-z_]+)/.exec(error.message)?.[1] : undefined

/** The scopes that Slack names when it rejects a call: having any of them is enough. Undefined if it was rejected for another reason. */
export function findMissingScopes(error: unknown): string[] | undefined {
  if (slackErrorCode(error) !== 'missing_scope') return undefined
  // The library's errors contain Slack's whole response.
  const { data } = error as { data?: { needed?: unknown } }
  return typeof data?.needed === 'string' ? data.needed.split(',') : []
}

/** The default pause before a retry, if Slack doesn't specify one. */
const DEFAULT_PAUSE_MS = 5000
const MAX_PAUSE_MS = 3_600_000
/** The message of `@slack/web-api` for a 429 without a time. */
const NO_TIME = /^Retry header did not contain a valid timeout/

const RATE_LIMITED = new Set(['ratelimited', 'rate_limited'])

/** How long Slack asks callers to wait after a 429, up to an hour. Otherwise undefined. */
export function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  if (!('retryAfter' in error))
    return NO_TIME.test(error.message) || RATE_LIMITED.has(slackErrorCode(error) ?? '')
      ? DEFAULT_PAUSE_MS
      : undefined
  const seconds = Number(error.retryAfter)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, MAX_PAUSE_MS) : DEFAULT_PAUSE_MS
}
