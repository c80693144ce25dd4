import { type Database, type DatabaseTime, type Schema, schedule } from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import type { FirstLook } from '../../../domain/outages/outage.ts'
import { scheduleDelivery, turnOf, WATCH_WORK } from '../rows/watch-work.ts'
import type { CardChange } from '../rules/reconcile.ts'

export interface WatchLooks {
  /** The check of an outage that goes on and that nobody has looked at yet. */
  wanted(
    workspaceId: string,
    outageId: string,
  ): Promise<{ uuid: string; environment: Environment } | undefined>
  /** Writes down what was seen; the cards that tell of it say so. False when somebody has looked already. */
  saw(workspaceId: string, outageId: string, look: FirstLook): Promise<boolean>
}

/** What was seen first of outages: a column of `watch_outage`. */
export function watchLooks({ rows, inTurn }: Database, time: DatabaseTime): WatchLooks {
  return {
    wanted: (workspaceId, outageId) =>
      rows
        .selectFrom('watch_outage')
        .select(['uuid', 'environment'])
        .where((row) => row.and({ id: outageId, workspace_id: workspaceId, status: 'UNHEALTHY' }))
        .where('ended_at', 'is', null)
        .where('first_look', 'is', null)
        .executeTakeFirst(),

    saw: (workspaceId, outageId, look) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('watch_outage')
          .set({ first_look: JSON.stringify(look) })
          .where((row) => row.and({ id: outageId, workspace_id: workspaceId }))
          .where('first_look', 'is', null)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return false
        const cards = await transaction
          .updateTable('watch_card')
          .set((card) => ({ version: card('version', '+', 1) }))
          .where('workspace_id', '=', workspaceId)
          .where((card) =>
            card(
              'id',
              'in',
              card.selectFrom('watch_card_outage').select('card_id').where('outage_id', '=', outageId),
            ),
          )
          .returning('channel_id')
          .execute()
        for (const channelId of new Set(cards.map(({ channel_id }) => channel_id)))
          await scheduleDelivery(transaction, time, { workspaceId, channelId })
        return true
      }),
  }
}

/** Of a storm, so many of its checks tell what they have in common. */
const MOST_LOOKED_AT = 3

/** Has what opens a card, or opens it again, looked at. */
export async function scheduleLooks(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  changes: readonly CardChange[],
): Promise<void> {
  for (const { card, outageIds } of changes)
    if (card.kind === 'outage' || card.kind === 'storm')
      for (const key of outageIds.slice(0, MOST_LOOKED_AT))
        await schedule(rows, time, { workspaceId, kind: WATCH_WORK.look, key })
}
