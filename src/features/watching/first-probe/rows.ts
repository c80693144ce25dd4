import {
  type Database,
  type DatabaseTime,
  type Rows,
  schedule,
  selectRows,
  updateRows,
} from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { FirstProbe } from '../../../domain/outages/outage.ts'
import { redrawCards, WATCH_WORK, watchingLock } from '../rows/watch-work.ts'
import type { Decision } from '../rules/decide.ts'

/** First probes, which are a column of `watch_outage`. */
export function createFirstProbeStore({ rows, withLock }: Database, time: DatabaseTime) {
  return {
    /** The check of an open outage without a first probe. */
    findCheckToProbe: (
      workspaceId: string,
      id: string,
    ): Promise<{ uuid: string; environment: Environment } | undefined> =>
      selectRows(rows, 'watch_outage', {
        id,
        workspace_id: workspaceId,
        status: 'UNHEALTHY',
        ended_at: null,
        first_look: null,
      }).executeTakeFirst(),

    /** Saves the result and redraws the cards. False if the outage already has one. */
    save: (workspaceId: string, outageId: string, probe: FirstProbe) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const unprobed = { id: outageId, workspace_id: workspaceId, first_look: null }
        const first_look = JSON.stringify(probe)
        if ((await updateRows(transaction, 'watch_outage', unprobed, { first_look })) === 0) return false
        const cards = await selectRows(transaction, 'watch_card_outage', { outage_id: outageId }).execute()
        const ids = cards.map(({ card_id }) => card_id)
        await redrawCards(transaction, time, workspaceId, ids)
        return true
      }),
  }
}

/** If a card lists many checks, a few probes show what they have in common. */
const MAX_FIRST_PROBES = 3

/** Schedules first probes of the outages that a card lists. */
export async function scheduleFirstProbes(
  rows: Rows,
  time: DatabaseTime,
  workspaceId: string,
  cardOutages: Decision['cardOutages'],
): Promise<void> {
  for (const listed of Map.groupBy(cardOutages, ({ cardId }) => cardId).values())
    for (const { outageId: key } of listed.slice(0, MAX_FIRST_PROBES))
      await schedule(rows, time, { workspaceId, kind: WATCH_WORK.firstProbe, key })
}
