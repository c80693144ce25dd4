import { chunksOf, type DatabaseTime, type Rows, rowsIn, updateIn } from '@signalman/durable'
import { inTurns, newId } from '@signalman/runtime'
import { sql } from 'kysely'
import type { SubjectChange, SubjectState } from '../../../domain/outages/observe.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { mutesByMaintenance, windowsInForce } from '../maintenance/in-force.ts'
import { REOPEN_MS } from '../rules/card.ts'
import { FLAPPING_WINDOW_MS, STORM_MS } from '../rules/noise.ts'
import { type ChannelView, reconcile, type ToldCard } from '../rules/reconcile.ts'
import { readyWatch } from '../rules/subjects.ts'
import type { Watch, WatchPlace } from '../rules/watch.ts'
import type { WatchCardRow } from './columns.ts'
import { cardOf, muteFrom, outageOf, type ScopeOf, scopeColumns } from './row.ts'
import { saveAndQueueCards } from './save-cards.ts'
import { outagesById, writeSubjects } from './subject-rows.ts'

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
  rows: Rows,
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
  // A process that keeps older states reads them again.
  await updateIn(rows, 'watch_poll', scopeColumns(scope), { states_mark: part.nextStatesVersion })
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
  for (const view of views)
    await saveAndQueueCards(rows, time, view.place, await inTurns(reconcile(view, news, newId)))
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
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  watches: readonly Watch[],
  concerned: Concerned,
): Promise<(ChannelView & { place: WatchPlace })[]> {
  const recent = await recentCards(rows, scope, concerned.at)
  const lastNew = await lastNewInStorms(rows, scope, recent, concerned.at)
  const outages = await outagesOfCards(rows, scope, concerned)
  const links = await linksTo(rows, concerned.outageIds)
  const open = await openOn(rows, concerned.outageIds)
  const told = Map.groupBy(links, (link) => link.channel_id)
  const going = Map.groupBy(
    links.filter(({ ended_at }) => ended_at === null),
    (link) => link.card_id,
  )
  const found = await rowsIn(rows, 'watch_mute', scopeColumns(scope)).execute()
  const mutes = Map.groupBy(found.map(muteFrom), ({ channelId }) => channelId)
  const maintenance = await windowsInForce(rows, time, scope)
  const tellingOf = (row: WatchCardRow): ToldCard => {
    const among = new Set(going.get(row.id)?.map(({ outage_id }) => outage_id))
    return {
      card: cardOf(row),
      outages: outages.get(row.id) ?? [],
      open: among,
      openElse: (open.get(row.id) ?? 0) - among.size,
      lastNewAt: lastNew.get(row.id),
    }
  }
  const cards = Map.groupBy(recent, (row) => row.channel_id)
  const byChannel = Map.groupBy(watches, ({ channelId }) => channelId)
  return [...byChannel].map(([channelId, own]) => ({
    place: { ...scope, channelId, enterpriseId: own[0]?.enterpriseId },
    watches: own.map(readyWatch),
    mutes: [...(mutes.get(channelId) ?? []), ...mutesByMaintenance(maintenance, channelId)],
    told: new Set(told.get(channelId)?.map(({ outage_id }) => outage_id)),
    cards: (cards.get(channelId) ?? []).map(tellingOf),
  }))
}

const recentCards = (rows: Rows, scope: ScopeOf, at: Date): Promise<WatchCardRow[]> => {
  const since = new Date(at.getTime() - REOPEN_MS).toISOString()
  return rowsIn(rows, 'watch_card', scopeColumns(scope))
    .where('kind', 'not in', ['blind', 'digest', 'maintenance'])
    .where((row) => row.or([row('closed_at', 'is', null), row('closed_at', '>=', since)]))
    .execute()
}

/** Card → its outages of these checks that are open or of the last hour, oldest first. */
async function outagesOfCards(
  rows: Rows,
  { workspaceId, environment }: ScopeOf,
  { at, uuids }: Concerned,
): Promise<Map<string, Outage[]>> {
  const since = new Date(at.getTime() - FLAPPING_WINDOW_MS).toISOString()
  const found: { cardId: string; outage: Outage }[] = []
  for (const some of chunksOf(uuids, AT_ONCE)) {
    const page = await rows
      .selectFrom('watch_outage')
      .innerJoin('watch_card_outage', 'watch_card_outage.outage_id', 'watch_outage.id')
      .selectAll('watch_outage')
      .select('watch_card_outage.card_id')
      .where((row) => row.and({ workspace_id: workspaceId, environment }))
      .where('watch_outage.uuid', 'in', some)
      .where((row) => row.or([row('ended_at', 'is', null), row('ended_at', '>=', since)]))
      .orderBy('watch_outage.started_at')
      .execute()
    found.push(...page.map((row) => ({ cardId: row.card_id, outage: outageOf(row) })))
  }
  const byCard = Map.groupBy(found, ({ cardId }) => cardId)
  return new Map([...byCard].map(([id, own]) => [id, own.map(({ outage }) => outage)]))
}

/** Which cards tell of these outages, and where. */
async function linksTo(rows: Rows, outageIds: readonly string[]) {
  const all = []
  for (const some of chunksOf(outageIds, AT_ONCE))
    all.push(
      await rows
        .selectFrom('watch_card_outage')
        .innerJoin('watch_card', 'watch_card.id', 'watch_card_outage.card_id')
        .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
        .select(['card_id', 'outage_id', 'channel_id', 'ended_at'])
        .where('outage_id', 'in', some)
        .execute(),
    )
  return all.flat()
}

/** For every card of one of these outages, how many of its outages go on. They are counted, not read: a storm has many. */
async function openOn(rows: Rows, outageIds: readonly string[]): Promise<Map<string, number>> {
  const open = new Map<string, number>()
  for (const some of chunksOf(outageIds, AT_ONCE)) {
    const concerned = rows.selectFrom('watch_card_outage').select('card_id').where('outage_id', 'in', some)
    const counts = await rows
      .selectFrom('watch_card_outage')
      .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
      .select(['card_id', (row) => row.fn.countAll().as('many')])
      .where('ended_at', 'is', null)
      .where('card_id', 'in', concerned)
      .groupBy('card_id')
      .execute()
    for (const { card_id, many } of counts) open.set(card_id, Number(many))
  }
  return open
}

/** Card of a storm that may take something up → when the last check fell that was new to it. */
async function lastNewInStorms(
  rows: Rows,
  { workspaceId, environment }: ScopeOf,
  cards: readonly WatchCardRow[],
  at: Date,
): Promise<Map<string, Date>> {
  const since = new Date(at.getTime() - STORM_MS).toISOString()
  const found = new Map<string, Date>()
  for (const { id, kind, opened_at } of cards) {
    if (kind !== 'storm' || opened_at < since) continue
    // From the newest outage on, the first that fits is the answer: most outages of a large storm are never looked at.
    const { rows: last } = await sql<{ started_at: string }>`select started_at from watch_outage as fallen
      where workspace_id = ${workspaceId} and environment = ${environment}
        and exists (select 1 from watch_card_outage as link
          where link.card_id = ${id} and link.outage_id = fallen.id)
        and not exists (select 1 from watch_outage as earlier
          join watch_card_outage as link on link.outage_id = earlier.id
          where link.card_id = ${id} and earlier.workspace_id = fallen.workspace_id
            and earlier.environment = fallen.environment and earlier.uuid = fallen.uuid
            and earlier.status = fallen.status and earlier.started_at < fallen.started_at)
      order by started_at desc limit 1`.execute(rows)
    if (last[0]) found.set(id, new Date(last[0].started_at))
  }
  return found
}
