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
/** Slack's longest pause, as `slack-answer.ts` has it. */
const LONGEST_PAUSE_MS = 3_600_000

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
  const paused = method === 'post' ? shared?.no_posts_before : shared?.no_edits_before
  const waitMs = Math.max(
    leftMs(own?.next_at, CHANNEL_MS),
    leftMs(paused, LONGEST_PAUSE_MS),
    usedMs - (AT_ONCE[method] - 1) * STEP_MS,
  )
  if (waitMs > 0) return waitMs
  const at = (ms: number) => new Date(now + ms).toISOString()
  const of = (channel_id: string) => ({ workspace_id: workspaceId, channel_id })
  await upsert(rows, of(channelId), { next_at: at(CHANNEL_MS) })
  // A pause that seemed too long would seem to be one later, when the clock has caught up with it.
  const isOld = (until?: string | null): boolean => Date.parse(until ?? '') - now > LONGEST_PAUSE_MS
  await upsert(rows, of(''), {
    next_at: at(usedMs + STEP_MS),
    ...(isOld(shared?.no_posts_before) && { no_posts_before: null }),
    ...(isOld(shared?.no_edits_before) && { no_edits_before: null }),
  })
  return 0
}

async function upsert(
  rows: Rows,
  key: Pick<PaceRow, 'workspace_id' | 'channel_id'>,
  set: Partial<PaceRow>,
): Promise<void> {
  const row = { ...key, next_at: null, no_posts_before: null, no_edits_before: null, ...set }
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
  const { until } = await rows.selectNoFrom(time(ms).as('until')).executeTakeFirstOrThrow()
  const set = method === 'post' ? { no_posts_before: until } : { no_edits_before: until }
  await upsert(rows, { workspace_id: workspaceId, channel_id: '' }, set)
}
