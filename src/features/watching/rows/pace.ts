import { type DatabaseTime, type Rows, readTime, selectRows, upsertRow } from '@signalman/durable'
import type { PACE } from './columns.ts'
import type { ChannelKey } from './row.ts'

type PaceRow = ReturnType<typeof PACE.toRow>

/** Slack limits each method separately. */
export type SlackMethod = 'post' | 'edit'

/** One message per second and channel (Slack: "1 per second per channel"), with a margin for clock drift. */
const CHANNEL_INTERVAL_MS = 1050
/**
 * A workspace may send a burst of 50 messages, then one every 400 ms: at most 200 in any minute. Edits use at most half of
 * the burst.
 */
const WORKSPACE_INTERVAL_MS = 400
const BURST: Readonly<Record<SlackMethod, number>> = { post: 50, edit: 25 }

/** Reserves a slot and returns 0 if the message may be sent now. Otherwise returns the milliseconds to wait. */
export async function reserveSendSlot(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, channelId, method }: ChannelKey & { method: SlackMethod },
): Promise<number> {
  const paces = selectRows(rows, 'watch_pace', { workspace_id: workspaceId })
  const found = await paces.where('channel_id', 'in', [channelId, '']).execute()
  const now = (await readTime(rows, time)).getTime()
  const channelPace = found.find((row) => row.channel_id === channelId)
  const workspacePace = found.find((row) => row.channel_id === '')
  /** The time left until `until`. 0 if that is more than `maxMs` away, because then the clock was set back. */
  const getRemainingMs = (until: string | null | undefined, maxMs: number): number => {
    const ms = until ? Date.parse(until) - now : 0
    return ms > maxMs ? 0 : Math.max(0, ms)
  }
  // The time until the whole burst is available again. Each message adds one interval to it.
  const usedMs = getRemainingMs(workspacePace?.next_at, BURST.post * WORKSPACE_INTERVAL_MS)
  const waitMs = Math.max(
    getRemainingMs(channelPace?.next_at, CHANNEL_INTERVAL_MS),
    getPauseRemainingMs(workspacePace, method, now),
    usedMs - (BURST[method] - 1) * WORKSPACE_INTERVAL_MS,
  )
  if (waitMs > 0) return waitMs
  const formatTimeIn = (ms: number) => new Date(now + ms).toISOString()
  await upsertPace(rows, workspaceId, channelId, { next_at: formatTimeIn(CHANNEL_INTERVAL_MS) })
  await upsertPace(rows, workspaceId, '', { next_at: formatTimeIn(usedMs + WORKSPACE_INTERVAL_MS) })
  return 0
}

/**
 * The time left of a pause that Slack asked for. 0 if the pause starts in the future, because then the clock was set back.
 */
function getPauseRemainingMs(workspacePace: PaceRow | undefined, method: SlackMethod, now: number): number {
  const [since, before] =
    method === 'post'
      ? [workspacePace?.no_posts_since, workspacePace?.no_posts_before]
      : [workspacePace?.no_edits_since, workspacePace?.no_edits_before]
  return since && before && Date.parse(since) <= now ? Math.max(0, Date.parse(before) - now) : 0
}

async function upsertPace(
  rows: Rows,
  workspace_id: string,
  channel_id: string,
  set: Partial<PaceRow>,
): Promise<void> {
  const noPauses = {
    no_posts_since: null,
    no_posts_before: null,
    no_edits_since: null,
    no_edits_before: null,
  }
  const row = { workspace_id, channel_id, next_at: null, ...noPauses, ...set }
  await upsertRow(rows, 'watch_pace', ['workspace_id', 'channel_id'], row, set)
}

/** Saves that Slack accepts no calls of this method in the workspace for `ms`. */
export async function saveMethodPause(
  rows: Rows,
  time: DatabaseTime,
  workspaceId: string,
  method: SlackMethod,
  ms: number,
): Promise<void> {
  const since = (await readTime(rows, time)).toISOString()
  const before = new Date(Date.parse(since) + ms).toISOString()
  const set =
    method === 'post'
      ? { no_posts_since: since, no_posts_before: before }
      : { no_edits_since: since, no_edits_before: before }
  await upsertPace(rows, workspaceId, '', set)
}
