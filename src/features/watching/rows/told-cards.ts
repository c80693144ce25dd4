import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseTime, Rows } from '@signalman/durable'
import { inTurns } from '@signalman/runtime'
import type { Outage } from '../../../domain/outages/outage.ts'
import { mutesByMaintenance, windowsInForce } from '../maintenance/in-force.ts'
import type { ToldCard } from '../rules/card.ts'
import { sortedInSlices } from '../rules/slices.ts'
import type { Mute, WatchPlace } from '../rules/watch.ts'
import type { WatchCardRow } from './columns.ts'
import { cardOf, heldMutes, muteFrom, outageOf, type ScopeOf, scopeColumns } from './row.ts'

/** That a card tells of an outage. */
export interface Told {
  readonly cardId: string
  readonly channelId: string
  readonly outage: Outage
}

/** Read in one turn of the event loop: a storm may tell of thousands. */
const PAGE = 500

const tellings = (rows: Rows) =>
  rows
    .selectFrom('watch_card_outage')
    .innerJoin('watch_card', 'watch_card.id', 'watch_card_outage.card_id')
    .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
    .selectAll('watch_outage')
    .select(['watch_card_outage.card_id', 'watch_card.channel_id'])

type Tellings = ReturnType<typeof tellings>

/** What cards tell of, oldest outage first; of all cards and outages, those that are asked for. */
export async function toldOutages(rows: Rows, asked: (all: Tellings) => Tellings): Promise<Told[]> {
  const found: Told[] = []
  const query = asked(tellings(rows)).orderBy('card_id').orderBy('outage_id').limit(PAGE)
  for (let next = query; ; await nextTurn()) {
    const page = await next.execute()
    for (const row of page)
      found.push({ cardId: row.card_id, channelId: row.channel_id, outage: outageOf(row) })
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    next = query.where((row) =>
      row.or([
        row('card_id', '>', last.card_id),
        row.and([row('card_id', '=', last.card_id), row('outage_id', '>', last.id)]),
      ]),
    )
  }
  return inTurns(
    sortedInSlices(found, ({ outage: left }, { outage: right }) => {
      return left.startedAt.getTime() - right.startedAt.getTime() || (left.id < right.id ? -1 : 1)
    }),
  )
}

/** A card with what is told on it. `going`: how many of all its outages go on, where not all of them are given. */
export function toldCard(row: WatchCardRow, told: readonly Told[] = [], going?: number): ToldCard {
  const outages = told.map(({ outage }) => outage)
  const open = new Set(outages.flatMap(({ id, endedAt }) => (endedAt ? [] : [id])))
  return { card: cardOf(row), outages, open, openElse: (going ?? open.size) - open.size }
}

/** What silences a channel of a scope: its mutes, and the maintenance that is under way. */
export async function mutesIn(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  only?: string,
): Promise<(channelId: string) => Mute[]> {
  const found = await heldMutes(rows, { ...scopeColumns(scope), channel_id: only }).execute()
  const mutes = Map.groupBy(found.map(muteFrom), ({ channelId }) => channelId)
  const maintenance = await windowsInForce(rows, time, scope)
  return (channelId) => [...(mutes.get(channelId) ?? []), ...mutesByMaintenance(maintenance, channelId)]
}

export const channelMutes = async (rows: Rows, time: DatabaseTime, place: WatchPlace): Promise<Mute[]> =>
  (await mutesIn(rows, time, place, place.channelId))(place.channelId)
