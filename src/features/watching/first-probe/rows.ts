import { type Database, type DatabaseTime, selectRows, updateRows } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { FirstProbe } from '../../../domain/outages/outage.ts'
import { redrawCards, watchingLock } from '../rows/watch-work.ts'

/** Reads and saves first probes, which are stored in a column of `watch_outage`. */
export function createFirstProbeStore({ rows, withLock }: Database, time: DatabaseTime) {
  return {
    /** The check to probe. Undefined if the outage has ended or was already probed. */
    findCheckToProbe: (
      workspaceId: string,
      id: string,
    ): Promise<{ uuid: string; environment: Environment } | undefined> =>
      selectRows(rows, 'watch_outage', {
        id,
        workspace_id: workspaceId,
        status: 'UNHEALTHY',
        ended_at: null,
        first_probe: null,
      }).executeTakeFirst(),

    /** Saves the result and redraws the cards. False if the outage already has a result. */
    save: (workspaceId: string, outageId: string, probe: FirstProbe) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const unprobed = { id: outageId, workspace_id: workspaceId, first_probe: null }
        const first_probe = JSON.stringify(probe)
        if ((await updateRows(transaction, 'watch_outage', unprobed, { first_probe })) === 0) return false
        const cards = await selectRows(transaction, 'watch_card_outage', { outage_id: outageId }).execute()
        const ids = cards.map(({ card_id }) => card_id)
        await redrawCards(transaction, time, workspaceId, ids)
        return true
      }),
  }
}
