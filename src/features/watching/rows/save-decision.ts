import { type DatabaseTime, type Rows, schedule, unschedule, updateRows } from '@signalman/durable'
import type { CardState } from '../rules/card.ts'
import type { Decision } from '../rules/decide.ts'
import type { WatchChannel } from '../rules/watch.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { CARDS, ON_CALL, WATCH_CHANNEL, type WatchCardRow } from './columns.ts'
import { saveLines } from './incidents.ts'
import { inBatches } from './pages.ts'
import { scopeColumns, type WatchScope } from './row.ts'
import { scheduleDelivery, WATCH_WORK } from './watch-work.ts'

/** Prevents a busy loop if the clock has stopped. */
const MIN_WAIT_MS = 1000

interface SaveOptions {
  readonly now: Moment
  /** The known channels, by ID. */
  readonly targets: ReadonlyMap<string, WatchChannel>
  /** Look-ups before paging aren't scheduled, because the caller makes them. */
  readonly looksUp: boolean
}

/** Saves what `decide` returned, and schedules messages, look-ups, and the next update. Returns whether anything changed. */
export async function saveDecision(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  decision: Decision,
  { now, targets, looksUp }: SaveOptions,
): Promise<boolean> {
  const {
    incidents,
    lines,
    deletedLines,
    messages,
    deletedMessageIds,
    caughtUpChannelIds,
    duePages,
    wakeInMs,
  } = decision
  const channelOf = (channelId: string): WatchChannel => targets.get(channelId) ?? { ...scope, channelId }
  for (const { id, paged } of incidents) {
    const { paged: changed } = ON_CALL.toRow({ paged })
    await updateRows(rows, 'incident', { id }, { paged: changed })
  }
  // A page in an admin's direct messages belongs to the environment of the channel that it is about.
  const enterpriseId = [...targets.values()][0]?.enterpriseId
  for (const { isNew, version, ...message } of messages) {
    const {
      at: openedAt,
      clockMs: openedClockMs,
      attempted: _attempted,
      shownVersion: _shown,
      ...card
    } = message
    const channel = { enterpriseId, ...channelOf(card.channelId) }
    if (isNew)
      await insertCard(rows, channel, { ...card, openedAt, openedClockMs, changedAt: now.at }, version)
    else {
      const row = newCardRow(channel, { ...card, openedAt, openedClockMs, changedAt: now.at }, version)
      const { reason, content, moved, unwatched_count, next_page, page, closed_at, changed_at } = row
      const changes = {
        reason,
        content,
        moved,
        unwatched_count,
        next_page,
        page,
        closed_at,
        changed_at,
        version,
      }
      await updateRows(rows, 'watch_card', { id: card.id }, changes)
    }
  }
  await saveLines(rows, scope, lines)
  const deletedByChannel = Map.groupBy(deletedLines, ({ channelId }) => channelId)
  for (const [channelId, deleted] of deletedByChannel)
    for await (const batch of inBatches(deleted.map(({ incidentId }) => incidentId)))
      await rows
        .deleteFrom('incident_line')
        .where('incident_id', 'in', batch)
        .where('channel_id', '=', channelId)
        .execute()
  for await (const batch of inBatches(deletedMessageIds))
    await rows.deleteFrom('watch_card').where('id', 'in', batch).execute()
  for (const channelId of caughtUpChannelIds)
    await updateRows(rows, 'watch', { ...scopeColumns(scope), channel_id: channelId }, { is_resumed: 0 })
  for (const channelId of new Set(messages.map((message) => message.channelId)))
    await scheduleDelivery(rows, time, channelOf(channelId))
  const { workspaceId, environment: key } = scope
  if (duePages.length > 0 && !looksUp) await schedule(rows, time, { workspaceId, kind: WATCH_WORK.page, key })
  await scheduleUpdate(rows, time, scope, wakeInMs, now)
  return [incidents, lines, deletedLines, messages, deletedMessageIds, caughtUpChannelIds].some(
    (list) => list.length > 0,
  )
}

/** Replaces the environment's timer. */
async function scheduleUpdate(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, environment: key }: WatchScope,
  ms: number | undefined,
  { at }: Moment,
): Promise<void> {
  const work = { workspaceId, kind: WATCH_WORK.update, key }
  if (ms === undefined) await unschedule(rows, work)
  else await schedule(rows, time, work, new Date(at.getTime() + Math.max(MIN_WAIT_MS, ms)))
}

type NewCardState = Pick<CardState, 'id' | 'kind' | 'openedAt' | 'changedAt'> &
  Partial<Omit<CardState, 'environment' | 'channelId'>> & { openedClockMs: number }

export async function insertCard(
  rows: Rows,
  channel: WatchChannel,
  card: NewCardState,
  version = 1,
): Promise<void> {
  await rows
    .insertInto('watch_card')
    .values(newCardRow(channel, card, version))
    .execute()
}

/** The row of a card that hasn't been sent yet. */
const newCardRow = (channel: WatchChannel, card: NewCardState, version: number): WatchCardRow =>
  CARDS.toRow({
    content: '',
    moved: {},
    unwatchedCount: 0,
    ...card,
    ...WATCH_CHANNEL.parse(WATCH_CHANNEL.toRow(channel)),
    version,
    shownVersion: 0,
  })
