import { chunksOf, type DatabaseTime, type Schema } from '@signalman/durable'
import { inTurns, newId } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import type { SubjectChange, SubjectState } from '../../../domain/outages/observe.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { mutesByMaintenance, windowsInForce } from '../maintenance/in-force.ts'
import { REOPEN_MS } from '../rules/card.ts'
import { FLAPPING_WINDOW_MS, STORM_MS } from '../rules/noise.ts'
import { type ChannelView, reconcile, type ToldCard } from '../rules/reconcile.ts'
import { readyWatch } from '../rules/subjects.ts'

import type { Watch } from '../rules/watch.ts'
import type { WatchCardRow } from './columns.ts'
import { cardOf, muteFrom, outageOf, type ScopeOf, scopeColumns } from './row.ts'
import { channelOfWatches, saveAndQueueCards } from './save-cards.ts'
import { outagesById, setStatesVersion, writeSubjects } from './subject-rows.ts'

/** A part of a poll's result, small enough for one transaction. */
export interface PollPart {
  /** The version of the states when they were read, or that the part before has set; and the version to set now. */
  readonly statesVersion: string | null
  readonly nextStatesVersion: string
  readonly poll: number
  readonly at: Date
  readonly changes: readonly SubjectChange[]
  /** Subjects that became bad a few polls ago: their channels may still have to be told. */
  readonly candidates: readonly SubjectState[]
}

/** Writes subjects, outages, transitions and their cards, and schedules the delivery of the cards. */
export async function recordPart(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  scope: ScopeOf,
  watches: readonly Watch[],
  part: PollPart,
): Promise<void> {
  const { poll, at, changes, candidates } = part
  const over = changes.flatMap(({ outage }) => (outage?.ended ? [outage] : []))
  const newOutages = new Map(changes.flatMap(({ opened: one }) => (one ? [[one.id, one] as const] : [])))
  const ids = [...candidates.map(({ outageId }) => outageId), ...over.map(({ id }) => id)]
  const known = await outagesById(
    rows,
    ids.filter((id) => !newOutages.has(id)),
  )
  const find = (id: string): Outage | undefined => newOutages.get(id) ?? known.get(id)
  const uuids = [...candidates, ...over].map(({ check }) => check.uuid)
  // Read before anything is written: an outage that ends now is still open on its cards.
  const views =
    ids.length === 0 ? [] : await channelViews(rows, time, scope, watches, { at, uuids, outageIds: ids })
  await writeSubjects(rows, scope, changes)
  await setStatesVersion(rows, scope, part.nextStatesVersion)
  const news = {
    poll,
    at,
    candidates: candidates.flatMap((state) => {
      const outage = find(state.outageId)
      return outage ? [{ outage: { ...outage, check: state.check }, state }] : []
    }),
    ended: over.flatMap(({ id, check, ended }) => {
      const outage = find(id)
      return outage && ended ? [{ ...outage, check, endedAt: ended.at, ending: ended.ending }] : []
    }),
  }
  for (const view of views) {
    const place = { ...scope, ...channelOfWatches(watches, view.place.channelId) }
    await saveAndQueueCards(rows, time, place, await inTurns(reconcile(view, news, newId)))
  }
}

/** Values in one statement. */
const AT_ONCE = 500

/** The changes in a scope: the views hold only what these need. */
interface Concerned {
  readonly at: Date
  readonly uuids: readonly string[]
  /** Ids of outages that may have to be told, or have ended. */
  readonly outageIds: readonly string[]
}

/** Every channel of an environment that may get news, with what it was told before. */
async function channelViews(
  rows: Kysely<Schema>,
  time: DatabaseTime,
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
  const maintenance = await windowsInForce(rows, time, scope)
  return [...byChannel].map(([channelId, own]) => ({
    place: { channelId, environment: scope.environment },
    watches: own.map(readyWatch),
    mutes: [...(mutes.get(channelId) ?? []), ...mutesByMaintenance(maintenance, channelId)],
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

const recentCards = (rows: Kysely<Schema>, scope: ScopeOf, at: Date): Promise<WatchCardRow[]> =>
  rows
    .selectFrom('watch_card')
    .selectAll()
    .where((row) => row.and(scopeColumns(scope)))
    .where('kind', 'not in', ['blind', 'digest', 'maintenance'])
    .where((row) =>
      row.or([
        row('closed_at', 'is', null),
        row('closed_at', '>=', new Date(at.getTime() - REOPEN_MS).toISOString()),
      ]),
    )
    .execute()

async function mutesOf(rows: Kysely<Schema>, scope: ScopeOf) {
  const found = await rows
    .selectFrom('watch_mute')
    .selectAll()
    .where((row) => row.and(scopeColumns(scope)))
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

/** Card of a storm that may take something up → when the last check fell that was new to it. */
async function lastNewInStorms(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  cards: readonly WatchCardRow[],
  at: Date,
): Promise<Map<string, Date>> {
  const since = new Date(at.getTime() - STORM_MS).toISOString()
  const found = new Map<string, Date>()
  for (const { id, kind, opened_at } of cards) {
    if (kind !== 'storm' || opened_at < since) continue
    const last = await lastNewIn(rows, scope, id)
    if (last) found.set(id, new Date(last))
  }
  return found
}

/** From the newest outage on, the first that fits is the answer: most outages of a large storm are never looked at. */
async function lastNewIn(
  rows: Kysely<Schema>,
  { workspaceId, environment }: ScopeOf,
  cardId: string,
): Promise<string | undefined> {
  const { rows: found } = await sql<{ started_at: string }>`select started_at from watch_outage as fallen
    where workspace_id = ${workspaceId} and environment = ${environment}
      and exists (select 1 from watch_card_outage as link
        where link.card_id = ${cardId} and link.outage_id = fallen.id)
      and not exists (select 1 from watch_outage as earlier
        join watch_card_outage as link on link.outage_id = earlier.id
        where link.card_id = ${cardId} and earlier.workspace_id = fallen.workspace_id
          and earlier.environment = fallen.environment and earlier.uuid = fallen.uuid
          and earlier.status = fallen.status and earlier.started_at < fallen.started_at)
    order by started_at desc limit 1`.execute(rows)
  return found[0]?.started_at
}
