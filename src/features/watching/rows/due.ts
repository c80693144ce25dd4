import { type Database, type DatabaseTime, readTime } from '@signalman/durable'
import { endMute, findMute } from './mutes.ts'
import { reconcileChannel } from './reconcile-channel.ts'
import { watchPlaceOf } from './row.ts'
import { nextCardDue, turnOf } from './watch-work.ts'

/** The wait for what is due and cannot be told yet: its checks cannot be seen. */
const LOOK_AGAIN_MS = 60_000

/** Work that becomes due by time; each in one transaction. */
export interface WatchDue {
  /** Ends flapping that has been quiet, and reminds of what is down. Returns in how many ms there is more to do, if at all. */
  cards(workspaceId: string, channelId: string): Promise<number | undefined>
  /** Ends a mute and tells what it silenced and is still down. Returns in how many ms it ends, when that is not yet. */
  muteEnd(workspaceId: string, muteId: string): Promise<number | undefined>
}

export function watchDue({ inTurn }: Database, time: DatabaseTime): WatchDue {
  return {
    cards: (workspaceId, channelId) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const open = await transaction
          .selectFrom('watch_card')
          .selectAll()
          .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
          .where('closed_at', 'is', null)
          .where((row) => row.or([row('kind', '=', 'flapping'), row('remind_at', 'is not', null)]))
          .execute()
        for (const [first] of Map.groupBy(open, ({ environment }) => environment).values())
          if (first) await reconcileChannel(transaction, time, watchPlaceOf(first))
        const next = await nextCardDue(transaction, workspaceId, channelId)
        const leftMs = next && next.getTime() - (await readTime(transaction, time)).getTime()
        return leftMs !== undefined && leftMs <= 0 ? LOOK_AGAIN_MS : leftMs && Math.max(1000, leftMs)
      }),

    muteEnd: (workspaceId, muteId) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const mute = await findMute(transaction, workspaceId, muteId)
        return mute && endMute(transaction, time, mute, await readTime(transaction, time))
      }),
  }
}
