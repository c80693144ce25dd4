import { type DatabaseTime, type Rows, readTime, rowsIn } from '@signalman/durable'
import { holdsIn, isUnderWay, type ReadySilence, type Silence } from '../rules/silence.ts'
import { subjectMatcher } from '../rules/subjects.ts'
import type { WatchPlace } from '../rules/watch.ts'
import { SILENCE } from './columns.ts'
import type { ScopeOf } from './row.ts'

export const silenceFrom = (row: ReturnType<typeof SILENCE.row>): Silence => ({
  ...SILENCE.of(row),
  channelId: row.channel_id || undefined,
})

/** Those that are not over. */
export const openSilences = (rows: Rows, workspaceId: string) =>
  rowsIn(rows, 'watch_silence', { workspace_id: workspaceId }).where('state', '<>', 'over')

/** What silences the channels of a scope now. */
async function silencesNow(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, environment }: ScopeOf,
): Promise<readonly Silence[]> {
  const found = await openSilences(rows, workspaceId).where('environment', '=', environment).execute()
  if (found.length === 0) return []
  const now = await readTime(rows, time)
  return found.map(silenceFrom).filter((silence) => isUnderWay(silence, now))
}

export const channelSilences = async (rows: Rows, time: DatabaseTime, place: WatchPlace) =>
  (await silencesNow(rows, time, place)).filter((silence) => holdsIn(silence, place.channelId))

/** The same by channel, ready for the deciding part. A silence ends once its row says that it's over. */
export async function readySilences(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
): Promise<(channelId: string) => ReadySilence[]> {
  const ready = (await silencesNow(rows, time, scope)).map((silence) => ({
    silence,
    covers: subjectMatcher(silence.about),
  }))
  return (place) =>
    ready.flatMap(({ silence, covers }) => {
      const { id, environment, channelId, from } = silence
      return holdsIn(silence, place) ? [{ id, environment, channelId, from, begun: true, covers }] : []
    })
}
