import { type DatabaseTime, type Rows, readTime, selectRows } from '@signalman/durable'
import type { ChannelState } from '../rules/environment-state.ts'
import { subjectMatcher } from '../rules/matching.ts'
import { appliesIn, isRunning, type Silence } from '../rules/silence.ts'
import type { WatchChannel } from '../rules/watch.ts'
import { SILENCE } from './columns.ts'
import type { WatchScope } from './row.ts'

export function toSilence(row: ReturnType<typeof SILENCE.toRow>): Silence {
  const { subjectKey: _, ...silence } = SILENCE.parse(row)
  return { ...silence, channelId: row.channel_id || undefined }
}

/** Silences that aren't over. */
export const selectOpenSilences = (rows: Rows, workspaceId: string) =>
  selectRows(rows, 'watch_silence', { workspace_id: workspaceId }).where('state', '<>', 'over')

/** Reads the silences that are running in a scope. */
async function readRunningSilences(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, environment }: WatchScope,
): Promise<readonly Silence[]> {
  const found = await selectOpenSilences(rows, workspaceId).where('environment', '=', environment).execute()
  if (found.length === 0) return []
  const now = await readTime(rows, time)
  return found.map(toSilence).filter((silence) => isRunning(silence, now))
}

export const readChannelSilences = async (rows: Rows, time: DatabaseTime, channel: WatchChannel) =>
  (await readRunningSilences(rows, time, channel)).filter((silence) => appliesIn(silence, channel.channelId))

/**
 * Reads the running silences for `decide`, and returns a function that lists what those of a channel cover. A silence ends when its
 * row says so, not by the clock.
 */
export async function readCoverage(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
): Promise<(channelId: string) => ChannelState['silences']> {
  const prepared = (await readRunningSilences(rows, time, scope)).map((silence) => ({
    silence,
    covers: subjectMatcher(silence.subject),
  }))
  return (channel) => prepared.flatMap(({ silence, covers }) => (appliesIn(silence, channel) ? [covers] : []))
}
