import type { DatabaseTime, Schema } from '@signalman/durable'
import { inTurns, newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { mutesByMaintenance, windowsInForce } from '../maintenance/in-force.ts'
import type { StillDownReason } from '../rules/card.ts'
import { type DueOutage, dueOutage, firstReminder, isMuted } from '../rules/due.ts'
import { eachInSlices } from '../rules/slices.ts'
import { type ReadyWatch, readyWatch } from '../rules/subjects.ts'
import type { Mute, WatchPlace } from '../rules/watch.ts'
import { saveAndQueueCards } from './cards.ts'
import { pollOf } from './poll-rows.ts'
import { channelColumns, dateOf, muteFrom, watchOf } from './row.ts'
import { outagesById, statesOf } from './subject-rows.ts'

/**
 * The outages that go on, are watched in a channel and not muted there, whether they were told or not, and also those that were
 * there when a watch began. Paused watches count too, but not the mutes of which `isOver` is true.
 */
export async function stillDown(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
  isOver: (mute: Mute) => boolean = () => false,
): Promise<DueOutage[]> {
  const row = await pollOf(rows, place)
  if (!row) return []
  // A watch that was changed or resumed during a mute began with what that kept back.
  const watches = (await channelWatches(rows, place)).map(
    (one): ReadyWatch => ({ ...one, watch: { ...one.watch, baselinePoll: 0 } }),
  )
  const mutes = (await channelMutes(rows, time, place)).filter((mute) => !isOver(mute))
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
    .where((row) => row.and(channelColumns(place)))
    .execute()
  return found.map((row) => readyWatch(watchOf(row)))
}

/** What silences a channel: its mutes, and the maintenance that is under way. */
export async function channelMutes(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
): Promise<Mute[]> {
  const found = await rows
    .selectFrom('watch_mute')
    .selectAll()
    .where((row) => row.and(channelColumns(place)))
    .execute()
  const maintenance = await windowsInForce(rows, time, place)
  return [...found.map(muteFrom), ...mutesByMaintenance(maintenance, place.channelId)]
}

/**
 * Tells the channel on one card what was down when it was last seen; writes no card when nothing is down. The card is the one to
 * remind of what no other open card tells.
 */
export async function tellStillDown(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
  dues: readonly Pick<DueOutage, 'outage' | 'reminderMs'>[],
  { reason, at }: { reason: StillDownReason; at: Date },
): Promise<void> {
  if (dues.length === 0) return
  const told = await toldByOpenCards(rows, place)
  const poll = await pollOf(rows, place)
  const untold = dues.filter(({ outage }) => !told.has(outage.id))
  const card = {
    id: newId(),
    environment: place.environment,
    channelId: place.channelId,
    kind: 'still-down' as const,
    // While nothing is seen, it is as of when the checks were last seen.
    openedAt: (poll?.is_blind === 1 && dateOf(poll.last_ok_at)) || at,
    changedAt: at,
    remindAt: firstReminder(untold, at),
    reason,
  }
  const outageIds = dues.map(({ outage }) => outage.id)
  await saveAndQueueCards(rows, time, place, [{ card, isNew: true, outageIds }])
}

/** Ids of the outages that the channel's open cards tell of. */
async function toldByOpenCards(rows: Kysely<Schema>, place: WatchPlace): Promise<Set<string>> {
  const told = await rows
    .selectFrom('watch_card')
    .innerJoin('watch_card_outage', 'watch_card_outage.card_id', 'watch_card.id')
    .select('outage_id')
    .where((row) => row.and(channelColumns(place)))
    .where('closed_at', 'is', null)
    .execute()
  return new Set(told.map(({ outage_id }) => outage_id))
}
