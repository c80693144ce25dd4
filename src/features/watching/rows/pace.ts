import { type DatabaseTime, type Rows, readTime, rowsIn, upsertIn } from '@signalman/durable'
import type { PACE } from './columns.ts'
import type { ChannelOf } from './row.ts'

type PaceRow = ReturnType<typeof PACE.row>

/** Slack limits each of its methods separately. */
export type SlackMethod = 'post' | 'edit'

/** One message a second in a channel (Slack: "1 per second per channel"), with room for a late clock. */
const CHANNEL_MS = 1050
/**
 * A workspace may send 50 at once, and then one each 400 ms: at most 200 in any minute. Edits leave half of the 50 to what is
 * posted first.
 */
const STEP_MS = 400
const AT_ONCE: Readonly<Record<SlackMethod, number>> = { post: 50, edit: 25 }

/** Counts the message and returns 0 when it may be sent now; else returns how many ms to wait. */
export async function takeTurn(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, channelId, method }: ChannelOf & { method: SlackMethod },
): Promise<number> {
  const paces = rowsIn(rows, 'watch_pace', { workspace_id: workspaceId })
  const found = await paces.where('channel_id', 'in', [channelId, '']).execute()
  const now = (await readTime(rows, time)).getTime()
  const own = found.find((row) => row.channel_id === channelId)
  const shared = found.find((row) => row.channel_id === '')
  /** What is left of a wait; nothing of one that is longer than any is given: the clock was set back since. */
  const leftMs = (until: string | null | undefined, mostMs: number): number => {
    const ms = until ? Date.parse(until) - now : 0
    return ms > mostMs ? 0 : Math.max(0, ms)
  }
  const usedMs = leftMs(shared?.next_at, AT_ONCE.post * STEP_MS)
  const waitMs = Math.max(
    leftMs(own?.next_at, CHANNEL_MS),
    pauseLeftMs(shared, method, now),
    usedMs - (AT_ONCE[method] - 1) * STEP_MS,
  )
  if (waitMs > 0) return waitMs
  const at = (ms: number) => new Date(now + ms).toISOString()
  const of = (channel_id: string) => ({ workspace_id: workspaceId, channel_id })
  await upsert(rows, of(channelId), { next_at: at(CHANNEL_MS) })
  await upsert(rows, of(''), { next_at: at(usedMs + STEP_MS) })
  return 0
}

/** What is left of the pause that Slack asked for; nothing of one that has yet to begin: the clock was set back since. */
function pauseLeftMs(shared: PaceRow | undefined, method: SlackMethod, now: number): number {
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

/** Stops this method in the workspace for `ms`. */
export async function holdBack(
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
