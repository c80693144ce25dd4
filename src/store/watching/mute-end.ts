import type { Kysely } from 'kysely'
import { isMutedBy, muteMatcher } from '../../domain/watching/subjects.ts'
import type { Mute } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { redrawMuted } from './redraw.ts'
import { channelWatches, stillDown } from './still-down.ts'
import { tellStillDown } from './tell-still-down.ts'

/** Deletes a mute that is over, and tells what it silenced and is still down. Else returns in how many ms it ends, if ever. */
export async function endMute(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  mute: Mute,
  now: Date,
): Promise<number | undefined> {
  if (!mute.until) return undefined
  if (mute.until > now) return mute.until.getTime() - now.getTime()
  await rows.deleteFrom('watch_mute').where('id', '=', mute.id).execute()
  const silenced = (await stillDown(rows, mute)).filter(({ outage }) => isMutedBy(mute.about, outage.check))
  await tellStillDown(rows, time, mute, silenced, { reason: 'mute-ended', at: now })
  await redrawMuted(rows, time, mute)
  return undefined
}

/** Whether the channel of these mutes is told anything once all of them have ended. */
export async function doesEndTell(rows: Kysely<Schema>, mutes: readonly Mute[], now: Date): Promise<boolean> {
  const [first] = mutes
  if (!first) return false
  // One paused watch holds back all messages of its channel.
  if ((await channelWatches(rows, first)).some(({ watch }) => watch.paused)) return false
  const wasMuted = mutes.map(({ about }) => muteMatcher(about))
  const ids = new Set(mutes.map(({ id }) => id))
  // Another may be over, too, and about to be deleted.
  const down = await stillDown(
    rows,
    first,
    ({ id, until }) => ids.has(id) || (until !== undefined && until <= now),
  )
  return down.some(({ outage }) => wasMuted.some((fits) => fits(outage.check)))
}
