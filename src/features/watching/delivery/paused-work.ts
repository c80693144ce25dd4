import { DONE, LeaseLost, type RecordedSteps, type WorkEnd, type WorkKind } from '@signalman/durable'
import { type PostParts, tellPerson } from '../../../bot/posts/kept-messages.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { Watch } from '../rules/watch.ts'
import type { DeliveryParts } from './deliver-work.ts'

export interface PausedParts extends Pick<DeliveryParts, 'watching' | 'renderer'> {
  readonly steps: Pick<RecordedSteps, 'list' | 'keep'>
  readonly keeping: PostParts
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
export function pausedWork({ watching, steps, renderer, keeping }: PausedParts): WorkKind {
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
        const key = nameOf(paused)
        if (told.has(key)) continue
        const { watches, newest } = paused
        const { why } = newest.paused
        const drawn = renderer.paused({ channelId, why, watches: watches.length, untold })
        /** Also where somebody left or takes no messages: Home shows it to everybody else. */
        const over = async (): Promise<void> => {
          line += 1
          if (!(await steps.keep(held.owner, { workId: id, line, name: key, result: undefined })))
            throw new LeaseLost()
        }
        ends.push(
          await tellPerson(keeping, held, {
            key,
            place: newest,
            version: 1,
            drawn,
            to: newest.ownerId,
            over,
          }),
        )
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
