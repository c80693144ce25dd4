import { DONE, LeaseLost, type Steps, type WorkEnd, type WorkKind } from '@signalman/durable'
import { notifyOwner, type OwnerNoticeDeps } from '../../../bot/posts/notify-owner.ts'
import { ownWords } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { pluralize } from '../../../domain/wording.ts'
import { WATCH_WORK } from '../rows/work.ts'
import type { Watch } from '../rules/watch.ts'
import { pausedView } from '../views/watches.ts'
import type { DeliveryDeps } from './deliver-work.ts'

export interface PausedDeps extends Pick<DeliveryDeps, 'watching'> {
  readonly steps: Pick<Steps, 'list' | 'record'>
  readonly posting: OwnerNoticeDeps
}

/** One owner's paused watches in a channel. The owner is notified about the newest pause. */
interface PausedWatches {
  readonly watches: readonly Watch[]
  readonly newest: Watch & { readonly paused: NonNullable<Watch['paused']> }
}

/**
 * Notifies each owner of a channel's paused watches in a DM, or an admin if the owner can't be notified. Each notified owner is a recorded step, so a retry for
 * one owner doesn't notify the others again.
 */
export function createPausedWork({ watching, steps, posting }: PausedDeps): WorkKind {
  return {
    kind: WATCH_WORK.paused,
    lane: 'send',
    async run(leased) {
      const { workspaceId, id, key: channelId = '' } = leased.work
      const channelWatches = await watching.watches.list(workspaceId, { channelId })
      const pendingCards = await watching.outbox.countPending(workspaceId, channelId)
      const down = await watching.outbox.listDown(workspaceId, channelId)
      const recorded = await steps.list(id)
      const notified = new Set(recorded.map(({ name }) => name))
      /** The position of the last recorded step. */
      let line = recorded.at(-1)?.line ?? 0
      const results: WorkEnd[] = []
      for (const paused of groupByOwner(channelWatches)) {
        const key = pauseKey(paused)
        if (notified.has(key)) continue
        const { watches, newest } = paused
        const { reason } = newest.paused
        const pages = watches.some(({ page }) => page)
        const content = pausedView({ channelId, reason, watches: watches.length, pages, pendingCards, down })
        const markNotified = async (): Promise<void> => {
          line += 1
          if (!(await steps.record(leased.owner, { workId: id, line, name: key, state: 'done' })))
            throw new LeaseLost()
        }
        results.push(
          await notifyOwner(posting, leased, {
            key,
            target: newest,
            version: 1,
            content,
            ownWords: () =>
              ownWords(
                `Signalman can’t post in a channel with ${pluralize(watches.length, 'watch of yours', 'watches of yours')}. To see it, use ${cmd('/hc watches')} --all.`,
              ),
            ownerId: newest.ownerId,
            record: markNotified,
          }),
        )
      }
      return results.find(({ state }) => state !== 'done') ?? DONE
    },
  }
}

/** Identifies one pause of one owner's watches. Unique within the workspace. */
const pauseKey = ({ newest: { channelId, ownerId, paused } }: PausedWatches): string =>
  `paused ${channelId} ${paused.at.toISOString()} ${ownerId}`

function groupByOwner(all: readonly Watch[]): PausedWatches[] {
  const isPaused = (watch: Watch): watch is PausedWatches['newest'] => watch.paused !== undefined
  const owners = Map.groupBy(all.filter(isPaused), ({ ownerId }) => ownerId)
  return [...owners.values()].map((watches) => ({
    watches,
    newest: watches.reduce((newest, watch) => (watch.paused.at > newest.paused.at ? watch : newest)),
  }))
}
