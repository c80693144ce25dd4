import { type Rows, selectRows } from '@signalman/durable'
import { runInSlices } from '@signalman/runtime'
import type { Alert, OutageCard, WatchedOutage } from '../rules/alert.ts'
import { postKey } from '../rules/card.ts'
import { type ChannelState, RELAPSE_MS } from '../rules/decide.ts'
import { sortedInSlices } from '../rules/slices.ts'
import type { WatchChannel } from '../rules/watch.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { ALERT, CARD, ESCALATION, OUTAGE, REMOVAL, WATCH_CLOCK_TIMES, type WatchCardRow } from './columns.ts'
import { PAGE_SIZE, readPages, readPagesById } from './pages.ts'
import { scopeColumns, toWatchChannel, type WatchScope } from './row.ts'

/** The stored state of a channel in one environment. */
export interface StoredChannel
  extends Pick<ChannelState, 'alerts' | 'cards' | 'reminderOutageIds' | 'escalations'> {
  readonly channel: WatchChannel | undefined
  /** Outages that have ended but still have an open alert. */
  readonly endedOutages: readonly WatchedOutage[]
}

export const EMPTY_CHANNEL: StoredChannel = {
  channel: undefined,
  alerts: [],
  cards: [],
  reminderOutageIds: new Set(),
  escalations: [],
  endedOutages: [],
}

interface ReadOptions {
  /** Only these channels; undefined: all channels of the environment. */
  readonly channelIds: readonly string[] | undefined
  /** The environment's open outages. */
  readonly open: readonly WatchedOutage[]
}

/** Reads the stored state of an environment's channels, by channel ID. */
export async function readStoredChannels(
  rows: Rows,
  scope: WatchScope,
  now: Moment,
  { channelIds, open }: ReadOptions,
): Promise<ReadonlyMap<string, StoredChannel>> {
  const alerts = await readAlerts(rows, scope, now, channelIds)
  const cards = await readCards(rows, scope, alerts, channelIds)
  const openIds = new Set(open.map(({ outage }) => outage.id))
  const ended = await readEndedOutages(
    rows,
    alerts.flatMap(({ alert: { removal, outageId } }) =>
      removal || openIds.has(outageId) ? [] : [outageId],
    ),
  )
  const unsettledPosts = await readUnsettledPosts(rows, scope.workspaceId)
  const listedByReminder = await readReminderOutages(rows, cards)
  const cardsByChannel = Map.groupBy(cards, (row) => row.channel_id)
  const alertsByChannel = Map.groupBy(alerts, ({ channelId }) => channelId)
  const escalationsByChannel = Map.groupBy(
    await readEscalations(rows, scope, channelIds),
    ({ channelId }) => channelId,
  )
  const channels = new Map<string, StoredChannel>()
  for (const channelId of new Set([...cardsByChannel.keys(), ...alertsByChannel.keys()])) {
    const channelAlerts = (alertsByChannel.get(channelId) ?? []).map(({ alert }) => alert)
    const channelCards = cardsByChannel.get(channelId) ?? []
    channels.set(channelId, {
      channel: channelCards[0] ? toWatchChannel(channelCards[0]) : { ...scope, channelId },
      alerts: channelAlerts,
      cards: channelCards.map((row) => toOutageCard(row, unsettledPosts.has(postKey(row.id, 'card')))),
      reminderOutageIds: new Set(channelCards.flatMap(({ id }) => listedByReminder.get(id) ?? [])),
      escalations: (escalationsByChannel.get(channelId) ?? []).map(({ escalation }) => escalation),
      endedOutages: channelAlerts.flatMap(({ outageId, removal }) =>
        removal ? [] : (ended.get(outageId) ?? []),
      ),
    })
  }
  return channels
}

type StoredAlert = Awaited<ReturnType<typeof readAlerts>>[number]

/** Alerts that are open, were closed recently, or aren't on a posted card; oldest first. */
async function readAlerts(
  rows: Rows,
  scope: WatchScope,
  { at, clockMs }: Moment,
  channelIds: readonly string[] | undefined,
) {
  const relapseCutoff = new Date(at.getTime() - RELAPSE_MS).toISOString()
  const inScope = selectRows(rows, 'watch_alert', scopeColumns(scope))
  const unposted = selectRows(rows, 'watch_card', scopeColumns(scope))
    .clearSelect()
    .select('id')
    .where('kind', '=', 'outage')
    .where('ts', 'is', null)
    .where('shown_version', '=', 0)
  const query = (channelIds ? inScope.where('channel_id', 'in', channelIds) : inScope)
    .where((alert) =>
      alert.or([
        alert('removed_at', 'is', null),
        alert.and([
          alert('removed_at', '>', relapseCutoff),
          alert('removed_clock_ms', '>', clockMs - RELAPSE_MS),
        ]),
        alert('card_id', 'in', unposted),
        alert('card_id', 'is', null),
      ]),
    )
    .orderBy('outage_id')
    .orderBy('channel_id')
    .limit(PAGE_SIZE)
  const pages = readPages(query, ({ outage_id, channel_id }) =>
    query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('outage_id', 'channel_id'), '>', tuple(outage_id, channel_id)),
    ),
  )
  const found: { readonly channelId: string; readonly alert: Alert }[] = []
  for await (const page of pages)
    for (const row of page) found.push({ channelId: row.channel_id, alert: toAlert(row) })
  return runInSlices(
    sortedInSlices(
      found,
      ({ alert: left }, { alert: right }) =>
        left.listedClockMs - right.listedClockMs || (left.outageId < right.outageId ? -1 : 1),
    ),
  )
}

