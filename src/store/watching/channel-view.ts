import type { Kysely } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import { REOPEN_MS } from '../../domain/watching/card.ts'
import { FLAPPING_WINDOW_MS } from '../../domain/watching/flapping.ts'
import type { Outage } from '../../domain/watching/outage.ts'
import { readyWatch } from '../../domain/watching/subjects.ts'
import type { ChannelView, ToldCard } from '../../domain/watching/tell.ts'
import type { Watch } from '../../domain/watching/watch.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchCardRow } from '../database/watch-rows.ts'
import { cardOf, muteFrom, outageOf } from './row.ts'
import { lastNewInStorms } from './young-storms.ts'

/** Values in one statement. */
const AT_ONCE = 500

export interface ScopeOf {
  readonly workspaceId: string
  readonly environment: Environment
}

/** The changes in a scope: the views hold only what these need. */
export interface Concerned {
  readonly at: Date
  readonly uuids: readonly string[]
  /** Ids of outages that may have to be told, or have ended. */
  readonly outageIds: readonly string[]
}

/** Every channel of an environment that may get news, with what it was told before. */
export async function channelViews(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  watches: readonly Watch[],
  concerned: Concerned,
): Promise<ChannelView[]> {
  const byChannel = Map.groupBy(watches, ({ channelId }) => channelId)
  const recent = await recentCards(rows, scope, concerned.at)
  const cards = Map.groupBy(recent, (row) => row.channel_id)
  const lastNew = await lastNewInStorms(rows, scope, recent, concerned.at)
  const outages = await outagesOfCards(rows, scope, concerned)
  const told = await toldIn(rows, concerned.outageIds)
  const open = await openOn(rows, concerned.outageIds)
  const mutes = Map.groupBy(await mutesOf(rows, scope), ({ channelId }) => channelId)
  return [...byChannel].map(([channelId, own]) => ({
    place: { channelId, environment: scope.environment },
    watches: own.map(readyWatch),
    mutes: mutes.get(channelId) ?? [],
    told: told.get(channelId) ?? new Set<string>(),
    cards: (cards.get(channelId) ?? []).map(
      (row): ToldCard => ({
        card: cardOf(row),
        outages: outages.get(row.id) ?? [],
        open: open.get(row.id)?.among ?? new Set<string>(),
        openElse: open.get(row.id)?.others ?? 0,
        lastNewAt: lastNew.get(row.id),
      }),
    ),
  }))
}

const recentCards = (
  rows: Kysely<Schema>,
  { workspaceId, environment }: ScopeOf,
  at: Date,
): Promise<WatchCardRow[]> =>
  rows
    .selectFrom('watch_card')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('kind', 'not in', ['blind', 'digest'])
    .where((row) =>
      row.or([
        row('closed_at', 'is', null),
        row('closed_at', '>=', new Date(at.getTime() - REOPEN_MS).toISOString()),
      ]),
    )
    .execute()

async function mutesOf(rows: Kysely<Schema>, { workspaceId, environment }: ScopeOf) {
  const found = await rows
    .selectFrom('watch_mute')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .execute()
  return found.map(muteFrom)
}

/** Card → its outages of these checks that are open or of the last hour, oldest first. */
async function outagesOfCards(
  rows: Kysely<Schema>,
  { workspaceId, environment }: ScopeOf,
  { at, uuids }: Concerned,
): Promise<Map<string, Outage[]>> {
  const found = new Map<string, Outage[]>()
  const since = new Date(at.getTime() - FLAPPING_WINDOW_MS).toISOString()
  for (const some of chunksOf(uuids, AT_ONCE)) {
    const page = await rows
      .selectFrom('watch_outage')
      .innerJoin('watch_card_outage', 'watch_card_outage.outage_id', 'watch_outage.id')
      .selectAll('watch_outage')
      .select('watch_card_outage.card_id')
      .where('watch_outage.workspace_id', '=', workspaceId)
      .where('watch_outage.environment', '=', environment)
      .where('watch_outage.uuid', 'in', some)
      .where((row) => row.or([row('ended_at', 'is', null), row('ended_at', '>=', since)]))
      .orderBy('watch_outage.started_at')
      .execute()
    for (const row of page) {
      const known = found.get(row.card_id)
      if (known) known.push(outageOf(row))
      else found.set(row.card_id, [outageOf(row)])
    }
  }
  return found
}

/** Channel → those of these outages that its cards tell. */
async function toldIn(rows: Kysely<Schema>, ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const told = new Map<string, Set<string>>()
  for (const some of chunksOf(ids, AT_ONCE)) {
    const page = await rows
      .selectFrom('watch_card_outage')
      .innerJoin('watch_card', 'watch_card.id', 'watch_card_outage.card_id')
      .select(['watch_card.channel_id', 'watch_card_outage.outage_id'])
      .where('watch_card_outage.outage_id', 'in', some)
      .execute()
    for (const row of page) addTo(told, row.channel_id, row.outage_id)
  }
  return told
}

interface OpenOutages {
  /** Those of the given outages. */
  readonly among: Set<string>
  others: number
}

/** For every card of one of these outages, all of its outages that go on. The others are counted, not read: a storm has many. */
async function openOn(rows: Kysely<Schema>, ids: readonly string[]): Promise<Map<string, OpenOutages>> {
  const found = new Map<string, OpenOutages>()
  for (const some of chunksOf(ids, AT_ONCE)) {
    const goingOn = rows
      .selectFrom('watch_card_outage')
      .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
      .where('watch_outage.ended_at', 'is', null)
    const pairs = await goingOn
      .select(['watch_card_outage.card_id', 'watch_card_outage.outage_id'])
      .where('watch_card_outage.outage_id', 'in', some)
      .execute()
    const concerned = rows.selectFrom('watch_card_outage').select('card_id').where('outage_id', 'in', some)
    const counts = await goingOn
      .select(['watch_card_outage.card_id', (row) => row.fn.countAll().as('many')])
      .where('watch_card_outage.card_id', 'in', concerned)
      .groupBy('watch_card_outage.card_id')
      .execute()
    for (const { card_id, many } of counts) {
      const before = found.get(card_id)?.among ?? new Set()
      found.set(card_id, { among: before, others: Number(many) })
    }
    for (const { card_id, outage_id } of pairs) found.get(card_id)?.among.add(outage_id)
  }
  // All open outages of a card were counted, with the given ones among them.
  for (const open of found.values()) open.others -= open.among.size
  return found
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key)
  if (set) set.add(value)
  else sets.set(key, new Set([value]))
}
