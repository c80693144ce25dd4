import {
  DONE,
  type HeldWork,
  LeaseLost,
  type RecordedSteps,
  type WorkEnd,
  type WorkKind,
} from '@signalman/durable'
import { isPassing, slackAnswer } from '@signalman/slack'
import { sendAgain, untilKnown } from '../../../bot/posts/may-post.ts'
import type { PostOnce } from '../../../bot/posts/post-once.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { Watch } from '../rules/watch.ts'
import type { DeliveryParts } from './deliver-work.ts'

export interface PausedParts extends Pick<DeliveryParts, 'watching' | 'poster' | 'renderer' | 'log'> {
  readonly steps: Pick<RecordedSteps, 'list' | 'keep'>
  readonly postOnce: PostOnce
}

/** The watches of one owner that are paused in a channel; the newest pause is what the owner is told of. */
interface PausedWatches {
  readonly watches: readonly Watch[]
  readonly newest: Watch & { readonly paused: NonNullable<Watch['paused']> }
}

/**
 * Tells each owner of a channel's paused watches, in a direct message, that nothing can be told there. Who was told is a step of
 * the work: an owner who cannot be reached does not have the others told again.
 */
export function pausedWork(parts: PausedParts): WorkKind {
  const { watching, steps } = parts
  return {
    kind: WATCH_WORK.paused,
    lane: 'tell',
    async run(held) {
      const { workspaceId, id, key: channelId = '' } = held.work
      const all = await watching.watches.list(workspaceId, { channelId })
      const untold = await watching.outbox.behind(workspaceId, channelId)
      const known = await steps.list(id)
      const told = new Set(known.map(({ name }) => name))
      let line = known.at(-1)?.line ?? 0
      const ends: WorkEnd[] = []
      for (const paused of byOwner(all)) {
        const name = nameOf(paused)
        if (told.has(name)) continue
        const end = await tellOwner(parts, held, paused, untold)
        ends.push(end)
        if (end.state !== 'done') continue
        line += 1
        if (!(await steps.keep(held.owner, { workId: id, line, name, result: undefined })))
          throw new LeaseLost()
      }
      return ends.find(({ state }) => state !== 'done') ?? DONE
    },
  }
}

/** Names one pause of one owner's watches, among all that the workspace is told. */
const nameOf = ({ newest: { channelId, ownerId, paused } }: PausedWatches): string =>
  `paused ${channelId} ${paused.at.toISOString()} ${ownerId}`

function byOwner(all: readonly Watch[]): PausedWatches[] {
  const isPaused = (watch: Watch): watch is PausedWatches['newest'] => watch.paused !== undefined
  const owners = Map.groupBy(all.filter(isPaused), ({ ownerId }) => ownerId)
  return [...owners.values()].map((watches) => ({
    watches,
    newest: watches.reduce((newest, one) => (one.paused.at > newest.paused.at ? one : newest)),
  }))
}

/** Done, too, where somebody left or takes no messages: Home shows it to everybody else. */
async function tellOwner(
  { poster, renderer, postOnce, log }: PausedParts,
  held: HeldWork,
  paused: PausedWatches,
  untold: number,
): Promise<WorkEnd> {
  const { watches, newest } = paused
  const { workspaceId, channelId, ownerId } = newest
  const { why, at: since } = newest.paused
  const message = renderer.paused({ channelId, why, since, watches: watches.length, untold })
  try {
    const came = await postOnce(held, {
      workspaceId,
      key: nameOf(paused),
      version: 1,
      send: (options) => poster.direct(newest, ownerId, message, options),
      find: (sent) => poster.findDirect(newest, ownerId, sent),
      // It is never edited.
      record: async () => undefined,
    })
    return 'posted' in came ? DONE : untilKnown([came])
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    const answer = slackAnswer(error)
    if (answer.kind === 'rate-limited') return { state: 'waiting', dueInMs: answer.retryMs }
    if (isPassing(answer)) return sendAgain(held.work.attempts)
    log.warn({ channel: channelId, err: error }, 'The owner of a watch cannot be told.')
    return DONE
  }
}
