import { type Rows, rowsIn } from '@signalman/durable'
import { inTurns } from '@signalman/runtime'
import type { Alert, OutageCard, WatchedOutage } from '../rules/alert.ts'
import { postKey } from '../rules/card.ts'
import { AGAIN_MS, type Place } from '../rules/decide.ts'
import { sortedInSlices } from '../rules/slices.ts'
import type { WatchPlace } from '../rules/watch.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { ALERT, CARD, ESCALATION, LEFT, OUTAGE, SEEN, type WatchCardRow } from './columns.ts'
import { PAGE, pagesById, pagesOf } from './pages.ts'
import { type ScopeOf, scopeColumns, watchPlaceOf } from './row.ts'

/** What is stored about a channel in one environment. */
export interface KnownChannel extends Pick<Place, 'alerts' | 'cards' | 'reminded' | 'escalations'> {
  readonly place: WatchPlace | undefined
  /** Outages of these alerts that are over. */
  readonly ended: readonly WatchedOutage[]
}

export const NOTHING_KNOWN: KnownChannel = {
  ...{ place: undefined, alerts: [], cards: [], escalations: [], ended: [] },
  reminded: new Set(),
}

interface Asked {
  /** Only these channels; all of the environment unless given. */
  readonly only: readonly string[] | undefined
  readonly open: readonly WatchedOutage[]
}

/** What is stored about the channels of an environment, by channel. */
export async function readKnownChannels(
  rows: Rows,
  scope: ScopeOf,
  now: Moment,
  { only, open }: Asked,
): Promise<ReadonlyMap<string, KnownChannel>> {
  const alerts = await readAlerts(rows, scope, now, only)
  const cards = await readCards(rows, scope, alerts, only)
  const isOpen = new Set(open.map(({ outage }) => outage.id))
  const ended = await readEnded(
    rows,
    alerts.flatMap(({ alert: { left, outageId } }) => (left || isOpen.has(outageId) ? [] : [outageId])),
  )
  const isUnsure = await unsurePosts(rows, scope.workspaceId)
  const reminded = await readReminded(rows, cards)
  const ofCards = Map.groupBy(cards, (row) => row.channel_id)
  const ofAlerts = Map.groupBy(alerts, ({ channelId }) => channelId)
  const ofSteps = Map.groupBy(await readEscalations(rows, scope, only), ({ channelId }) => channelId)
  const known = new Map<string, KnownChannel>()
  for (const channelId of new Set([...ofCards.keys(), ...ofAlerts.keys()])) {
    const own = (ofAlerts.get(channelId) ?? []).map(({ alert }) => alert)
    const stored = ofCards.get(channelId) ?? []
    known.set(channelId, {
      place: stored[0] ? watchPlaceOf(stored[0]) : { ...scope, channelId },
      alerts: own,
      cards: stored.map((row) => outageCard(row, isUnsure.has(postKey(row.id, 'card')))),
      reminded: new Set(stored.flatMap(({ id }) => reminded.get(id) ?? [])),
      escalations: (ofSteps.get(channelId) ?? []).map(({ escalation }) => escalation),
      ended: own.flatMap(({ outageId, left }) => (left ? [] : (ended.get(outageId) ?? []))),
    })
  }
  return known
}

type ReadAlert = Awaited<ReturnType<typeof readAlerts>>[number]

/** Alerts that are not over, that left a short while ago, or that no message has listed yet; oldest first. */
async function readAlerts(
  rows: Rows,
  scope: ScopeOf,
  { at, seen }: Moment,
  only: readonly string[] | undefined,
) {
  const recently = new Date(at.getTime() - AGAIN_MS).toISOString()
  const inScope = rowsIn(rows, 'watch_alert', scopeColumns(scope))
  const unposted = rowsIn(rows, 'watch_card', scopeColumns(scope))
    .clearSelect()
    .select('id')
    .where('kind', '=', 'outage')
    .where('ts', 'is', null)
    .where('shown_version', '=', 0)
  const query = (only ? inScope.where('channel_id', 'in', only) : inScope)
    .where((alert) =>
      alert.or([
        alert('left_at', 'is', null),
        alert.and([alert('left_at', '>', recently), alert('left_seen', '>', seen - AGAIN_MS)]),
        alert('card_id', 'in', unposted),
        alert('card_id', 'is', null),
      ]),
    )
    .orderBy('outage_id')
    .orderBy('channel_id')
    .limit(PAGE)
  type Row = Awaited<ReturnType<typeof query.execute>>[number]
  const after = ({ outage_id, channel_id }: Row) =>
    query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('outage_id', 'channel_id'), '>', tuple(outage_id, channel_id)),
    )
  const found: { readonly channelId: string; readonly alert: Alert }[] = []
  for await (const page of pagesOf((last: Row | undefined) => (last ? after(last) : query).execute()))
    for (const row of page) found.push({ channelId: row.channel_id, alert: alertOf(row) })
  return inTurns(
    sortedInSlices(
      found,
      ({ alert: one }, { alert: other }) =>
        one.since - other.since || (one.outageId < other.outageId ? -1 : 1),
    ),
  )
}

