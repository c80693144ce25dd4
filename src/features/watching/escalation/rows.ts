import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  rowsIn,
  schedule,
  updateIn,
  upsertIn,
} from '@signalman/durable'

import { withOutages } from '../rows/cards.ts'
import { CALL, type WatchCardRow } from '../rows/columns.ts'
import { lookedAt } from '../rows/poll-rows.ts'
import { type ChannelOf, channelWatches, ofChannel, watchPlaceOf } from '../rows/row.ts'
import { channelMutes } from '../rows/told-cards.ts'
import { redrawCards, turnOf, WATCH_WORK } from '../rows/watch-work.ts'
import { type CardWithOutages, OF_OUTAGES } from '../rules/card.ts'
import { isMuted } from '../rules/due.ts'
import { readyWatch } from '../rules/subjects.ts'
import { unseenWithin } from '../rules/sum-history.ts'
import type { Mute, Watch } from '../rules/watch.ts'
import { aloneSince, type NextCall, nextCall, type PastCall } from './rules.ts'

/** What is to be known before anybody is called about a card. */
export type CardAlone = NonNullable<Awaited<ReturnType<typeof findAlone>>>

/** What whoever asks about a card has read of it already, and of its channel. */
interface KnownCard {
  readonly told: CardWithOutages
  readonly mutes: readonly Mute[]
  readonly watches: readonly Watch[]
}

/** Behind the card in the key of work. */
export const ONCE_SEEN = 'once-seen'

/** The rows of `watch_call`. */
export function watchCalls({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** Undefined when somebody is on it, it is over, or no watch of its channel calls anybody. */
    find: (workspaceId: string, cardId: string, known?: KnownCard) =>
      findAlone(rows, time, { workspaceId, cardId }, known),

    /** Writes down that a step is taken, before it is. False when somebody is on it or it is over by now. */
    begin: (workspaceId: string, cardId: string, { afterMs, call }: NextCall) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const card = await openCard(transaction, workspaceId, cardId)
        if (!card) return false
        const row = { called_at: time(), told: 0, call: JSON.stringify(call) }
        const step = { card_id: cardId, after_ms: afterMs }
        await upsertIn(transaction, 'watch_call', ['card_id', 'after_ms'], { ...step, ...row })
        return true
      }),

    /** Its message stands in the thread. */
    told: (workspaceId: string, cardId: string, afterMs: number) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        await updateIn(transaction, 'watch_call', { card_id: cardId, after_ms: afterMs }, { told: 1 })
        await redrawCards(transaction, time, workspaceId, [cardId])
      }),

    /** The card is to say anew who is called, and when. */
    redraw: (workspaceId: string, cardId: string) =>
      inTurn(turnOf(workspaceId), (transaction) => redrawCards(transaction, time, workspaceId, [cardId])),

    /** The card was drawn while nobody looked, and does not say who is called: it is drawn anew once somebody has looked. */
    redrawOnceSeen: (workspaceId: string, cardId: string) =>
      schedule(rows, time, { workspaceId, kind: WATCH_WORK.call, key: `${cardId} ${ONCE_SEEN}` }),
  }
}

const openCard = (rows: Rows, workspaceId: string, cardId: string) =>
  rowsIn(rows, 'watch_card', {
    id: cardId,
    workspace_id: workspaceId,
    closed_at: null,
    acknowledged_by: null,
  })
    .where('kind', 'in', OF_OUTAGES)
    // It reminds of what other cards tell.
    .where((row) => row.or([row('reason', 'is', null), row('reason', '<>', 'reminder')]))
    .executeTakeFirst()

async function findAlone(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, cardId }: { workspaceId: string; cardId: string },
  known?: KnownCard,
) {
  const row = await openCard(rows, workspaceId, cardId)
  if (!row) return undefined
  const place = watchPlaceOf(row)
  const all = known?.watches ?? (await channelWatches(rows, place))
  const calling = all.filter(({ environment, escalation }) => escalation && environment === place.environment)
  if (calling.length === 0) return undefined
  const { card, outages } = known?.told ?? (await withOutages(rows, row))
  if (card.acknowledged) return undefined
  const mutes = known?.mutes ?? (await channelMutes(rows, time, place))
  const elsewhere = await toldBefore(rows, row)
  const down = outages.filter(
    (outage) => !outage.endedAt && !elsewhere.has(outage.id) && !isMuted(outage, mutes),
  )
  const since = aloneSince(card, outages)
  const past = (await rowsIn(rows, 'watch_call', { card_id: cardId }).execute())
    .map((one): PastCall => {
      const { calledAt: at, told: isTold, ...taken } = CALL.of(one)
      return { ...taken, at, isTold }
    })
    // What was begun about an outage that is over is not gone on with about the next.
    .filter(({ at, isTold }) => isTold || at >= since)
  const now = await readTime(rows, time)
  const looked = await lookedAt(rows, place, { from: since, to: now })
  const { isSeen } = looked
  const unseenMs = unseenWithin(looked, now)(since)
  return {
    place,
    /** Its message; undefined while it is not posted. */
    ts: row.ts ?? undefined,
    since,
    down,
    /** Undefined when everybody was called, or nothing that is down may call anybody now. */
    next: isSeen ? nextCall(calling.map(readyWatch), down, { since, past, unseenMs }) : undefined,
    /** A step that was begun and of which it is not known whether it is told. */
    begun: past.find(({ isTold }) => !isTold),
    /** Whether what is down can be seen. */
    isSeen,
    /** Nobody is called now: what is down is muted or in maintenance, cannot be seen, or is up for the moment, or nothing is told there. */
    isQuiet: down.length === 0 || !isSeen || all.some(({ paused }) => paused),
    now,
  }
}

/** Outages that an open card of the channel told before this one: that one calls about them. */
async function toldBefore(rows: Rows, card: WatchCardRow): Promise<Set<string>> {
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

/** Looks whom a card calls, and when, where its channel has watches that call anybody. */
export async function scheduleCalls(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, channelId }: ChannelOf,
  cardIds: readonly string[],
): Promise<void> {
  const watches = rowsIn(rows, 'watch', ofChannel({ workspaceId, channelId }))
  if (!(await watches.where('escalation', 'is not', null).limit(1).executeTakeFirst())) return
  for (const key of cardIds) await schedule(rows, time, { workspaceId, kind: WATCH_WORK.call, key })
}
