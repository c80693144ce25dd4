import { slackAnswer } from '@signalman/slack'

export interface PostTimes {
  /**
   * What was sent and is not in the channel after this time is taken for not posted: a call to Slack ends within 10 s. What Slack takes
   * later all the same stands twice: it documents no argument of `chat.postMessage` that would make it the same message.
   */
  readonly lateMs: number
  /** For whom more than this goes by between the mark and the request, the post is not sent. */
  readonly standstillMs: number
}

/** What is known by now of a post whose process died, or whose answer was lost. */
type LostPost<Posted> = { readonly posted: Posted } | 'not-posted' | Unsure

/** After this time it may be known. */
export interface Unsure {
  readonly unsureMs: number
  /** True when it may still come; false when Slack cannot say, for which it is asked less and less often. */
  readonly isTooEarly: boolean
}

const LATE_MS = 15_000
/** Where Slack gives no answer for so long, whatever pause it asks for, it is told once more: better twice than never. */
const GIVE_UP_AFTER_MS = 300_000
const RETRY = { leastMs: 5000, mostMs: 60_000 }

/**
 * Looks for a post whose outcome is unknown. What is not there, and too late to come, was not posted; so says whoever may not
 * look, for want of a scope. Throws where the thread that it was posted in is gone.
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

/** By what a post is found whose outcome is unknown. */
export interface SentMark {
  readonly mark: string
  readonly sentAt: Date
  /** By the same clock: earlier than it was sent, where that clock was set back since. */
  readonly lookedAt?: Date | undefined
  /** Of the message in whose thread it was put. */
  readonly threadTs?: string | undefined
}
