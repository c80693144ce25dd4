import type { AttemptAge } from '../../bot/posts/attempt-ages.ts'
import { findLostPost } from '../../bot/posts/find-lost-post.ts'
import type { SentMark } from '../../bot/posts/sought-post.ts'
import { slackAnswer } from '../../slack/client/slack-answer.ts'
import type { WatchStore, WorkEnd } from '../../store/store.ts'
import type { DeliveryParts } from './deliver-work.ts'

type Untold = Exclude<Awaited<ReturnType<WatchStore['outbox']['next']>>, undefined | { waitMs: number }>

type LostUntold = Untold & { attemptedAt: Date }

/** What a message is known by in Slack: the id of its card, which tells nothing; the reply in its thread has one of its own. */
export const markOf = ({ told: { card }, what }: Pick<Untold, 'told' | 'what'>): string =>
  what === 'card' ? card.id : `${card.id}.thread`

const again = (isAnew: boolean): WorkEnd => ({ state: 'waiting', dueInMs: 0, isAnew })

/**
 * Finds out what became of a post whose process died, or whose answer was lost. If it is in the channel, it is edited from now
 * on; if it is not, and too late to come, it is posted again. Without the scope to look, it is posted again at once.
 */
export async function settleLostPost(
  { watching: { outbox }, poster, log, times }: DeliveryParts,
  next: LostUntold,
  ageOf: AttemptAge,
): Promise<WorkEnd> {
  const line = { workspace: next.place.workspaceId, channel: next.place.channelId, card: next.told.card.id }
  const onCannotLook = (err: unknown): void =>
    log.info({ ...line, err }, 'Whether a card was posted cannot be found out; it is posted again.')
  try {
    const sent = sentMarkOf(next)
    const lost = await findLostPost(
      () => poster.find(next.place, sent),
      ageOf({ ...next, mark: sent.mark }),
      {
        times,
        onCannotLook,
      },
    )
    if (lost === 'not-posted') await outbox.notSent(next)
    else if ('posted' in lost) await outbox.found(next, lost.posted)
    else {
      await outbox.lookLater(next, lost.unsureMs)
      return again(lost.isTooEarly)
    }
  } catch (error) {
    if (slackAnswer(error).kind !== 'message-gone') throw error
    await outbox.lost({ ...next, what: 'card' })
  }
  return again(true)
}

const sentMarkOf = (next: LostUntold): SentMark => ({
  mark: markOf(next),
  sentAt: next.attemptedAt,
  lookedAt: next.now,
  ...(next.what === 'details' && { threadTs: next.ts }),
})
