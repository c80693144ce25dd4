import { type Database, type DatabaseTime, readTime, type Schema, schedule } from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { Outage } from '../../../domain/outages/outage.ts'
import { withOutages } from '../rows/cards.ts'
import type { WatchCardRow } from '../rows/columns.ts'
import { lookedAt } from '../rows/poll-rows.ts'
import { channelMutes, channelWatches } from '../rows/reconcile-channel.ts'
import { watchPlaceOf } from '../rows/row.ts'
import { isPaused, scheduleDelivery, turnOf, WATCH_WORK } from '../rows/watch-work.ts'
import { isMuted } from '../rules/due.ts'
import { unseenWithin } from '../rules/sum-history.ts'
import type { WatchPlace } from '../rules/watch.ts'
import { aloneSince, type NextCall, nextCall, type PastCall } from './rules.ts'

/** What is to be known before anybody is called about a card. */
export interface CardAlone {
  readonly place: WatchPlace
  /** Its message; undefined while it is not posted. */
  readonly ts: string | undefined
  readonly since: Date
  readonly down: readonly Outage[]
  /** Undefined when everybody was called, or nothing that is down may call anybody now. */
  readonly next: NextCall | undefined
  /** A step that was begun and of which it is not known whether it is told. */
  readonly begun: (PastCall & { readonly call: NextCall['call'] }) | undefined
  /** Nobody is called now: what is down is muted or in maintenance, cannot be seen, or is up for the moment, or nothing is told there. */
  readonly isQuiet: boolean
  readonly now: Date
}

export interface WatchCalls {
  /** Undefined when somebody is on it, it is over, or no watch of its channel calls anybody. */
  find(workspaceId: string, cardId: string): Promise<CardAlone | undefined>
  /** Writes down that a step is taken, before it is. False when somebody is on it or it is over by now. */
  begin(workspaceId: string, cardId: string, next: NextCall): Promise<boolean>
  /** Its message stands in the thread. */
  told(workspaceId: string, cardId: string, afterMs: number): Promise<void>
  /** Nobody looked for a time, so that they are called later than the card says: it is to say so. */
  later(workspaceId: string, cardId: string): Promise<void>
  /** Somebody has deleted the card: it is posted anew, and people are called there. */
  cardGone(workspaceId: string, cardId: string, ts: string): Promise<void>
}

/** The rows of `watch_call`. */
export function watchCalls({ rows, inTurn }: Database, time: DatabaseTime): WatchCalls {
  return {
    find: (workspaceId, cardId) => findAlone(rows, time, workspaceId, cardId),

    begin: (workspaceId, cardId, { afterMs, call }) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const card = await openCard(transaction, workspaceId, cardId)
        if (!card) return false
        const row = { called_at: time(), told: 0, call: JSON.stringify(call) }
        await transaction
          .insertInto('watch_call')
          .values({ card_id: cardId, after_ms: afterMs, ...row })
          .onConflict((conflict) => conflict.columns(['card_id', 'after_ms']).doUpdateSet(row))
          .execute()
        return true
      }),

    told: (workspaceId, cardId, afterMs) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        await transaction
          .updateTable('watch_call')
          .set({ told: 1 })
          .where((row) => row.and({ card_id: cardId, after_ms: afterMs }))
          .execute()
        await redraw(transaction, time, workspaceId, cardId)
      }),

    later: (workspaceId, cardId) =>
      inTurn(turnOf(workspaceId), (transaction) => redraw(transaction, time, workspaceId, cardId)),

    cardGone: (workspaceId, cardId, ts) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const gone = await transaction
          .updateTable('watch_card')
          .set({ ts: null, shown_version: 0, details_ts: null, look_at: null })
          .where((row) => row.and({ id: cardId, workspace_id: workspaceId, ts }))
          .returning('channel_id')
          .executeTakeFirst()
        if (gone) await scheduleDelivery(transaction, time, { workspaceId, channelId: gone.channel_id })
      }),
  }
}

/** The card says who is called next, and when. */
async function redraw(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  cardId: string,
): Promise<void> {
  const card = await rows
    .updateTable('watch_card')
    .set((card) => ({ version: card('version', '+', 1) }))
    .where((row) => row.and({ id: cardId, workspace_id: workspaceId }))
    .returning('channel_id')
    .executeTakeFirst()
  if (card) await scheduleDelivery(rows, time, { workspaceId, channelId: card.channel_id })
}

