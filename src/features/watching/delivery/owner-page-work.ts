import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { notifyOwner } from '../../../bot/posts/notify-owner.ts'
import { WATCH_WORK } from '../rows/work.ts'
import { ownerPageView, refusedView } from '../views/cards.ts'
import type { PausedDeps } from './paused-work.ts'

/** Sends the pages of a channel that accepts no messages to the owners of its watches, one page at a time. */
export function createOwnerPageWork({
  watching: { outbox },
  posting,
}: Pick<PausedDeps, 'watching' | 'posting'>): WorkKind {
  return {
    kind: WATCH_WORK.ownerPage,
    lane: 'send',
    async run(leased) {
      const { workspaceId, key: channelId = '' } = leased.work
      const pending = await outbox.findPage(workspaceId, channelId)
      const isPaused = pending?.watches.some(({ paused }) => paused && paused.reason !== 'shared-outside')
      // Once the channel accepts messages again, they're sent there.
      if (!pending || !isPaused) return DONE
      const incidents = await outbox.restoreUnnamed(pending)
      const owners = [...new Set(pending.watches.flatMap(({ page, ownerId }) => (page ? [ownerId] : [])))]
      for (const [index, ownerId] of (incidents.length > 0 ? owners : []).entries()) {
        const isLast = index === owners.length - 1
        const end = await notifyOwner(posting, leased, {
          key: `${pending.key} to ${ownerId}`,
          target: pending.target,
          version: 1,
          content: ownerPageView({ ...pending, incidents }),
          ownWords: () => refusedView(pending, []),
          ownerId,
          record: async () => (isLast ? outbox.markDropped(pending) : undefined),
        })
        if (end.state !== 'done') return end
      }
      if (incidents.length === 0 || owners.length === 0) await outbox.markDropped(pending)
      return repeatAfter(0)
    },
  }
}
