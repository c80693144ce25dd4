import { type DatabaseTime, type Rows, readTime, selectRows, updateRows } from '@signalman/durable'
import { newId, runInSlices } from '@signalman/runtime'
import { postKey } from '../rules/card.ts'
import { decide } from '../rules/decide.ts'
import { type ChannelState, type Reach, SPACING_MS } from '../rules/environment-state.ts'
import type { Incident, IncidentMessage, Line } from '../rules/incident.ts'
import { prepareWatch } from '../rules/matching.ts'
import type { DuePage } from '../rules/paging/responders.ts'
import type { WatchChannel } from '../rules/watch.ts'
import { type Moment, readWatchClock } from '../rules/watch-clock.ts'
import { CARDS, type WatchCardRow } from './columns.ts'
import { readIncidentsById, readOpenIncidents, toLine } from './incidents.ts'
import { PAGE_SIZE, readPages } from './pages.ts'
import { type Poll, readPoll, readWatches, toWatchClock } from './poll-rows.ts'
import { scopeColumns, toWatchChannel, type WatchScope } from './row.ts'
import { saveDecision } from './save-decision.ts'
import { readCoverage } from './silences.ts'

interface UpdateOptions {
  /** A paused channel in which a message tests whether it accepts messages again. */
  readonly retriedChannelId?: string | undefined
  /** Whom Slack can notify. Without it, nobody is paged. */
  readonly reach?: Reach | undefined
  /** The caller looks up whoever may be due a page, so that nothing has to be scheduled for it. */
  readonly looksUp?: boolean
}

/**
 * Updates an environment: decides what each channel should show and who is paged, saves the changes, and schedules messages and
 * the next update. Call it while holding `watchingLock`. Returns who to look up before paging.
 */
export async function updateChannels(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  { retriedChannelId, reach, looksUp = false }: UpdateOptions = {},
): Promise<readonly DuePage[]> {
  const poll = await readPoll(rows, scope)
  const now = toMoment(poll, await readTime(rows, time))
  const watches = await readWatches(rows, scope)
  const { channels: storedChannels, ...stored } = await readStored(rows, scope, now)
  const findSilences = await readCoverage(rows, time, scope)
  const watchesByChannel = Map.groupBy(watches, ({ channelId }) => channelId)
  const channelIds = new Set([...watchesByChannel.keys(), ...stored.lines.map(({ channelId }) => channelId)])
  const channels = [...channelIds].sort().map((channelId): ChannelState => {
    const channelWatches = watchesByChannel.get(channelId) ?? []
    return {
      channelId,
      watches: channelWatches.map(prepareWatch),
      silences: findSilences(channelId),
      isPaused: channelWatches.some(({ paused }) => paused !== undefined),
      isResumed: channelWatches.some(({ isResumed }) => isResumed),
      isRetried: channelId === retriedChannelId,
    }
  })
  const groups = new Map(watches.flatMap((watch) => Object.entries(watch.groups ?? {})))
  const decision = await runInSlices(
    decide(
      { channels, poll: poll?.polls ?? 0, failingSince: poll?.failingSince, ...stored, groups, reach },
      now,
      newId,
    ),
  )
  const targets = new Map<string, WatchChannel>(storedChannels)
  for (const watch of watches) targets.set(watch.channelId, watch)
  const hasChanged = await saveDecision(rows, time, scope, decision, { now, targets, looksUp })
  if (hasChanged && poll && now.clockMs > poll.clockMs)
    await updateRows(rows, 'watch_poll', scopeColumns(scope), {
      clock_ms: now.clockMs,
      clock_saved_at: now.at.toISOString(),
    })
  return decision.duePages
}

/** Reads the current time on the wall clock and the watch clock. */
export async function readNow(rows: Rows, time: DatabaseTime, scope: WatchScope): Promise<Moment> {
  return toMoment(await readPoll(rows, scope), await readTime(rows, time))
}

export const toMoment = (poll: Poll | undefined, at: Date): Moment => ({
  at,
  clockMs: poll ? readWatchClock(toWatchClock(poll), at) : 0,
})

interface Stored {
  readonly incidents: readonly Incident[]
  readonly lines: readonly Line[]
  /** Oldest first. */
  readonly messages: readonly IncidentMessage[]
  readonly channels: ReadonlyMap<string, WatchChannel>
}

