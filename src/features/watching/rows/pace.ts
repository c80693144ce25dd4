import { type DatabaseTime, type Rows, readTime, rowsIn, upsertIn } from '@signalman/durable'
import type { PACE } from './columns.ts'
import type { ChannelKey } from './row.ts'

type PaceRow = ReturnType<typeof PACE.row>

/** Slack limits each method separately. */
export type SlackMethod = 'post' | 'edit'

/** One message per second and channel (Slack: "1 per second per channel"), with a margin for clock drift. */
const CHANNEL_MS = 1050
/** A workspace may send 50 messages at once, then one every 400 ms: at most 200 in any minute. Edits use at most half of the 50. */
const STEP_MS = 400
const AT_ONCE: Readonly<Record<SlackMethod, number>> = { post: 50, edit: 25 }

/** Counts the message and returns 0 if it may be sent now; otherwise returns the milliseconds to wait. */
export async function takeTurn(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, channelId, method }: ChannelKey & { method: SlackMethod },
): Promise<number> {
  const paces = rowsIn(rows, 'watch_pace', { workspace_id: workspaceId })
  const found = await paces.where('channel_id', 'in', [channelId, '']).execute()
  const now = (await readTime(rows, time)).getTime()
  const own = found.find((row) => row.channel_id === channelId)
  const shared = found.find((row) => row.channel_id === '')
  /** The rest of a wait. Ignores waits that are too long, which means that the clock was set back. */
  const leftMs = (until: string | null | undefined, mostMs: number): number => {
    const ms = until ? Date.parse(until) - now : 0
    return ms > mostMs ? 0 : Math.max(0, ms)
  }
  const usedMs = leftMs(shared?.next_at, AT_ONCE.post * STEP_MS)
  const waitMs = Math.max(
    leftMs(own?.next_at, CHANNEL_MS),
    getPauseLeftMs(shared, method, now),
    usedMs - (AT_ONCE[method] - 1) * STEP_MS,
  )
  if (waitMs > 0) return waitMs
  const at = (ms: number) => new Date(now + ms).toISOString()
  const of = (channel_id: string) => ({ workspace_id: workspaceId, channel_id })
  await upsert(rows, of(channelId), { next_at: at(CHANNEL_MS) })
  await upsert(rows, of(''), { next_at: at(usedMs + STEP_MS) })
  return 0
}

/** The rest of a pause that Slack asked for. Ignores pauses in the future, which means that the clock was set back. */
function getPauseLeftMs(shared: PaceRow | undefined, method: SlackMethod, now: number): number {
  const [since, before] =
    method === 'post'
      ? [shared?.no_posts_since, shared?.no_posts_before]
      : [shared?.no_edits_since, shared?.no_edits_before]
  return since && before && Date.parse(since) <= now ? Math.max(0, Date.parse(before) - now) : 0
}

async function upsert(
  rows: Rows,
  key: Pick<PaceRow, 'workspace_id' | 'channel_id'>,
  set: Partial<PaceRow>,
): Promise<void> {
  const never = { no_posts_since: null, no_posts_before: null, no_edits_since: null, no_edits_before: null }
  const row = { ...key, next_at: null, ...never, ...set }
  await upsertIn(rows, 'watch_pace', ['workspace_id', 'channel_id'], row, set)
}

/** Pauses this method in the workspace for `ms`. */
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
  await upsert(rows, { workspace_id: workspaceId, channel_id: '' }, set)
}
