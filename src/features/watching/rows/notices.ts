import { type DatabaseTime, deleteIn, type Rows, readTime, rowsIn, updateIn } from '@signalman/durable'
import { MINUTE_MS, newId } from '@signalman/runtime'
import { sql } from 'kysely'
import { type CardKind, type CardState, type DigestPeriod, type Meanwhile, postKey } from '../rules/card.ts'
import type { WatchPlace } from '../rules/watch.ts'
import type { WatchCardRow } from './columns.ts'
import { pollOf, watchesIn } from './poll-rows.ts'
import { channelColumns, type ScopeOf, scopeColumns, watchPlaceOf } from './row.ts'
import { newCardRow } from './save-decision.ts'
import { momentIn } from './update-channels.ts'
import { scheduleDelivery } from './watch-work.ts'

/** A notice about the same that was over for less than this is opened again. */
const AGAIN_MS = 30 * MINUTE_MS

const BUMPED = { version: sql<number>`version + 1` }

/** Messages about a channel itself, and not about its checks: the service can't be reached, maintenance, and the daily summary. */
async function post(
  rows: Rows,
  time: DatabaseTime,
  place: WatchPlace,
  kind: CardKind,
  state: Partial<CardState> = {},
): Promise<void> {
  const { at, seen: openedSeen } = await momentIn(rows, time, place)
  const card = { id: newId(), kind, openedAt: at, changedAt: at, openedSeen, lines: 0, ...state }
  await rows.insertInto('watch_card').values(newCardRow(place, card)).execute()
  await scheduleDelivery(rows, time, place)
}

async function edit(
  rows: Rows,
  time: DatabaseTime,
  row: WatchCardRow,
  changed: Partial<WatchCardRow>,
): Promise<void> {
  const changed_at = (await readTime(rows, time)).toISOString()
  await updateIn(rows, 'watch_card', { id: row.id }, { changed_at, ...changed, ...BUMPED })
  await scheduleDelivery(rows, time, watchPlaceOf(row))
}

/** In each channel of the environment, or in one: the service can't be reached, and why as of now. */
export async function showBlindness(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  channelId?: string,
): Promise<void> {
  const poll = await pollOf(rows, scope)
  if (!poll?.isBlind) return
  const at = await readTime(rows, time)
  const since = (poll.lastOkAt ?? poll.failingSince ?? at).toISOString()
  const reason = poll.failure ?? 'unreachable'
  const watches = (await watchesIn(rows, scope)).filter((one) => !channelId || one.channelId === channelId)
  const recently = new Date(at.getTime() - AGAIN_MS).toISOString()
  for (const place of new Map(watches.map((watch) => [watch.channelId, watch])).values()) {
    const known = await rowsIn(rows, 'watch_card', { ...channelColumns(place), kind: 'blind' as const })
      .where('unwatched_at', 'is', null)
      .where((card) => card.or([card('closed_at', 'is', null), card('closed_at', '>=', recently)]))
      .orderBy('changed_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (known && known.closed_at === null && known.reason === reason) continue
    const changed = { opened_at: since, reason, closed_at: null, meanwhile: null }
    if (known) await edit(rows, time, known, changed)
    else await post(rows, time, place, 'blind', { openedAt: new Date(since), reason })
  }
}

/** Each card that says that the service can't be reached says that this is over, and what changed meanwhile. */
export async function endBlindness(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  meanwhile: Meanwhile,
): Promise<void> {
  const blind = { ...scopeColumns(scope), kind: 'blind', closed_at: null } as const
  const closed_at = (await readTime(rows, time)).toISOString()
  for (const row of await rowsIn(rows, 'watch_card', blind).execute())
    await edit(rows, time, row, { closed_at, meanwhile: JSON.stringify(meanwhile) })
}

/** A channel that watches nothing any more: its notices are not kept up to date from now on. */
export async function closeNotices(rows: Rows, time: DatabaseTime, place: WatchPlace): Promise<void> {
  const left = await rowsIn(rows, 'watch', channelColumns(place)).limit(1).executeTakeFirst()
  if (left) return
  const now = (await readTime(rows, time)).toISOString()
  const open = rowsIn(rows, 'watch_card', { ...channelColumns(place), closed_at: null })
  for (const row of await open.where('kind', 'in', ['blind', 'maintenance']).execute())
    await edit(rows, time, row, { closed_at: now, unwatched_at: now })
}

/** One card for each window, also if it was about something else for a time. The end of one that was never announced isn't posted. */
export async function showMaintenance(
  rows: Rows,
  time: DatabaseTime,
  place: WatchPlace,
  { id, isOver }: { id: string; isOver: boolean },
): Promise<void> {
  const own = await rowsIn(rows, 'watch_card', { ...channelColumns(place), maintenance_id: id })
    .where('unwatched_at', 'is', null)
    .orderBy('opened_at')
    .execute()
  const known = own.find(({ closed_at }) => closed_at === null) ?? (isOver ? undefined : own.at(-1))
  const closed_at = isOver ? (await readTime(rows, time)).toISOString() : null
  if (known) await edit(rows, time, known, { closed_at })
  else if (!isOver) await post(rows, time, place, 'maintenance', { maintenanceId: id })
}

/** It is posted like any other card, and never changes. */
export async function postDigest(
  rows: Rows,
  time: DatabaseTime,
  place: WatchPlace,
  period: DigestPeriod,
): Promise<void> {
  const to = new Date(period.to)
  // Of several that nobody was sent, the last is enough.
  const unsent = { ...channelColumns(place), kind: 'digest', ts: null } as const
  const old = await rowsIn(rows, 'watch_card', unsent).whereRef('shown_version', '<', 'version').execute()
  await post(rows, time, place, 'digest', { openedAt: to, changedAt: to, closedAt: to, period })
  for (const row of old) await dropUnlessUnsure(rows, row)
}

async function dropUnlessUnsure(rows: Rows, row: WatchCardRow): Promise<void> {
  const key = postKey(row.id, 'card')
  const attempt = rowsIn(rows, 'post_attempt', { workspace_id: row.workspace_id, key })
  if (!(await attempt.executeTakeFirst())) await deleteIn(rows, 'watch_card', { id: row.id })
}
