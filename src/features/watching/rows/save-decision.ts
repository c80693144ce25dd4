import {
  type DatabaseTime,
  deleteRows,
  type Rows,
  schedule,
  unschedule,
  updateRows,
} from '@signalman/durable'
import { sql } from 'kysely'
import type { Alert } from '../rules/alert.ts'
import type { CardState } from '../rules/card.ts'
import type { Decision } from '../rules/decide.ts'
import type { WatchChannel } from '../rules/watch.ts'
import { watchChannelKey } from '../rules/watch.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { ALERTS, CALL, CARD, ESCALATIONS, WATCH_CHANNEL, type WatchCardRow } from './columns.ts'
import { inBatches } from './pages.ts'
import { scheduleDelivery, scheduleFirstProbes, WATCH_WORK } from './watch-work.ts'

/** Prevents a busy loop if the clock has stopped. */
const MIN_WAIT_MS = 1000

/**
 * Saves what `decide` returned for a channel, and schedules messages, pages, and the next update. `isStored` is true if the channel
 * already has cards or alerts, so it may have a timer to replace. Returns whether anything changed.
 */
export async function saveDecision(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  decision: Decision,
  { now, isStored }: { now: Moment; isStored: boolean },
): Promise<boolean> {
  const {
    cards,
    deletedCardIds,
    cardOutages,
    alerts,
    deletedAlertIds,
    escalations,
    calls,
    baselines,
    wakeInMs,
  } = decision
  for (const { watchId: id, baseline } of baselines)
    await updateRows(rows, 'watch', { id }, { baseline: JSON.stringify(baseline) })
  // Leaves out what only delivery writes: `isUnposted` and `shownVersion`.
  for (const { isNew, isUnposted: _unposted, at, clockMs, shownVersion: _shown, version, ...card } of cards) {
    const state = { ...card, openedAt: at, openedClockMs: clockMs, changedAt: now.at }
    if (isNew)
      await rows
        .insertInto('watch_card')
        .values(newCardRow(channel, state, version))
        .execute()
    else {
      const { reason, next_call, lines: listed, closed_at, changed_at } = cardColumns(channel, state)
      const changes = { reason, next_call, lines: listed, closed_at, changed_at, version }
      await updateRows(rows, 'watch_card', { id: card.id }, changes)
    }
  }
  await saveCardOutages(rows, cardOutages)
  await saveAlerts(rows, channel, alerts)
  for await (const batch of inBatches(deletedAlertIds))
    await rows
      .deleteFrom('watch_alert')
      .where('outage_id', 'in', batch)
      .where('channel_id', '=', channel.channelId)
      .execute()
  for (const id of deletedCardIds) await deleteRows(rows, 'watch_card', { id })
  await saveEscalations(rows, channel, escalations)
  const { workspaceId } = channel
  for (const { id, ...call } of calls) {
    await rows
      .insertInto('watch_call')
      .values(CALL.toRow({ ...channel, id, ...call, madeAt: now.at }))
      .execute()
    await schedule(rows, time, { workspaceId, kind: WATCH_WORK.call, key: id })
  }
  if (cards.length > 0) {
    await scheduleDelivery(rows, time, channel)
    await scheduleFirstProbes(rows, time, workspaceId, cardOutages)
  }
  if (isStored || wakeInMs !== undefined) await scheduleUpdate(rows, time, channel, wakeInMs, now)
  return [cards, deletedCardIds, alerts, deletedAlertIds, escalations, calls].some((list) => list.length > 0)
}

/** Replaces the channel's timer. */
async function scheduleUpdate(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  ms: number | undefined,
  { at }: Moment,
): Promise<void> {
  const work = {
    workspaceId: channel.workspaceId,
    kind: WATCH_WORK.updateChannel,
    key: watchChannelKey(channel),
  }
  if (ms === undefined) await unschedule(rows, work)
  else await schedule(rows, time, work, new Date(at.getTime() + Math.max(MIN_WAIT_MS, ms)))
}

async function saveCardOutages(rows: Rows, cardOutages: Decision['cardOutages']): Promise<void> {
  for await (const batch of inBatches(cardOutages))
    await rows
      .insertInto('watch_card_outage')
      .values(batch.map(({ cardId, outageId }) => ({ card_id: cardId, outage_id: outageId })))
      .onConflict((conflict) => conflict.columns(['card_id', 'outage_id']).doNothing())
      .execute()
}

async function saveAlerts(rows: Rows, channel: WatchChannel, alerts: readonly Alert[]): Promise<void> {
  const { workspaceId, environment, channelId } = channel
  for await (const batch of inBatches(alerts))
    await rows
      .insertInto('watch_alert')
      .values(
        batch.map(({ removal, ...alert }) =>
          ALERTS.toRow({
            workspaceId,
            environment,
            channelId,
            ...alert,
            removalReason: removal?.reason,
            removedAt: removal?.at,
            removedClockMs: removal?.clockMs,
          }),
        ),
      )
      .onConflict((conflict) => conflict.columns(ALERT_KEY).doUpdateSet(OVERWRITE_ALERT))
      .execute()
}

async function saveEscalations(
  rows: Rows,
  channel: WatchChannel,
  escalations: Decision['escalations'],
): Promise<void> {
  for await (const batch of inBatches(escalations))
    await rows
      .insertInto('watch_escalation')
      .values(batch.map((escalation) => ESCALATIONS.toRow({ ...channel, ...escalation })))
      .onConflict((conflict) => conflict.columns(ESCALATION_KEY).doUpdateSet(OVERWRITE_ESCALATION))
      .execute()
}

/** On conflict, overwrites every column except the key with the new row's values. */
const overwriteColumns = (names: readonly string[], key: readonly string[]) =>
  Object.fromEntries(
    names.filter((name) => !key.includes(name)).map((name) => [name, sql.ref(`excluded.${name}`)]),
  )

const ALERT_KEY = ['outage_id', 'channel_id'] as const
const OVERWRITE_ALERT = overwriteColumns(ALERTS.names, ALERT_KEY)
const ESCALATION_KEY = ['outage_id', 'watch_id'] as const
const OVERWRITE_ESCALATION = overwriteColumns(ESCALATIONS.names, ESCALATION_KEY)

type NewCardState = Omit<CardState, 'environment' | 'channelId'> & {
  openedClockMs: number
  listedCount: number
}

const cardColumns = ({ environment, channelId }: WatchChannel, card: NewCardState) =>
  CARD.toRow({ ...card, environment, channelId })

/** The row of a card that hasn't been sent yet. */
export const newCardRow = (channel: WatchChannel, card: NewCardState, version = 1): WatchCardRow => ({
  ...cardColumns(channel, card),
  ...WATCH_CHANNEL.toRow(channel),
  version,
  shown_version: 0,
  shown_at: null,
  ts: null,
  details_ts: null,
  // A new card has no pending reply in its thread.
  details_version: version,
  recheck_at: null,
})
