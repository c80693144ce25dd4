import {
  type DatabaseTime,
  type Rows,
  readTime,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { sql } from 'kysely'
import type { CardState, MessageKind } from '../rules/card.ts'
import type { WatchChannel } from '../rules/watch.ts'
import type { WatchCardRow } from './columns.ts'
import { channelColumns, toWatchChannel } from './row.ts'
import { insertCard } from './save-decision.ts'
import { readNow } from './update-channels.ts'
import { scheduleDelivery } from './watch-work.ts'

const NEXT_VERSION = { version: sql<number>`version + 1` }

/** Posts a card that isn't about incidents: maintenance. */
async function postNotice(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  kind: MessageKind,
  state: Partial<CardState> = {},
): Promise<void> {
  const { at, clockMs: openedClockMs } = await readNow(rows, time, channel)
  await insertCard(rows, channel, { openedAt: at, changedAt: at, openedClockMs, ...state, id: newId(), kind })
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

/** Closes a channel's notices if it has no watches left. */
export async function closeNotices(rows: Rows, time: DatabaseTime, channel: WatchChannel): Promise<void> {
  const remaining = await selectRows(rows, 'watch', channelColumns(channel)).limit(1).executeTakeFirst()
  if (remaining) return
  const closed_at = (await readTime(rows, time)).toISOString()
  const open = selectRows(rows, 'watch_card', { ...channelColumns(channel), closed_at: null })
  for (const row of await open.where('kind', '=', 'maintenance').execute())
    await editNotice(rows, time, row, { closed_at })
}

/** Posts or updates a maintenance window's card in a channel. If the window was never announced, its end isn't posted. */
export async function showMaintenance(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  { id, isOver }: { id: string; isOver: boolean },
): Promise<void> {
  const cards = await selectRows(rows, 'watch_card', { ...channelColumns(channel), maintenance_id: id })
    .orderBy('opened_at')
    .execute()
  // A closed card is reopened if the maintenance affects the channel again.
  const existing = cards.find(({ closed_at }) => closed_at === null) ?? (isOver ? undefined : cards.at(-1))
  const closed_at = isOver ? (await readTime(rows, time)).toISOString() : null
  if (existing) await editNotice(rows, time, existing, { closed_at })
  else if (!isOver) await postNotice(rows, time, channel, 'maintenance', { maintenanceId: id })
}
