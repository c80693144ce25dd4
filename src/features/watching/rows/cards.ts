import { type Database, type DatabaseTime, type Rows, readTime, rowsIn } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { type Acknowledgement, type CardState, type CardWithOutages, OF_OUTAGES } from '../rules/card.ts'
import { placeName } from '../rules/watch.ts'
import type { WatchCardRow } from './columns.ts'
import { reconcileChannel, thatGoesOn } from './reconcile-channel.ts'
import { cardOf, firstOf, ofChannel, outageOf, type ScopeOf, scopeColumns, watchPlaceOf } from './row.ts'
import { toldOutages } from './told-cards.ts'
import { nextCardDue, redrawCards, turnOf } from './watch-work.ts'

/** `over`: all outages of the card have ended. `already`: this or another person has acknowledged it before. */
type Acknowledged = 'acknowledged' | { already: Acknowledgement } | 'over' | 'gone'

/** The wait for what is due and cannot be told yet: its checks cannot be seen. */
const LOOK_AGAIN_MS = 60_000

/** The rows of `watch_card`, as commands read them. */
export function watchCards({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    find: (workspaceId: string, id: string): Promise<CardWithOutages | undefined> =>
      firstOf(rowsIn(rows, 'watch_card', { id, workspace_id: workspaceId }), (row) => withOutages(rows, row)),

    /** Cards of the workspace whose outages go on, oldest first; at most `limit`. */
    async open(workspaceId: string, { limit }: { limit: number }): Promise<CardState[]> {
      const open = rowsIn(rows, 'watch_card', { workspace_id: workspaceId, closed_at: null })
      return (await open.orderBy('opened_at').limit(limit).execute()).map(cardOf)
    },

    held: readHeld(rows),

    /**
     * A person says "I'm on it": this card and the channel's other open cards about the same outages show who, and no reminders
     * follow. The first person stays, unless it is taken `over` from that very one: a press that comes again takes it from nobody else.
     */
    acknowledge: (
      workspaceId: string,
      cardId: string,
      { userId, name, now, over }: { userId: string; name: string; now: Date; over?: string | undefined },
    ): Promise<Acknowledged> =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const row = await rowsIn(transaction, 'watch_card', { id: cardId, workspace_id: workspaceId })
          .where('kind', 'in', OF_OUTAGES)
          .executeTakeFirst()
        if (!row) return 'gone'
        const { acknowledged, closedAt, takings = [] } = (await withOutages(transaction, row)).card
        if (closedAt && acknowledged?.by !== userId) return 'over'
        const isLeft = acknowledged?.by === over && over !== userId
        if (acknowledged && !isLeft) return { already: acknowledged }
        const by = { by: userId, name, at: now, from: acknowledged?.name }
        const onIt = { cardId, over: acknowledged?.by, takings: [...takings, by] }
        await reconcileChannel(transaction, time, watchPlaceOf(row), { onIt })
        return 'acknowledged'
      }),

    /** Ends flapping that has been quiet, and reminds of what is down. Returns in how many ms there is more to do, if at all. */
    step: (workspaceId: string, channelId: string) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const place = { workspaceId, channelId }
        const open = await rowsIn(transaction, 'watch_card', { ...ofChannel(place), closed_at: null })
          .where((row) => row.or([row('kind', '=', 'flapping'), row('remind_at', 'is not', null)]))
          .execute()
        for (const [first] of Map.groupBy(open.map(watchPlaceOf), placeName).values())
          if (first) await reconcileChannel(transaction, time, first)
        const next = await nextCardDue(transaction, place)
        const leftMs = next && next.getTime() - (await readTime(transaction, time)).getTime()
        return leftMs !== undefined && leftMs <= 0 ? LOOK_AGAIN_MS : leftMs && Math.max(1000, leftMs)
      }),
  }
}

/** Whether somebody has taken it over since, on one of these cards, from whoever has said to be on it. */
const isTakenOver = ({ name, at }: Acknowledgement, cards: readonly Pick<CardState, 'takings'>[]): boolean =>
  cards.some(({ takings = [] }) => takings.some((later) => later.from === name && later.at > at))