function alertOf(row: ReturnType<typeof ALERT.row> & ReturnType<typeof LEFT.row>): Alert {
  const { leftWhy: why, leftAt: at, leftSeen: seen = 0 } = LEFT.of(row)
  return { ...ALERT.of(row), left: why && at && { why, at, seen } }
}

/** Cards that are open, and those of the alerts; oldest first. */
async function readCards(
  rows: Rows,
  scope: ScopeOf,
  alerts: readonly ReadAlert[],
  only: readonly string[] | undefined,
): Promise<WatchCardRow[]> {
  const open = rowsIn(rows, 'watch_card', scopeColumns(scope))
    .where('kind', 'in', ['outage', 'reminder'])
    .where('closed_at', 'is', null)
  const found = await (only ? open.where('channel_id', 'in', only) : open).execute()
  const isThere = new Set(found.map(({ id }) => id))
  const missing = new Set(
    alerts.flatMap(({ alert: { cardId } }) => cardId ?? []).filter((id) => !isThere.has(id)),
  )
  const byId = (ids: readonly string[]) =>
    rows.selectFrom('watch_card').selectAll().where('id', 'in', ids).execute()
  for await (const page of pagesById([...missing], byId)) found.push(...page)
  return found.sort((one, other) => one.opened_seen - other.opened_seen || (one.id < other.id ? -1 : 1))
}

function outageCard(row: WatchCardRow, isUnsure: boolean): OutageCard {
  const { id, kind, reason, openedAt, openedSeen, lines, closedAt, nextCall } = CARD.of(row)
  return {
    ...{ id, lines, closedAt, nextCall, at: openedAt, seen: openedSeen },
    kind: kind === 'reminder' ? 'reminder' : 'outage',
    // Of a card that lists outages it is one of these.
    reason: reason as OutageCard['reason'],
    version: row.version,
    shownVersion: row.shown_version,
    isUnposted: row.ts === null && row.shown_version === 0 && !isUnsure,
  }
}

async function readEnded(rows: Rows, ids: readonly string[]): Promise<ReadonlyMap<string, WatchedOutage>> {
  const found = new Map<string, WatchedOutage>()
  const byId = (some: readonly string[]) =>
    rows.selectFrom('watch_outage').selectAll().where('id', 'in', some).execute()
  for await (const page of pagesById([...new Set(ids)], byId))
    for (const row of page) {
      const outage = OUTAGE.of(row)
      found.set(row.id, { outage, bad: outage.badPolls, ...SEEN.of(row) })
    }
  return found
}

/** What reminders list, by card. */
async function readReminded(
  rows: Rows,
  cards: readonly WatchCardRow[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = cards.flatMap(({ id, kind }) => (kind === 'reminder' ? [id] : []))
  const found = new Map<string, string[]>()
  if (ids.length === 0) return found
  const query = rows
    .selectFrom('watch_card_outage')
    .selectAll()
    .where('card_id', 'in', ids)
    .orderBy('card_id')
    .orderBy('outage_id')
    .limit(PAGE)
  type Row = Awaited<ReturnType<typeof query.execute>>[number]
  const after = ({ card_id, outage_id }: Row) =>
    query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('card_id', 'outage_id'), '>', tuple(card_id, outage_id)),
    )
  for await (const page of pagesOf((last: Row | undefined) => (last ? after(last) : query).execute()))
    for (const { card_id, outage_id } of page) {
      const listed = found.get(card_id) ?? []
      listed.push(outage_id)
      found.set(card_id, listed)
    }
  return found
}

/** How far each outage that is not over is escalated. */
async function readEscalations(rows: Rows, scope: ScopeOf, only: readonly string[] | undefined) {
  const inScope = rowsIn(rows, 'watch_escalation', scopeColumns(scope))
  const open = rowsIn(rows, 'watch_outage', { ...scopeColumns(scope), ended_at: null })
  const query = (only ? inScope.where('channel_id', 'in', only) : inScope)
    .where('outage_id', 'in', open.clearSelect().select('id'))
    .orderBy('outage_id')
    .orderBy('watch_id')
    .limit(PAGE)
  type Row = Awaited<ReturnType<typeof query.execute>>[number]
  const after = ({ outage_id, watch_id }: Row) =>
    query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('outage_id', 'watch_id'), '>', tuple(outage_id, watch_id)),
    )
  const found: { readonly channelId: string; readonly escalation: ReturnType<typeof ESCALATION.of> }[] = []
  for await (const page of pagesOf((last: Row | undefined) => (last ? after(last) : query).execute()))
    for (const row of page) found.push({ channelId: row.channel_id, escalation: ESCALATION.of(row) })
  return found
}

/** The keys of posts whose outcome is unknown: Slack may show them. */
const unsurePosts = async (rows: Rows, workspaceId: string): Promise<ReadonlySet<string>> =>
  new Set((await rowsIn(rows, 'post_attempt', { workspace_id: workspaceId }).execute()).map(({ key }) => key))
