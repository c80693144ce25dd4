import { type Database, type DatabaseTime, type Rows, rowsIn, schedule, updateIn } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { FirstLook } from '../../../domain/outages/outage.ts'
import { redrawCards, turnOf, WATCH_WORK } from '../rows/watch-work.ts'
import type { Decision } from '../rules/decide.ts'

/** What was seen first of outages: a column of `watch_outage`. */
export function watchLooks({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** The check of an outage that goes on and that nobody has looked at yet. */
    wanted: (
      workspaceId: string,
      id: string,
    ): Promise<{ uuid: string; environment: Environment } | undefined> =>
      rowsIn(rows, 'watch_outage', {
        id,
        workspace_id: workspaceId,
        status: 'UNHEALTHY',
        ended_at: null,
        first_look: null,
      }).executeTakeFirst(),

    /** Writes down what was seen; the cards that tell of it say so. False when somebody has looked already. */
    saw: (workspaceId: string, outageId: string, look: FirstLook) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const unseen = { id: outageId, workspace_id: workspaceId, first_look: null }
        const first_look = JSON.stringify(look)
        if ((await updateIn(transaction, 'watch_outage', unseen, { first_look })) === 0) return false
        const cards = await rowsIn(transaction, 'watch_card_outage', { outage_id: outageId }).execute()
        const ids = cards.map(({ card_id }) => card_id)
        await redrawCards(transaction, time, workspaceId, ids)
        return true
      }),
  }
}

/** Of many on one card, so many show what they have in common. */
const MOST_LOOKED_AT = 3

/** Has what a card lists first looked at. */
export async function scheduleLooks(
  rows: Rows,
  time: DatabaseTime,
  workspaceId: string,
  lines: Decision['lines'],
): Promise<void> {
  for (const some of Map.groupBy(lines, ({ cardId }) => cardId).values())
    for (const { outageId: key } of some.slice(0, MOST_LOOKED_AT))
      await schedule(rows, time, { workspaceId, kind: WATCH_WORK.look, key })
}