/** What goes on and this person has said to be on, newest first: not what others have taken over on other cards of the channel. */
const readHeld =
  (rows: Rows) =>
  async (
    workspaceId: string,
    userId: string,
    limit: number,
  ): Promise<readonly { environment: Environment; outage: Outage }[]> => {
    const taken = await rowsIn(rows, 'watch_card', { workspace_id: workspaceId })
      .where('acknowledged_at', 'is not', null)
      .where((card) => card.exists(thatGoesOn(rows)))
      .execute()
    const cards = taken.map(cardOf)
    const told = (some: readonly CardState[]) =>
      rows
        .selectFrom('watch_card_outage')
        .select('outage_id')
        .where(
          'card_id',
          'in',
          some.map(({ id }) => id),
        )
    const found = await rowsIn(rows, 'watch_outage', { ended_at: null })
      .where((outage) =>
        outage.or(
          cards.flatMap((card) => {
            const { acknowledged, closedAt, channelId } = card
            if (acknowledged?.by !== userId || closedAt) return []
            const left = cards.filter(
              (other) => other.channelId === channelId && isTakenOver(acknowledged, [other]),
            )
            const own = outage('id', 'in', told([card]))
            return [left.length > 0 ? own.and('id', 'not in', told(left)) : own]
          }),
        ),
      )
      .orderBy('started_at', 'desc')
      .limit(limit)
      .execute()
    return found.map((row) => ({ environment: row.environment, outage: outageOf(row) }))
  }

/** A card with its outages. Who is on all of it that goes on is on it, though they said so on other cards of the channel. */
export async function withOutages(rows: Rows, row: WatchCardRow): Promise<CardWithOutages> {
  const card = cardOf(row)
  const told = await toldOutages(rows, (all) => all.where('card_id', '=', row.id))
  const outages = told.map(({ outage }) => outage)
  const open = outages.filter(({ endedAt }) => !endedAt).length
  const people = card.closedAt || open === 0 ? [] : await readOnIt(rows, card, open)
  const acknowledged = people.find(({ by }) => by === card.acknowledged?.by) ?? people.at(-1)
  if (!acknowledged) return { card, outages }
  const alsoOnIt = people.filter((one) => one !== acknowledged)
  const isOwn = acknowledged.by === card.acknowledged?.by
  const takings = [...(card.takings ?? []), ...(isOwn ? [] : [...alsoOnIt, acknowledged])]
  return { card: { ...card, acknowledged, takings, ...(alsoOnIt.length > 0 && { alsoOnIt }) }, outages }
}

/**
 * Who is on any of what goes on of a card, by it and by the channel's other cards: first to last, and nobody from whom it was taken over.
 * Empty while nobody is on some of it.
 */
async function readOnIt(rows: Rows, card: CardState, open: number): Promise<Acknowledgement[]> {
  const { id, channelId, acknowledged: own } = card
  const found = await rows
    .selectFrom('watch_card_outage as own')
    .innerJoin('watch_outage', 'watch_outage.id', 'own.outage_id')
    .innerJoin('watch_card_outage as other', 'other.outage_id', 'own.outage_id')
    .innerJoin('watch_card', 'watch_card.id', 'other.card_id')
    .selectAll('watch_card')
    .select('own.outage_id')
    .where('own.card_id', '=', id)
    .where('watch_outage.ended_at', 'is', null)
    .where('watch_card.channel_id', '=', channelId)
    .where('watch_card.id', '<>', id)
    .where('watch_card.acknowledged_at', 'is not', null)
    .execute()
  const byOutage = Map.groupBy(found, ({ outage_id }) => outage_id)
  if (!own && byOutage.size < open) return []
  const people = new Map(own && byOutage.size < open ? [[own.by, own]] : [])
  for (const others of byOutage.values()) {
    const cards = [...others.map(cardOf), card]
    const taken = cards.flatMap(({ acknowledged: one, closedAt }) => (one ? [{ one, closedAt }] : []))
    taken.sort((left, right) => right.one.at.getTime() - left.one.at.getTime())
    for (const [index, { one, closedAt }] of taken.entries()) {
      // A card that is not watched any more is not handed over with the others.
      const isLeft = closedAt || isTakenOver(one, cards)
      const known = people.get(one.by)
      if ((index === 0 || !isLeft) && !(known && known.at > one.at)) people.set(one.by, one)
    }
  }
  return [...people.values()].sort((left, right) => left.at.getTime() - right.at.getTime())
}

/** With each listing of all checks, open cards that were not edited just now are, so that one that was deleted is posted anew. */
const SHOWN_AGAIN_MS = 5 * 60_000
const SHOWN_AGAIN = 50

/** Schedules edits of the open cards that were not edited for longest. */
export async function showAgain(rows: Rows, time: DatabaseTime, scope: ScopeOf, at: Date): Promise<void> {
  const before = new Date(at.getTime() - SHOWN_AGAIN_MS).toISOString()
  const old = await rowsIn(rows, 'watch_card', { ...scopeColumns(scope), closed_at: null })
    .where('ts', 'is not', null)
    // Later than now: the clock was set back since.
    .where((row) => row.or([row('shown_at', '<', before), row('shown_at', '>', at.toISOString())]))
    .orderBy('shown_at')
    .limit(SHOWN_AGAIN)
    .execute()
  const ids = old.map(({ id }) => id)
  await redrawCards(rows, time, scope.workspaceId, ids, { isThreadSame: true })
}
