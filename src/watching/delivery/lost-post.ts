import type { LostPost } from '../../bot/posts/poster.ts'
import { slackAnswer } from '../../bot/posts/slack-answer.ts'
import type { WatchStore, WorkEnd } from '../../store/store.ts'
import type { DeliveryParts } from './deliver-work.ts'

type Untold = Exclude<Awaited<ReturnType<WatchStore['outbox']['next']>>, undefined | { waitMs: number }>

/** What a message is known by in Slack: the id of its card, which tells nothing; the reply in its thread has one of its own. */
export const markOf = ({ told: { card }, what }: Pick<Untold, 'told' | 'what'>): string =>
  what === 'card' ? card.id : `${card.id}.thread`

const LATE_MS = 15_000
/** Where Slack gives no answer for so long, whatever pause it asks for, it is told once more: better twice than never. */
const MOST_DOUBT_MS = 300_000
const RETRY_MS = 5000
const NOW: WorkEnd = { state: 'waiting', dueInMs: 0, isAnew: true }

/**
 * Finds out what became of a post whose process died, or whose answer was lost. If it is in the channel, it is edited from now
 * on; if it is not, and too late to come, it is posted again. Without the scope to look, it is posted again at once.
 */
export async function settleLostPost(
  { watching: { outbox }, poster, log, times }: DeliveryParts,
  next: Untold & { attemptedAt: Date },
): Promise<WorkEnd> {
  const lateMs = times?.lateMs ?? LATE_MS
  const ageMs = next.now.getTime() - next.attemptedAt.getTime()
  const line = { workspace: next.place.workspaceId, channel: next.place.channelId, card: next.told.card.id }
  try {
    const ts = await poster.find(next.place, lostPostOf(next))
    if (ts !== undefined) await outbox.found(next, ts)
    else if (ageMs >= lateMs) await outbox.notSent(next)
    else await outbox.lookLater(next, lateMs - ageMs)
    return NOW
  } catch (error) {
    const answer = slackAnswer(error)
    switch (answer.kind) {
      case 'message-gone':
        await outbox.lost({ ...next, what: 'card' })
        return NOW
      case 'rate-limited':
      case 'passing': {
        if (ageMs > MOST_DOUBT_MS) break
        const retryMs = answer.kind === 'passing' ? RETRY_MS : answer.retryMs
        await outbox.lookLater(next, Math.min(retryMs, Math.max(1000, MOST_DOUBT_MS - ageMs)))
        return NOW
      }
      default:
    }
    log.info({ ...line, err: error }, 'Whether a card was posted cannot be found out; it is posted again.')
    await outbox.notSent(next)
    return NOW
  }
}

const lostPostOf = (next: Untold & { attemptedAt: Date }): LostPost => ({
  mark: markOf(next),
  sentAt: next.attemptedAt,
  ...(next.what === 'details' && { threadTs: next.ts }),
})
