import {
  type DatabaseTime,
  deleteRows,
  type Rows,
  readTime,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { MINUTE_MS, newId } from '@signalman/runtime'
import { sql } from 'kysely'
import {
  type CardKind,
  type CardState,
  type DigestPeriod,
  type MissedChanges,
  postKey,
} from '../rules/card.ts'
import type { WatchChannel } from '../rules/watch.ts'
import type { WatchCardRow } from './columns.ts'
import { readPoll, readWatches } from './poll-rows.ts'
import { channelColumns, scopeColumns, toWatchChannel, type WatchScope } from './row.ts'
import { newCardRow } from './save-decision.ts'
import { readNow } from './update-channels.ts'
import { scheduleDelivery } from './watch-work.ts'

/** A notice that was closed less than this ago is reopened, instead of posting a new one. */
const REOPEN_MS = 30 * MINUTE_MS

const NEXT_VERSION = { version: sql<number>`version + 1` }

/** Posts a card that isn't about outages: the service can't be reached, maintenance, or a daily summary. */
async function postNotice(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  kind: CardKind,
  state: Partial<CardState> = {},
): Promise<void> {
  const { at, clockMs: openedClockMs } = await readNow(rows, time, channel)
  const card = { id: newId(), kind, openedAt: at, changedAt: at, openedClockMs, listedCount: 0, ...state }
  await rows.insertInto('watch_card').values(newCardRow(channel, card)).execute()
  await scheduleDelivery(rows, time, channel)
}

async function editNotice(
  rows: Rows,
  time: DatabaseTime,
  row: WatchCardRow,
  changes: Partial<WatchCardRow>,
): Promise<void> {
  const changed_at = (await readTime(rows, time)).toISOString()
  await updateRows(rows, 'watch_card', { id: row.id }, { changed_at, ...changes, ...NEXT_VERSION })
  await scheduleDelivery(rows, time, toWatchChannel(row))
}

/**
 * If the service can't be reached, posts or updates a card that says why, in each channel of the environment or only in
 * `channelId`.
 */
export async function postUnreachableNotices(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  channelId?: string,
): Promise<void> {
  const poll = await readPoll(rows, scope)
  if (!poll?.isFailureReported) return
  const at = await readTime(rows, time)
  const since = (poll.lastOkAt ?? poll.failingSince ?? at).toISOString()
  const reason = poll.failure ?? 'unreachable'
  const watches = (await readWatches(rows, scope)).filter(
    (watch) => !channelId || watch.channelId === channelId,
  )
  const reopenableSince = new Date(at.getTime() - REOPEN_MS).toISOString()
  for (const channel of new Map(watches.map((watch) => [watch.channelId, watch])).values()) {
    const existing = await selectRows(rows, 'watch_card', {
      ...channelColumns(channel),
      kind: 'blind' as const,
    })
      .where('unwatched_at', 'is', null)
      .where((card) => card.or([card('closed_at', 'is', null), card('closed_at', '>=', reopenableSince)]))
      .orderBy('changed_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (existing && existing.closed_at === null && existing.reason === reason) continue
    const changes = { opened_at: since, reason, closed_at: null, missed_changes: null }
    if (existing) await editNotice(rows, time, existing, changes)
    else await postNotice(rows, time, channel, 'blind', { openedAt: new Date(since), reason })
  }
}

/** Closes the cards of `postUnreachableNotices`. They then show what changed in the meantime. */
export async function closeUnreachableNotices(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  missedChanges: MissedChanges,
): Promise<void> {
  const openBlindCards = { ...scopeColumns(scope), kind: 'blind', closed_at: null } as const
  const closed_at = (await readTime(rows, time)).toISOString()
  for (const row of await selectRows(rows, 'watch_card', openBlindCards).execute())
    await editNotice(rows, time, row, { closed_at, missed_changes: JSON.stringify(missedChanges) })
}

/** Closes a channel's notices if it has no watches left. */
export async function closeNotices(rows: Rows, time: DatabaseTime, channel: WatchChannel): Promise<void> {
  const remaining = await selectRows(rows, 'watch', channelColumns(channel)).limit(1).executeTakeFirst()
  if (remaining) return
  const now = (await readTime(rows, time)).toISOString()
  const open = selectRows(rows, 'watch_card', { ...channelColumns(channel), closed_at: null })
  for (const row of await open.where('kind', 'in', ['blind', 'maintenance']).execute())
    await editNotice(rows, time, row, { closed_at: now, unwatched_at: now })
}

/** Posts or updates a maintenance window's card in a channel. If the window was never announced, its end isn't posted. */
export async function showMaintenance(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  { id, isOver }: { id: string; isOver: boolean },
): Promise<void> {
  const cards = await selectRows(rows, 'watch_card', { ...channelColumns(channel), maintenance_id: id })
    .where('unwatched_at', 'is', null)
    .orderBy('opened_at')
    .execute()
  // A closed card is reopened if the maintenance affects the channel again.
  const existing = cards.find(({ closed_at }) => closed_at === null) ?? (isOver ? undefined : cards.at(-1))
  const closed_at = isOver ? (await readTime(rows, time)).toISOString() : null
  if (existing) await editNotice(rows, time, existing, { closed_at })
  else if (!isOver) await postNotice(rows, time, channel, 'maintenance', { maintenanceId: id })
}

/** Posts a daily summary, which never changes. */
export async function postDigest(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  period: DigestPeriod,
): Promise<void> {
  const to = new Date(period.to)
  // If earlier summaries are still unsent, only this one is sent.
  const unsent = { ...channelColumns(channel), kind: 'digest', ts: null } as const
  const unsentCards = await selectRows(rows, 'watch_card', unsent)
    .whereRef('shown_version', '<', 'version')
    .execute()
  await postNotice(rows, time, channel, 'digest', { openedAt: to, changedAt: to, closedAt: to, period })
  for (const row of unsentCards) await deleteIfNeverSent(rows, row)
}

/** Deletes a card, unless it may be in Slack because the outcome of posting it is unknown. */
async function deleteIfNeverSent(rows: Rows, row: WatchCardRow): Promise<void> {
  const key = postKey(row.id, 'card')
  const attempt = selectRows(rows, 'post_attempt', { workspace_id: row.workspace_id, key })
  if (!(await attempt.executeTakeFirst())) await deleteRows(rows, 'watch_card', { id: row.id })
}
