import type { Kysely } from 'kysely'
import { type DueOutage, dueOutage, isMuted } from '../../domain/watching/due.ts'
import { eachInSlices } from '../../domain/watching/slices.ts'
import { type ReadyWatch, readyWatch } from '../../domain/watching/subjects.ts'
import type { Mute, WatchPlace } from '../../domain/watching/watch.ts'
import { inTurns } from '../../turns.ts'
import type { Schema } from '../database/schema.ts'
import { muteFrom, watchOf } from './row.ts'
import { outagesById, statesOf } from './subject-rows.ts'

/**
 * The outages that go on, are watched in a channel and not muted there, whether they were told or not, and also those that were
 * there when a watch began. Paused watches count too, but not the mutes of which `isOver` is true.
 */
export async function stillDown(
  rows: Kysely<Schema>,
  place: WatchPlace,
  isOver: (mute: Mute) => boolean = () => false,
): Promise<DueOutage[]> {
  const row = await rows
    .selectFrom('watch_poll')
    .select('polls')
    .where('workspace_id', '=', place.workspaceId)
    .where('environment', '=', place.environment)
    .executeTakeFirst()
  if (!row) return []
  // A watch that was changed or resumed during a mute began with what that kept back.
  const watches = (await channelWatches(rows, place)).map(
    (one): ReadyWatch => ({ ...one, watch: { ...one.watch, baselinePoll: 0 } }),
  )
  const mutes = (await channelMutes(rows, place)).filter((mute) => !isOver(mute))
  const states = [...(await statesOf(rows, place)).values()]
  const outages = await outagesById(
    rows,
    states.map(({ outageId }) => outageId),
  )
  const down: DueOutage[] = []
  await inTurns(
    eachInSlices(states, (state) => {
      const outage = outages.get(state.outageId)
      if (!outage || isMuted(outage, mutes)) return
      const due = dueOutage({ outage, state }, watches, row.polls)
      if (due) down.push(due)
    }),
  )
  return down
}

export async function channelWatches(rows: Kysely<Schema>, place: WatchPlace): Promise<ReadyWatch[]> {
  const found = await rows
    .selectFrom('watch')
    .selectAll()
    .where('workspace_id', '=', place.workspaceId)
    .where('channel_id', '=', place.channelId)
    .where('environment', '=', place.environment)
    .execute()
  return found.map((row) => readyWatch(watchOf(row)))
}

export async function channelMutes(rows: Kysely<Schema>, place: WatchPlace): Promise<Mute[]> {
  const found = await rows
    .selectFrom('watch_mute')
    .selectAll()
    .where('workspace_id', '=', place.workspaceId)
    .where('channel_id', '=', place.channelId)
    .where('environment', '=', place.environment)
    .execute()
  return found.map(muteFrom)
}
