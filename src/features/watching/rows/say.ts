import { type DatabaseTime, type Rows, readTime } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Said } from '../rules/said.ts'
import type { WatchChannel } from '../rules/watch.ts'
import { POST } from './columns.ts'
import { scheduleDelivery } from './work.ts'

/** Says in a channel, or in the thread of a card, what somebody changed. The change calls it in its own transaction. */
export async function say(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  said: Said | undefined,
  cardId?: string,
): Promise<void> {
  if (!said) return
  const { workspaceId, enterpriseId, environment, channelId } = channel
  const at = await readTime(rows, time)
  const post = {
    id: newId(),
    kind: 'said' as const,
    openedAt: at,
    closedAt: at,
    version: 1,
    shownVersion: 0,
    cardId,
  }
  const content = JSON.stringify(said)
  await rows
    .insertInto('watch_post')
    .values(POST.toRow({ workspaceId, enterpriseId, environment, channelId, ...post, content }))
    .execute()
  await scheduleDelivery(rows, time, channel)
}
