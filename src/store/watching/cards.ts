import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import type { Acknowledgement, CardState, CardWithOutages } from '../../domain/watching/card.ts'
import type { Outage } from '../../domain/watching/outage.ts'
import { sortedInSlices } from '../../domain/watching/slices.ts'
import { inTurns } from '../../turns.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { cardOf, outageOf } from './row.ts'
import { scheduleDelivery, turnOf } from './watch-work.ts'

/** `over`: all outages of the card have ended. `already`: this or another person has acknowledged it before. */
export type Acknowledged = 'acknowledged' | { already: Acknowledgement } | 'over' | 'gone'

export interface WatchCards {
  find(workspaceId: string, cardId: string): Promise<CardWithOutages | undefined>
  /** Cards of the workspace whose outages go on, oldest first; at most `limit`. */
  open(
    workspaceId: string,
    where: { environment?: Environment; channelId?: string; limit: number },
  ): Promise<CardState[]>
  /**
   * A person says "I'm on it": this card and the channel's other open cards about the same outages show who, and no reminders
   * follow. The first person stays.
   */
  acknowledge(
    workspaceId: string,
    cardId: string,
    by: { userId: string; name: string; now: Date },
  ): Promise<Acknowledged>
}

/** The rows of `watch_card`, as commands read them. */
export function watchCards({ rows, inTurn }: Database, time: DatabaseTime): WatchCards {
  return {
    async find(workspaceId, cardId) {
      const row = await rows
        .selectFrom('watch_card')
        .selectAll()
        .where('id', '=', cardId)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
      return row && { card: cardOf(row), outages: await outagesOf(rows, cardId) }
    },

    async open(workspaceId, { environment, channelId, limit }) {
      let query = rows
        .selectFrom('watch_card')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('closed_at', 'is', null)
      if (environment !== undefined) query = query.where('environment', '=', environment)
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId)
      return (await query.orderBy('opened_at').limit(limit).execute()).map(cardOf)
    },

    acknowledge: (workspaceId, cardId, { userId, name, now }) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const row = await transaction
          .selectFrom('watch_card')
          .selectAll()
          .where('id', '=', cardId)
          .where('workspace_id', '=', workspaceId)
          .where('kind', 'not in', ['blind', 'digest'])
          .executeTakeFirst()
        if (!row) return 'gone'
        const { acknowledged, closedAt } = cardOf(row)
        if (acknowledged) return { already: acknowledged }
        if (closedAt) return 'over'
        const about = transaction
          .selectFrom('watch_card_outage as own')
          .innerJoin('watch_card_outage as other', 'other.outage_id', 'own.outage_id')
          .innerJoin('watch_outage', 'watch_outage.id', 'own.outage_id')
          .select('other.card_id')
          .where('own.card_id', '=', cardId)
          .where('watch_outage.ended_at', 'is', null)
        await transaction
          .updateTable('watch_card')
          .set((card) => ({
            acknowledged_by: userId,
            acknowledged_name: name,
            acknowledged_at: now.toISOString(),
            remind_at: null,
            version: card('version', '+', 1),
          }))
          .where('workspace_id', '=', workspaceId)
          .where('channel_id', '=', row.channel_id)
          .where('closed_at', 'is', null)
          .where('acknowledged_by', 'is', null)
          .where((card) => card.or([card('id', '=', cardId), card('id', 'in', about)]))
          .execute()
        await scheduleDelivery(transaction, time, workspaceId, row.channel_id)
        return 'acknowledged'
      }),
  }
}

/** Outages read in one turn of the event loop: a storm may tell of thousands. */
const PAGE = 500

/** The outages of a card, oldest first. */
export async function outagesOf(rows: Kysely<Schema>, cardId: string): Promise<Outage[]> {
  const found: Outage[] = []
  for (let after = ''; ; ) {
    const page = await rows
      .selectFrom('watch_card_outage')
      .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
      .selectAll('watch_outage')
      .where('watch_card_outage.card_id', '=', cardId)
      .where('watch_card_outage.outage_id', '>', after)
      .orderBy('watch_card_outage.outage_id')
      .limit(PAGE)
      .execute()
    for (const row of page) found.push(outageOf(row))
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = last.id
    await nextTurn()
  }
  return inTurns(
    sortedInSlices(
      found,
      (left, right) => left.startedAt.getTime() - right.startedAt.getTime() || (left.id < right.id ? -1 : 1),
    ),
  )
}