/** Reads what isn't over, and what spacing and pending messages depend on. */
async function readStored(rows: Rows, scope: WatchScope, now: Moment): Promise<Stored> {
  const open = await readOpenIncidents(rows, scope)
  const cards = await readMessages(rows, scope, now)
  const lines = await readLines(rows, scope)
  const openIds = new Set(open.map(({ id }) => id))
  const others = [
    ...lines.map(({ incidentId }) => incidentId),
    ...cards.flatMap(({ page }) => CARDS.columns.page.read(page)?.incidentIds ?? []),
  ].filter((id) => !openIds.has(id))
  const unsettled = cards.length > 0 ? await readUnsettledPosts(rows, scope.workspaceId) : new Set<string>()
  return {
    incidents: [...open, ...(await readIncidentsById(rows, others))],
    lines,
    messages: cards.map((row) => toMessage(row, unsettled.has(postKey(row.id)))),
    channels: new Map(cards.map((row) => [row.channel_id, toWatchChannel(row)])),
  }
}

/** Messages that aren't over, weren't sent yet, or were sent recently; oldest first. */
async function readMessages(rows: Rows, scope: WatchScope, now: Moment): Promise<WatchCardRow[]> {
  const recent = new Date(now.at.getTime() - SPACING_MS).toISOString()
  const found = await selectRows(rows, 'watch_card', scopeColumns(scope))
    .where('kind', 'in', ['card', 'page'])
    .where((card) =>
      card.or([
        card('closed_at', 'is', null),
        card('shown_version', '=', 0),
        card.and([card('kind', '=', 'card'), card('attempted_at', '>', recent)]),
        card.and([card('kind', '=', 'card'), card('attempted_clock_ms', '>', now.clockMs - SPACING_MS)]),
      ]),
    )
    .execute()
  return found.sort(
    (left, right) =>
      left.opened_clock_ms - right.opened_clock_ms ||
      left.opened_at.localeCompare(right.opened_at) ||
      left.id.localeCompare(right.id),
  )
}

/** The lines of open incidents, those on cards that aren't over, and those of which the channel still has to be told. */
async function readLines(rows: Rows, scope: WatchScope): Promise<Line[]> {
  const openCards = selectRows(rows, 'watch_card', { ...scopeColumns(scope), closed_at: null })
    .clearSelect()
    .select('id')
  const openIncidents = selectRows(rows, 'incident', { ...scopeColumns(scope), closed_at: null })
    .clearSelect()
    .select('id')
  const query = selectRows(rows, 'incident_line', scopeColumns(scope))
    .where((line) =>
      line.or([
        line('card_id', 'is', null),
        line('card_id', 'in', openCards),
        line('incident_id', 'in', openIncidents),
      ]),
    )
    .orderBy('incident_id')
    .orderBy('channel_id')
    .limit(PAGE_SIZE)
  const pages = readPages(query, ({ incident_id, channel_id }) =>
    query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('incident_id', 'channel_id'), '>', tuple(incident_id, channel_id)),
    ),
  )
  const found: Line[] = []
  for await (const page of pages) for (const row of page) found.push(toLine(row))
  return found
}

function toMessage(row: WatchCardRow, isUnsettled: boolean): IncidentMessage {
  const { openedAt, openedClockMs, attemptedAt, attemptedClockMs = 0, kind, ...card } = CARDS.parse(row)
  // A look-up that finds no message settles the post, so that the card counts as never sent.
  const isInSlack = card.shownVersion > 0 || isUnsettled
  return {
    id: card.id,
    channelId: card.channelId,
    kind: kind === 'page' ? 'page' : 'card',
    reason: card.reason,
    at: openedAt,
    clockMs: openedClockMs,
    attempted: isInSlack ? { at: attemptedAt ?? openedAt, clockMs: attemptedClockMs } : undefined,
    version: card.version,
    shownVersion: card.shownVersion,
    content: card.content,
    moved: card.moved,
    unwatchedCount: card.unwatchedCount,
    nextPage: card.nextPage,
    page: card.page,
    closedAt: card.closedAt,
  }
}

/** Keys of posts with an unknown outcome: they may be in Slack. */
const readUnsettledPosts = async (rows: Rows, workspaceId: string): Promise<ReadonlySet<string>> =>
  new Set(
    (await selectRows(rows, 'post_attempt', { workspace_id: workspaceId }).execute()).map(({ key }) => key),
  )
