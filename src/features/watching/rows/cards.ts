import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, DatabaseTime, Schema } from '@signalman/durable'
import { inTurns } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import type { Acknowledgement, CardState, CardWithOutages } from '../rules/card.ts'
import { sortedInSlices } from '../rules/slices.ts'
import { reconcileChannel } from './reconcile-channel.ts'
import { cardOf, outageOf, type ScopeOf, scopeColumns, watchPlaceOf } from './row.ts'
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
  /** What goes on and this person has said to be on, newest first. */
  held(
    workspaceId: string,
    userId: string,
    limit: number,
  ): Promise<readonly { environment: Environment; outage: Outage }[]>
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

    held: readHeld(rows),

    acknowledge: (workspaceId, cardId, { userId, name, now }) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const row = await transaction
          .selectFrom('watch_card')
          .selectAll()
          .where('id', '=', cardId)
          .where('workspace_id', '=', workspaceId)
          .where('kind', 'not in', ['blind', 'digest', 'maintenance'])
          .executeTakeFirst()
        if (!row) return 'gone'
        const { acknowledged, closedAt } = cardOf(row)
        if (acknowledged) return { already: acknowledged }
        if (closedAt) return 'over'
        await transaction
          .updateTable('watch_outage')
          .set({ taken_by: name, taken_at: now.toISOString() })
          .where('id', 'in', (outage) =>
            outage.selectFrom('watch_card_outage').select('outage_id').where('card_id', '=', cardId),
          )
          .where('ended_at', 'is', null)
          .where('taken_at', 'is', null)
          .execute()
        const onIt = { cardId, by: { by: userId, name, at: now } }
        await reconcileChannel(transaction, time, watchPlaceOf(row), { onIt })
        return 'acknowledged'
      }),
  }
}

/** Outages read in one turn of the event loop: a storm may tell of thousands. */
const PAGE = 500

const readHeld =
  (rows: Kysely<Schema>): WatchCards['held'] =>
  async (workspaceId, userId, limit) => {
    const found = await rows
      .selectFrom('watch_outage')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('id', 'in', (cards) =>
        cards
          .selectFrom('watch_card')
          .innerJoin('watch_card_outage', 'watch_card_outage.card_id', 'watch_card.id')
          .select('watch_card_outage.outage_id')
          .where('watch_card.workspace_id', '=', workspaceId)
          .where('watch_card.acknowledged_by', '=', userId)
          .where('watch_card.closed_at', 'is', null),
      )
      .orderBy('started_at', 'desc')
      .limit(limit)
      .execute()
    return found.map((row) => ({ environment: row.environment, outage: outageOf(row) }))
  }

/** The outages of a card, oldest first. */
export async function outagesOf(rows: Kysely<Schema>, cardId: string): Promise<Outage[]> {
  const found: Outage[] = []
  for (let after = ''; ; await nextTurn()) {
    const page = await rows
      .selectFrom('watch_card_outage')
      .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
      .selectAll('watch_outage')
      .where('watch_card_outage.card_id', '=', cardId)
      .where('watch_card_outage.outage_id', '>', after)
      .orderBy('watch_card_outage.outage_id')
      .limit(PAGE)
      .execute()
    found.push(...page.map(outageOf))
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = last.id
  }
  return inTurns(
    sortedInSlices(
      found,
      (left, right) => left.startedAt.getTime() - right.startedAt.getTime() || (left.id < right.id ? -1 : 1),
    ),
  )
}

/** With each listing of all checks, open cards that were not edited just now are, so that one that was deleted is posted anew. */
const SHOWN_AGAIN_MS = 5 * 60_000
const SHOWN_AGAIN = 50

/** Schedules edits of the open cards that were not edited for longest. */
export async function showAgain(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  scope: ScopeOf,
  at: Date,
): Promise<void> {
  const old = await rows
    .selectFrom('watch_card')
    .select(['id', 'channel_id'])
    .where((row) => row.and(scopeColumns(scope)))
    .where('closed_at', 'is', null)
    .where('ts', 'is not', null)
    .where((row) =>
      row.or([
        row('shown_at', '<', new Date(at.getTime() - SHOWN_AGAIN_MS).toISOString()),
        // The clock was set back since.
        row('shown_at', '>', at.toISOString()),
      ]),
    )
    .orderBy('shown_at')
    .limit(SHOWN_AGAIN)
    .execute()
  if (old.length === 0) return
  await rows
    .updateTable('watch_card')
    .set((card) => ({
      // The reply in its thread says the same as before.
      details_version: sql<number>`case when details_version = version then version + 1 else details_version end`,
      version: card('version', '+', 1),
    }))
    .where(
      'id',
      'in',
      old.map(({ id }) => id),
    )
    .execute()
  for (const channelId of new Set(old.map((row) => row.channel_id)))
    await scheduleDelivery(rows, time, scope.workspaceId, channelId)
}
