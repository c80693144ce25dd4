import { UserError } from '@signalman/runtime'

/** Why nothing can be told in a channel: Slack's answer to the app. */
export type ChannelRefusal = 'archived' | 'not-in-channel' | 'refused'

/** What an error of Slack means for a message that was to be sent. */
export type SlackAnswer =
  /** One call too many (429): no refusal, but a call to be made again after this time (`retryAfterMs`). */
  | { readonly kind: 'rate-limited'; readonly retryMs: number }
  /** The message that was to be edited is not there (any more), or may not be edited. */
  | { readonly kind: 'message-gone' }
  /** Nothing more may be written in the thread; the rest of the channel is as it was. */
  | { readonly kind: 'thread-closed' }
  | { readonly kind: 'channel-dead'; readonly why: ChannelRefusal }
  /** Slack takes the message in no form that it was given in. */
  | { readonly kind: 'bad-message' }
  /** The app is not in the workspace any more. */
  | { readonly kind: 'uninstalled' }
  /** It may pass: Slack, the workspace or the token has a fault, no answer came, or Slack says what nobody knows. */
  | { readonly kind: 'passing' }

/** Slack's codes: https://docs.slack.dev/reference/methods/chat.postMessage and chat.update, November 2026. */
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'thread_not_found'])

const BAD = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'markdown_text_conflict',
  'invalid_attachments',
  'too_many_attachments',
  'attachment_payload_limit_exceeded',
  'too_many_contact_cards',
  'block_mismatch',
  // Slack's word for blocks that it cannot read at all.
  'invalid_arguments',
  'invalid_metadata_format',
  'invalid_metadata_schema',
  'metadata_too_large',
  // A link in it leads to what may not be shared with another organization.
  'slack_connect_canvas_sharing_blocked',
  'slack_connect_file_link_sharing_blocked',
  'slack_connect_lists_sharing_blocked',
])

const THREAD_CLOSED = new Set([
  'restricted_action_thread_locked',
  'restricted_action_non_threadable_channel',
  'cannot_reply_to_message',
])

const DEAD: ReadonlyMap<string, ChannelRefusal> = new Map([
  ['is_archived', 'archived'],
  ['is_inactive', 'archived'],
  ['not_in_channel', 'not-in-channel'],
  ['channel_not_found', 'not-in-channel'],
  // Of the channel, of the app's rights in it, or of the person whom a direct message is for.
  ...[
    'restricted_action',
    'restricted_action_read_only_channel',
    'restricted_action_thread_only_channel',
    'posting_to_channel_denied',
    'method_not_supported_for_channel_type',
    'missing_scope',
    'no_permission',
    'not_allowed_token_type',
    'access_denied',
    'ekm_access_denied',
    'team_access_not_granted',
    'enterprise_is_restricted',
    'cannot_dm_bot',
    'messages_tab_disabled',
    'user_not_found',
    'users_not_found',
    'user_not_visible',
    'user_disabled',
  ].map((code) => [code, 'refused'] as const),
])

/** Slack has a fault of its own, which is no answer to what was asked: it may have been done. */
const UNWELL = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'])

/** The token no longer works (https://docs.slack.dev/reference/methods/auth.test, November 2026). */
const DEAD_TOKEN = new Set(['invalid_auth', 'token_expired', 'token_revoked', 'account_inactive'])

/** The token has a fault, which is nothing that a channel's owner can mend. */
const BAD_TOKEN = new Set([...DEAD_TOKEN, 'not_authed', 'team_added_to_org', 'accesslimited'])

/** How `@slack/web-api` names a call that got no answer, or one of a gateway in front of Slack. */
const NO_ANSWER: ReadonlySet<unknown> = new Set(['slack_webapi_request_error', 'slack_webapi_http_error'])

/** Reads what `@slack/web-api` throws. */
export function slackAnswer(error: unknown): SlackAnswer {
  if (error instanceof UserError) return { kind: 'uninstalled' }
  const retryMs = retryAfterMs(error)
  if (retryMs !== undefined) return { kind: 'rate-limited', retryMs }
  const code = errorCode(error)
  if (code === undefined || UNWELL.has(code) || BAD_TOKEN.has(code)) return { kind: 'passing' }
  if (GONE.has(code)) return { kind: 'message-gone' }
  if (BAD.has(code)) return { kind: 'bad-message' }
  if (THREAD_CLOSED.has(code)) return { kind: 'thread-closed' }
  const why = DEAD.get(code)
  // What is not known is no reason to end anything.
  return why ? { kind: 'channel-dead', why } : { kind: 'passing' }
}

/** True when the same may be taken a moment later: Slack's fault, a token's, or too many calls. */
export const isPassing = ({ kind }: SlackAnswer): boolean => kind === 'passing' || kind === 'rate-limited'

/**
 * True when Slack answered with a no, or the app is not installed there any more: asking again changes nothing. A lost request, a
 * call too many (429) and a fault of Slack's own are no answer.
 */
export function saidNo(error: unknown): boolean {
  if (error instanceof UserError) return true
  const code = errorCode(error)
  return code !== undefined && !UNWELL.has(code) && retryAfterMs(error) === undefined
}

/** True when Slack certainly did not do what was asked: it said no, or that it was one call too many. */
export const didNotHappen = (error: unknown): boolean => saidNo(error) || retryAfterMs(error) !== undefined

/** True when Slack may have done what was asked, and has not said so. */
export const mayHaveHappened = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && NO_ANSWER.has(error.code)) || UNWELL.has(errorCode(error) ?? ''))

/** True when Slack refuses what goes along with a message unseen, and not the message. */
export const isOfMetadata = (error: unknown): boolean => /metadata/.test(errorCode(error) ?? '')

export const isDeadToken = (error: unknown): boolean => DEAD_TOKEN.has(errorCode(error) ?? '')

/** Of a step that is over, by an earlier call whose answer was lost or by Slack itself, nothing more can be said. */
export const isStepOver = (error: unknown): boolean => STEP_OVER.has(errorCode(error) ?? '')

/** https://docs.slack.dev/reference/methods/functions.completeSuccess, November 2026. */
const STEP_OVER = new Set(['execution_not_in_running_state', 'function_execution_not_found'])

/** The code of Slack's own with which it refused a call: `@slack/web-api` puts it into its message. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error ? /^An API error occurred: ([a-z_]+)/.exec(error.message)?.[1] : undefined

/** The scopes any of which the refused call needs, as Slack names them; undefined where it was refused for anything else. */
export function lackedScopes(error: unknown): string[] | undefined {
  if (errorCode(error) !== 'missing_scope') return undefined
  // What the library throws carries Slack's whole answer.
  const { data } = error as { data?: { needed?: unknown } }
  return typeof data?.needed === 'string' ? data.needed.split(',') : []
}

/** Without a word of Slack about it, a call is tried again after this time. */
const UNSAID_MS = 5000
const LONGEST_MS = 3_600_000
/** The words of `@slack/web-api` for a 429 that says no time. */
const NO_TIME = /^Retry header did not contain a valid timeout/

const TOO_MANY = new Set(['ratelimited', 'rate_limited'])

/** How long Slack asks to be left alone, an hour at most, where it was one call too many (429); else undefined. */
export function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  if (!('retryAfter' in error))
    return NO_TIME.test(error.message) || TOO_MANY.has(errorCode(error) ?? '') ? UNSAID_MS : undefined
  const seconds = Number(error.retryAfter)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, LONGEST_MS) : UNSAID_MS
}