function toAlert(row: ReturnType<typeof ALERT.toRow> & ReturnType<typeof REMOVAL.toRow>): Alert {
  const { removalReason: reason, removedAt: at, removedClockMs: clockMs = 0 } = REMOVAL.parse(row)
  return { ...ALERT.parse(row), removal: reason && at && { reason, at, clockMs } }
}

/** Open cards, and the cards of the alerts; oldest first. */
async function readCards(
  rows: Rows,
  scope: WatchScope,
  alerts: readonly StoredAlert[],
  channelIds: readonly string[] | undefined,
): Promise<WatchCardRow[]> {
  const open = selectRows(rows, 'watch_card', scopeColumns(scope))
    .where('kind', 'in', ['outage', 'reminder'])
    .where('closed_at', 'is', null)
  const found = await (channelIds ? open.where('channel_id', 'in', channelIds) : open).execute()
  const foundIds = new Set(found.map(({ id }) => id))
  const missing = new Set(
    alerts.flatMap(({ alert: { cardId } }) => cardId ?? []).filter((id) => !foundIds.has(id)),
  )
  const byId = (ids: readonly string[]) =>
    rows.selectFrom('watch_card').selectAll().where('id', 'in', ids).execute()
  for await (const page of readPagesById([...missing], byId)) found.push(...page)
  return found.sort(
    (left, right) => left.opened_clock_ms - right.opened_clock_ms || (left.id < right.id ? -1 : 1),
  )
}

function toOutageCard(row: WatchCardRow, isUnsettled: boolean): OutageCard {
  const { id, kind, reason, openedAt, openedClockMs, listedCount, closedAt, nextCall } = CARD.parse(row)
  return {
    id,
    listedCount,
    closedAt,
    nextCall,
    at: openedAt,
    clockMs: openedClockMs,
    kind: kind === 'reminder' ? 'reminder' : 'outage',
    // Cast: a card that lists outages is only posted for one of these reasons.
    reason: reason as OutageCard['reason'],
    version: row.version,
    shownVersion: row.shown_version,
    isUnposted: row.ts === null && row.shown_version === 0 && !isUnsettled,
  }
}

async function readEndedOutages(
  rows: Rows,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WatchedOutage>> {
  const found = new Map<string, WatchedOutage>()
  const byId = (batch: readonly string[]) =>
    rows.selectFrom('watch_outage').selectAll().where('id', 'in', batch).execute()
  for await (const page of readPagesById([...new Set(ids)], byId))
    for (const row of page) {
      const outage = OUTAGE.parse(row)
      found.set(row.id, { outage, badPolls: outage.badPolls, ...WATCH_CLOCK_TIMES.parse(row) })
    }
  return found
}

/** The IDs of the outages that each reminder lists, by card ID. */
async function readReminderOutages(
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
    .limit(PAGE_SIZE)
  const pages = readPages(query, ({ card_id, outage_id }) =>
    query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('card_id', 'outage_id'), '>', tuple(card_id, outage_id)),
    ),
  )
  for await (const page of pages)
    for (const { card_id, outage_id } of page) {
      const listed = found.get(card_id) ?? []
      listed.push(outage_id)
      found.set(card_id, listed)
    }
  return found
}

/** The escalations of open outages. */
async function readEscalations(rows: Rows, scope: WatchScope, channelIds: readonly string[] | undefined) {
  const inScope = selectRows(rows, 'watch_escalation', scopeColumns(scope))
  const open = selectRows(rows, 'watch_outage', { ...scopeColumns(scope), ended_at: null })
  const query = (channelIds ? inScope.where('channel_id', 'in', channelIds) : inScope)
    .where('outage_id', 'in', open.clearSelect().select('id'))
    .orderBy('outage_id')
    .orderBy('watch_id')
    .limit(PAGE_SIZE)
  const pages = readPages(query, ({ outage_id, watch_id }) =>
    query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('outage_id', 'watch_id'), '>', tuple(outage_id, watch_id)),
    ),
  )
  const found: { readonly channelId: string; readonly escalation: ReturnType<typeof ESCALATION.parse> }[] = []
  for await (const page of pages)
    for (const row of page) found.push({ channelId: row.channel_id, escalation: ESCALATION.parse(row) })
  return found
}

/** Keys of posts with an unknown outcome: they may be in Slack. */
const readUnsettledPosts = async (rows: Rows, workspaceId: string): Promise<ReadonlySet<string>> =>
  new Set(
    (await selectRows(rows, 'post_attempt', { workspace_id: workspaceId }).execute()).map(({ key }) => key),
  )
