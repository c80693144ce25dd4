import { type Rows, selectRows } from '@signalman/durable'
import { GIVE_UP_AFTER_MS } from '../../../bot/posts/post-once.ts'
import type { Span } from '../../../domain/outages/outage.ts'
import type { ChannelAccess } from '../rules/channel-access.ts'
import type { Silence } from '../rules/silence.ts'
import type { Watch, WatchScope } from '../rules/watch.ts'
import { CHANNEL, POLL, type PostRow, SCOPE, SILENCE, WATCH } from './columns.ts'

// What deciding reads, apart from the stores that decide again after a change.

/** Includes those of paused channels. */
export const readWatches = async (rows: Rows, scope: WatchScope): Promise<Watch[]> =>
  (await selectRows(rows, 'watch', SCOPE.toRow(scope)).execute()).map(WATCH.parse)

/** Only the channels that are paused, or in which an admin agreed to post, have a row. */
export async function readChannel(
  rows: Rows,
  workspaceId: string,
  channelId: string,
): Promise<ChannelAccess> {
  const where = { workspace_id: workspaceId, channel_id: channelId }
  const row = await selectRows(rows, 'watch_channel', where).executeTakeFirst()
  return row ? toAccess(CHANNEL.parse(row)) : {}
}

export async function readChannels(
  rows: Rows,
  workspaceId: string,
): Promise<(channelId: string) => ChannelAccess> {
  const found = await selectRows(rows, 'watch_channel', { workspace_id: workspaceId }).execute()
  const byId = new Map(found.map(CHANNEL.parse).map((row) => [row.channelId, toAccess(row)]))
  return (channelId) => byId.get(channelId) ?? {}
}

const toAccess = ({
  pausedAt: at,
  pauseReason: reason = 'refused',
  agreedOutsideAt,
}: ReturnType<typeof CHANNEL.parse>): ChannelAccess => ({ paused: at && { at, reason }, agreedOutsideAt })

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

/** Those that were ended, or were over, in a period. */
export async function readEndedSilences(
  rows: Rows,
  scope: WatchScope,
  { from, to }: Span,
): Promise<Silence[]> {
  const [since, until] = [from.toISOString(), to.toISOString()]
  const found = await selectRows(rows, 'watch_silence', SCOPE.toRow(scope))
    .where((row) =>
      row.or([
        row('ended_at', '>', since),
        row.and([row('ended_at', 'is', null), row('every', 'is', null), row('to_at', '>', since)]),
      ]),
    )
    .where((row) => row.or([row('ended_at', 'is not', null), row('to_at', '<=', until)]))
    .execute()
  return found.map(toSilence)
}

/** How long it's too early to tell whether a message was posted. A time too far away means that the clock was set back. */
export function getUnsettledMs({ ts, recheck_at }: PostRow, at: Date): number {
  const ms = ts === null && recheck_at !== null ? Date.parse(recheck_at) - at.getTime() : 0
  return ms > GIVE_UP_AFTER_MS ? 0 : Math.max(0, ms)
}
