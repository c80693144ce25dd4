import { chunksOf, type DatabaseTime, type Rows, readTime, rowsIn, updateIn } from '@signalman/durable'
import { inTurns, newId } from '@signalman/runtime'
import { type Alert, type OutageCard, type WatchedOutage, watchedOutage } from '../rules/alert.ts'
import { postKey } from '../rules/card.ts'
import { AGAIN_MS, decide, inheritedForMs, type Place, type Resume } from '../rules/decide.ts'
import { readyWatch } from '../rules/subjects.ts'
import type { WatchPlace } from '../rules/watch.ts'
import { type Moment, seenAt } from '../rules/watch-clock.ts'
import { ALERT, CARD, ESCALATION, LEFT, OUTAGE, SEEN } from './columns.ts'
import { clockOf, pollOf, watchesIn } from './poll-rows.ts'
import { type ScopeOf, scopeColumns, watchPlaceOf } from './row.ts'
import { saveDecision } from './save-decision.ts'
import { silencesIn } from './silences.ts'
import { goingOn } from './subject-rows.ts'

interface Asked {
  /** Only these channels; all of the environment unless given. */
  readonly channelIds?: readonly string[] | undefined
  readonly resume?: Resume | undefined
}

/**
 * Brings the channels of an environment up to date with what is down, what they watch, and what is silenced: asks what each should
 * show, saves the difference, and schedules the messages, the calls, and when to ask again. Call it in the workspace's turn. Returns
 * whether anything changed.
 */
export async function updateChannels(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  { channelIds, resume }: Asked = {},
): Promise<boolean> {
  const now = await momentIn(rows, time, scope)
  const poll = await pollOf(rows, scope)
  const open = (await goingOn(rows, scope)).map((one) => watchedOutage(one, poll?.polls ?? 0))
  const released = await releaseInherited(rows, open, now)
  // Whoever is released is released in every channel.
  const only = released.size > 0 ? undefined : channelIds
  const outages = open.map((one) => (released.has(one.outage.id) ? withoutPerson(one) : one))
  const watches = Map.groupBy(await watchesIn(rows, scope), ({ channelId }) => channelId)
  const known = await readKnown(rows, scope, now, { only, open: outages })
  const silences = await silencesIn(rows, time, scope)
  let hasChanged = false
  for (const channelId of only ?? new Set([...watches.keys(), ...known.keys()])) {
    const own = watches.get(channelId) ?? []
    const { place: known_, ended, ...stored } = known.get(channelId) ?? NOTHING_KNOWN
    const place = own[0] ?? known_
    if (!place) continue
    const { workspaceId, enterpriseId, environment } = place
    const decision = await inTurns(
      decide(
        {
          ...stored,
          place: { channelId, environment },
          watches: own.map(readyWatch),
          silences: silences(channelId),
          outages: ended.length > 0 ? [...outages, ...ended] : outages,
          isPaused: own.some(({ paused }) => paused !== undefined),
          isBlind: poll?.isBlind ?? false,
          resume,
        },
        now,
        newId,
      ),
    )
    const at = { workspaceId, enterpriseId, environment, channelId }
    if (await saveDecision(rows, time, at, decision, { now, isKnown: known.has(channelId) }))
      hasChanged = true
  }
  return hasChanged
}

/** Now, on both clocks. */
export async function momentIn(rows: Rows, time: DatabaseTime, scope: ScopeOf): Promise<Moment> {
  const at = await readTime(rows, time)
  const poll = await pollOf(rows, scope)
  return { at, seen: poll ? seenAt(clockOf(poll), at) : 0 }
}

function withoutPerson({ outage: { onIt: _, ...outage }, ...one }: WatchedOutage): WatchedOutage {
  return { ...one, outage }
}

/** Whoever was on it before it went down again and has said nothing since is taken off it after ten minutes. Returns from which. */
async function releaseInherited(
  rows: Rows,
  open: readonly WatchedOutage[],
  { seen }: Moment,
): Promise<ReadonlySet<string>> {
  const released = open.filter((one) => (inheritedForMs(one, seen) ?? 1) <= 0).map(({ outage }) => outage.id)
  for (const id of released) {
    await updateIn(rows, 'watch_outage', { id }, { on_it: null })
    // A message that named that person has notified nobody else.
    await updateIn(rows, 'watch_alert', { outage_id: id }, { is_by_edit: 1 })
  }
  return new Set(released)
}

interface Known extends Pick<Place, 'alerts' | 'cards' | 'reminded' | 'escalations'> {
  readonly place: WatchPlace | undefined
  /** Outages of these alerts that are over. */
  readonly ended: readonly WatchedOutage[]
}

const NOTHING_KNOWN: Known = {
  ...{ place: undefined, alerts: [], cards: [], escalations: [], ended: [] },
  reminded: new Set(),
}

const AT_ONCE = 500

