import { slackAnswer } from '@signalman/slack'

export interface PostTimes {
  /**
   * A message that is not in the channel this long after it was sent counts as not posted: a call to Slack ends within 10 s. If Slack
   * takes it even later, it stands there twice: no argument of `chat.postMessage` is documented that would make it the same message.
   */
  readonly lateMs: number
  /** A post is not sent when more than this time has passed between its mark and the request. */
  readonly standstillMs: number
  /** Milliseconds by a clock that nobody can set back; `performance.now` unless given. */
  readonly stopwatch: () => number
}

/** What is known now of a post whose process died, or whose answer was lost. */
type LostPost<Posted> = { readonly posted: Posted } | 'not-posted' | Unsure

/** It is not known yet, and may be after this time. */
export interface Unsure {
  readonly unsureMs: number
  /** True when it may still come; false when Slack cannot say, for which it is asked less and less often. */
  readonly isTooEarly: boolean
}

const LATE_MS = 15_000
/** When Slack has given no answer for this long, whatever pause it asks for, the message is posted once more: better twice than never. */
const GIVE_UP_AFTER_MS = 300_000
const RETRY = { leastMs: 5000, mostMs: 60_000 }

/**
 * Looks for a post whose outcome is unknown. What is not there, and can no longer come, was not posted. An app that lacks the scope to
 * look assumes the same. Throws when the thread that it was posted in is gone.
 */
export async function findLostPost<Posted>(
  find: () => Promise<Posted | undefined>,
  ageMs: number,
  { times, onCannotLook }: { times?: Partial<PostTimes> | undefined; onCannotLook: (error: unknown) => void },
): Promise<LostPost<Posted>> {
  const lateMs = times?.lateMs ?? LATE_MS
  try {
    const posted = await find()
    if (posted !== undefined) return { posted }
    return ageMs >= lateMs ? 'not-posted' : { unsureMs: Math.ceil(lateMs - ageMs), isTooEarly: true }
  } catch (error) {
    const answer = slackAnswer(error)
    if (answer.kind === 'message-gone') throw error
    if ((answer.kind === 'rate-limited' || answer.kind === 'passing') && ageMs <= GIVE_UP_AFTER_MS) {
      const byAgeMs = Math.min(RETRY.mostMs, Math.max(RETRY.leastMs, Math.round(ageMs / 4)))
      const retryMs = answer.kind === 'passing' ? byAgeMs : answer.retryMs
      return {
        unsureMs: Math.min(retryMs, Math.max(1000, Math.ceil(GIVE_UP_AFTER_MS - ageMs))),
        isTooEarly: false,
      }
    }
    onCannotLook(error)
    return 'not-posted'
  }
}

/** What a post with an unknown outcome is found by. */
export interface SentMark {
  readonly mark: string
  readonly sentAt: Date
  /** The time now by the same clock: earlier than `sentAt` when that clock was set back since. */
  readonly lookedAt?: Date | undefined
  /** The message in whose thread it was put. */
  readonly threadTs?: string | undefined
}
