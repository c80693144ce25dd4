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

/** First looks, which are a column of `watch_outage`. */
export function createLookStore({ rows, withLock }: Database, time: DatabaseTime) {
  return {
    /** The check of an open outage without a first look. */
    findUnseen: (
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
    save: (workspaceId: string, outageId: string, look: FirstProbe) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const unseen = { id: outageId, workspace_id: workspaceId, first_look: null }
        const first_look = JSON.stringify(look)
        if ((await updateRows(transaction, 'watch_outage', unseen, { first_look })) === 0) return false
        const cards = await selectRows(transaction, 'watch_card_outage', { outage_id: outageId }).execute()
        const ids = cards.map(({ card_id }) => card_id)
        await redrawCards(transaction, time, workspaceId, ids)
        return true
      }),
  }
}

/** If a card lists many checks, a few looks show what they have in common. */
const MAX_LOOKS = 3

/** Schedules first looks at the outages that a card lists. */
export async function scheduleLooks(
  rows: Rows,
  time: DatabaseTime,
  workspaceId: string,
  lines: Decision['lines'],
): Promise<void> {
  for (const cardLines of Map.groupBy(lines, ({ cardId }) => cardId).values())
    for (const { outageId: key } of cardLines.slice(0, MAX_LOOKS))
      await schedule(rows, time, { workspaceId, kind: WATCH_WORK.look, key })
}
