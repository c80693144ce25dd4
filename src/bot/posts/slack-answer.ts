import type { PauseReason } from '../../domain/watching/watch.ts'
import { UserError } from '../../errors.ts'
import { isAnswer } from '../../slack/client/slack-errors.ts'
import { BAD, DEAD, GONE, PASSING } from './slack-codes.ts'

/** What an error of Slack means for a message that was to be sent. */
export type SlackAnswer =
  | { readonly kind: 'rate-limited'; readonly retryMs: number }
  /** The message that was to be edited is not there (any more), or may not be edited. */
  | { readonly kind: 'message-gone' }
  | { readonly kind: 'channel-dead'; readonly why: PauseReason }
  /** Slack takes the message in no form that it was given in. */
  | { readonly kind: 'bad-message' }
  /** The app is not in the workspace any more. */
  | { readonly kind: 'uninstalled' }
  /** It may pass: nothing is known of what became of the message. */
  | { readonly kind: 'passing' }

/** Without a word of Slack about it, a call is tried again after this time. */
const UNSAID_MS = 5000

/** Reads what `@slack/web-api` throws. */
export function slackAnswer(error: unknown): SlackAnswer {
  if (error instanceof UserError) return { kind: 'uninstalled' }
  if (!(error instanceof Error)) return { kind: 'passing' }
  if ('retryAfter' in error) return { kind: 'rate-limited', retryMs: secondsOf(error.retryAfter) }
  const code = codeIn(error)
  if (code === undefined) return { kind: 'passing' }
  if (code === 'ratelimited' || code === 'rate_limited') return { kind: 'rate-limited', retryMs: UNSAID_MS }
  if (GONE.has(code)) return { kind: 'message-gone' }
  if (BAD.has(code)) return { kind: 'bad-message' }
  if (PASSING.has(code)) return { kind: 'passing' }
  // Whatever else Slack says is a no to this channel, which its people must hear of.
  return { kind: 'channel-dead', why: DEAD[code] ?? 'refused' }
}

/** True when the same may be taken a moment later: Slack's fault, a token's, or too many calls. */
export const isPassing = ({ kind }: SlackAnswer): boolean => kind === 'passing' || kind === 'rate-limited'

/** True when Slack certainly did not do it: it said no for good, or to a token, or to one call too many. */
export const isRefusal = (error: unknown): boolean => slackAnswer(error).kind !== 'passing' || isAnswer(error)

const secondsOf = (value: unknown): number => {
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3600) * 1000 : UNSAID_MS
}

/** The library puts the code of a refusal into its message and beside it. */
const codeIn = (error: Error): string | undefined =>
  /^An API error occurred: ([a-z_]+)/.exec(error.message)?.[1]
