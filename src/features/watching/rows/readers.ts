import { type Rows, selectRows } from '@signalman/durable'
import type { Silence } from '../rules/silence.ts'
import type { Watch, WatchScope } from '../rules/watch.ts'
import { POLL, SCOPE, SILENCE, WATCH } from './columns.ts'

// What deciding reads, apart from the stores that decide again after a change.

export function toWatch(row: ReturnType<typeof WATCH.toRow>): Watch {
  const { pausedAt: at, pauseReason: reason = 'refused', ...watch } = WATCH.parse(row)
  return { ...watch, paused: at && { at, reason } }
}

/** Includes paused watches. */
export const readWatches = async (rows: Rows, scope: WatchScope): Promise<Watch[]> =>
  (await selectRows(rows, 'watch', SCOPE.toRow(scope)).execute()).map(toWatch)

export async function readPoll(rows: Rows, scope: WatchScope) {
  const row = await selectRows(rows, 'watch_poll', SCOPE.toRow(scope)).executeTakeFirst()
  return row && POLL.parse(row)
}

export const toSilence = (row: ReturnType<typeof SILENCE.toRow>): Silence => ({
  ...SILENCE.parse(row),
  channelId: row.channel_id || undefined,
})

/** The silences that weren't ended and have a window now or later. */
export async function readOpenSilences(
  rows: Rows,
  scope: Partial<WatchScope>,
  now: Date,
): Promise<Silence[]> {
  const found = await selectRows(
    rows,
    'watch_silence',
    { ended_at: null },
    { workspace_id: scope.workspaceId, environment: scope.environment },
  )
    .where((row) => row.or([row('every', 'is not', null), row('to_at', '>', now.toISOString())]))
    .orderBy('from_at')
    .orderBy('id')
    .execute()
  return found.map(toSilence)
}