/** What is stored about the channels of an environment, by channel. */
async function readKnown(
  rows: Rows,
  scope: ScopeOf,
  { at, seen }: Moment,
  { only, open }: { only: readonly string[] | undefined; open: readonly WatchedOutage[] },
): Promise<ReadonlyMap<string, Known>> {
  const recently = new Date(at.getTime() - AGAIN_MS).toISOString()
  const inScope = scopeColumns(scope)
  let asked = rowsIn(rows, 'watch_alert', inScope)
  let askedCards = rowsIn(rows, 'watch_card', inScope)
    .where('kind', 'in', ['outage', 'reminder'])
    .where('closed_at', 'is', null)
  let askedSteps = rowsIn(rows, 'watch_escalation', inScope)
  if (only) {
    asked = asked.where('channel_id', 'in', only)
    askedCards = askedCards.where('channel_id', 'in', only)
    askedSteps = askedSteps.where('channel_id', 'in', only)
  }
  const unposted = rowsIn(rows, 'watch_card', inScope)
    .clearSelect()
    .select('id')
    .where('kind', '=', 'outage')
    .where('ts', 'is', null)
    .where('shown_version', '=', 0)
  const alerts = await asked
    .where((alert) =>
      alert.or([
        alert('left_at', 'is', null),
        alert.and([alert('left_at', '>', recently), alert('left_seen', '>', seen - AGAIN_MS)]),
        alert('card_id', 'in', unposted),
        alert('card_id', 'is', null),
      ]),
    )
    .orderBy('since_seen')
    .orderBy('outage_id')
    .execute()
  const standing = await askedCards.execute()
  const there = new Set(standing.map(({ id }) => id))
  const missing = [
    ...new Set(alerts.flatMap(({ card_id: id }) => (id !== null && !there.has(id) ? [id] : []))),
  ]
  for (const some of chunksOf(missing, AT_ONCE))
    standing.push(...(await rows.selectFrom('watch_card').selectAll().where('id', 'in', some).execute()))
  standing.sort((one, other) => one.opened_seen - other.opened_seen || (one.id < other.id ? -1 : 1))
  const isUnsure = await unsurePosts(rows, scope.workspaceId)
  const openIds = new Set(open.map(({ outage }) => outage.id))
  const over = alerts.filter((one) => one.left_at === null && !openIds.has(one.outage_id))
  const ended = new Map<string, WatchedOutage>()
  for (const some of chunksOf([...new Set(over.map((one) => one.outage_id))], AT_ONCE))
    for (const row of await rows.selectFrom('watch_outage').selectAll().where('id', 'in', some).execute()) {
      const outage = OUTAGE.of(row)
      ended.set(row.id, { outage, bad: outage.badPolls, ...SEEN.of(row) })
    }
  const steps = (await askedSteps.execute()).filter((one) => openIds.has(one.outage_id))
  const reminders = standing.filter(({ kind }) => kind === 'reminder').map(({ id }) => id)
  const reminded =
    reminders.length > 0
      ? await rows.selectFrom('watch_card_outage').selectAll().where('card_id', 'in', reminders).execute()
      : []
  const ofCards = Map.groupBy(standing, (row) => row.channel_id)
  const ofAlerts = Map.groupBy(alerts, (row) => row.channel_id)
  const ofSteps = Map.groupBy(steps, (row) => row.channel_id)
  const known = new Map<string, Known>()
  for (const channelId of new Set([...ofCards.keys(), ...ofAlerts.keys()])) {
    const cards = ofCards.get(channelId) ?? []
    const own = ofAlerts.get(channelId) ?? []
    const ids = new Set(cards.map(({ id }) => id))
    known.set(channelId, {
      place: cards[0] ? watchPlaceOf(cards[0]) : { ...scope, channelId },
      alerts: own.map(alertOf),
      cards: cards.map((row): OutageCard => {
        const { id, kind, reason, openedAt, openedSeen, lines, closedAt, nextCall } = CARD.of(row)
        return {
          ...{ id, lines, closedAt, nextCall, at: openedAt, seen: openedSeen },
          kind: kind === 'reminder' ? 'reminder' : 'outage',
          // Of a card that lists outages it is one of these.
          reason: reason as OutageCard['reason'],
          version: row.version,
          shownVersion: row.shown_version,
          isUnposted: row.ts === null && row.shown_version === 0 && !isUnsure.has(postKey(id, 'card')),
        }
      }),
      reminded: new Set(reminded.flatMap((one) => (ids.has(one.card_id) ? [one.outage_id] : []))),
      escalations: (ofSteps.get(channelId) ?? []).map(ESCALATION.of),
      ended: own.flatMap(({ outage_id: id, left_at }) => (left_at === null ? (ended.get(id) ?? []) : [])),
    })
  }
  return known
}

function alertOf(row: ReturnType<typeof ALERT.row> & ReturnType<typeof LEFT.row>): Alert {
  const { leftWhy: why, leftAt: at, leftSeen: seen = 0 } = LEFT.of(row)
  return { ...ALERT.of(row), left: why && at && { why, at, seen } }
}

/** The keys of posts whose outcome is unknown: Slack may show them. */
const unsurePosts = async (rows: Rows, workspaceId: string): Promise<ReadonlySet<string>> =>
  new Set((await rowsIn(rows, 'post_attempt', { workspace_id: workspaceId }).execute()).map(({ key }) => key))