const openCard = (rows: Kysely<Schema>, workspaceId: string, cardId: string) =>
  rows
    .selectFrom('watch_card')
    .selectAll()
    .where((row) => row.and({ id: cardId, workspace_id: workspaceId }))
    .where('kind', 'in', ['outage', 'flapping', 'storm', 'still-down'])
    // It reminds of what other cards tell.
    .where((row) => row.or([row('reason', 'is', null), row('reason', '<>', 'reminder')]))
    .where('closed_at', 'is', null)
    .where('acknowledged_by', 'is', null)
    .executeTakeFirst()

async function findAlone(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  cardId: string,
): Promise<CardAlone | undefined> {
  const row = await openCard(rows, workspaceId, cardId)
  if (!row) return undefined
  const place = watchPlaceOf(row)
  const watches = (await channelWatches(rows, place)).filter(({ watch }) => watch.escalation)
  if (watches.length === 0) return undefined
  const { card, outages } = await withOutages(rows, row)
  if (card.acknowledged) return undefined
  const mutes = await channelMutes(rows, time, place)
  const elsewhere = await toldBefore(rows, row)
  const down = outages.filter(
    (outage) => !outage.endedAt && !elsewhere.has(outage.id) && !isMuted(outage, mutes),
  )
  const found = await rows.selectFrom('watch_call').selectAll().where('card_id', '=', cardId).execute()
  const past = found.map(({ after_ms, called_at, told, call }) => ({
    afterMs: after_ms,
    at: new Date(called_at),
    isTold: told === 1,
    // Only this program writes it.
    call: JSON.parse(call) as NextCall['call'],
  }))
  const since = aloneSince(card, outages)
  const now = await readTime(rows, time)
  const looked = await lookedAt(rows, place, { from: since, to: now })
  const { isSeen } = looked
  const unseenMs = unseenWithin(looked, now)
  return {
    place,
    ts: row.ts ?? undefined,
    since,
    down,
    next: isSeen ? nextCall(watches, down, { since, past, unseenMs: unseenMs(since) }) : undefined,
    begun: past.find(({ isTold }) => !isTold),
    isQuiet: down.length === 0 || !isSeen || (await isPaused(rows, place)),
    now,
  }
}

/** Outages that an open card of the channel told before this one: that one calls about them. */
async function toldBefore(rows: Kysely<Schema>, card: WatchCardRow): Promise<Set<string>> {
  const found = await rows
    .selectFrom('watch_card_outage as own')
    .innerJoin('watch_card_outage as other', 'other.outage_id', 'own.outage_id')
    .innerJoin('watch_card', 'watch_card.id', 'other.card_id')
    .select('own.outage_id')
    .where('own.card_id', '=', card.id)
    .where('watch_card.id', '<>', card.id)
    .where('watch_card.channel_id', '=', card.channel_id)
    .where('watch_card.closed_at', 'is', null)
    .where((row) => row.or([row('reason', 'is', null), row('reason', '<>', 'reminder')]))
    .where((row) => {
      const isEarlier = row('watch_card.opened_at', '<', card.opened_at)
      if (card.kind !== 'still-down') return isEarlier
      // What sums up while nothing is seen is dated back to when something was: to when another card may have opened.
      const isFirst = row.or([row('watch_card.kind', '<>', 'still-down'), row('watch_card.id', '<', card.id)])
      return row.or([isEarlier, row('watch_card.opened_at', '=', card.opened_at).and(isFirst)])
    })
    .execute()
  return new Set(found.map(({ outage_id }) => outage_id))
}

/** Looks whom a card calls, and when, as soon as its channel has watches that call anybody. */
export async function scheduleCalls(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  { workspaceId, channelId }: Pick<WatchPlace, 'workspaceId' | 'channelId'>,
  cardIds?: readonly string[],
): Promise<void> {
  const calling = await rows
    .selectFrom('watch')
    .select('id')
    .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
    .where('escalation', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  if (!calling) return
  const open = async () => {
    const found = await rows
      .selectFrom('watch_card')
      .select('id')
      .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
      .where('closed_at', 'is', null)
      .execute()
    return found.map(({ id }) => id)
  }
  for (const key of cardIds ?? (await open()))
    await schedule(rows, time, { workspaceId, kind: WATCH_WORK.call, key })
}
