import { type DatabaseTime, type Rows, readTime, updateRows } from '@signalman/durable'
import { newId, runInSlices } from '@signalman/runtime'
import { toWatchedOutage, type WatchedOutage } from '../rules/alert.ts'
import { type CatchUp, decide, getInheritedOnItRemainingMs } from '../rules/decide.ts'
import { prepareWatch } from '../rules/matching.ts'
import { type Moment, readWatchClock } from '../rules/watch-clock.ts'
import { inBatches } from './pages.ts'
import { type Poll, readPoll, readWatches, toWatchClock } from './poll-rows.ts'
import { scopeColumns, type WatchScope } from './row.ts'
import { saveDecision } from './save-decision.ts'
import { readPreparedSilences } from './silences.ts'
import { EMPTY_CHANNEL, readStoredChannels } from './stored-channels.ts'
import { readOpenOutages } from './subject-rows.ts'

interface UpdateOptions {
  /** Only these channels; undefined: all channels of the environment. */
  readonly channelIds?: readonly string[] | undefined
  readonly catchUp?: CatchUp | undefined
}

/**
 * Updates the channels of an environment: decides what each should show, saves the changes, and schedules messages, pages,
 * and the next update. Call it while holding `watchingLock`. Returns whether anything changed.
 */
export async function updateChannels(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  { channelIds, catchUp }: UpdateOptions = {},
): Promise<boolean> {
  const poll = await readPoll(rows, scope)
  const now = toMoment(poll, await readTime(rows, time))
  const open = (await readOpenOutages(rows, scope)).map((outage) => toWatchedOutage(outage, poll?.polls ?? 0))
  const released = await releaseInherited(rows, open, now)
  // Removing a person from an outage affects every channel.
  const updatedIds = released.size > 0 ? undefined : channelIds
  const outages = open.map((watched) => (released.has(watched.outage.id) ? withoutPerson(watched) : watched))
  const watches = Map.groupBy(await readWatches(rows, scope), ({ channelId }) => channelId)
  const storedChannels = await readStoredChannels(rows, scope, now, { channelIds: updatedIds, open: outages })
  const findSilences = await readPreparedSilences(rows, time, scope)
  let hasChanged = false
  for (const channelId of updatedIds ?? new Set([...watches.keys(), ...storedChannels.keys()])) {
    const channelWatches = watches.get(channelId) ?? []
    const { channel: storedChannel, endedOutages, ...stored } = storedChannels.get(channelId) ?? EMPTY_CHANNEL
    const channel = channelWatches[0] ?? storedChannel
    if (!channel) continue
    const { workspaceId, enterpriseId, environment } = channel
    const decision = await runInSlices(
      decide(
        {
          ...stored,
          channel: { channelId, environment },
          watches: channelWatches.map(prepareWatch),
          silences: findSilences(channelId),
          outages: endedOutages.length > 0 ? [...outages, ...endedOutages] : outages,
          isPaused: channelWatches.some(({ paused }) => paused !== undefined),
          isFailureReported: poll?.isFailureReported ?? false,
          catchUp,
        },
        now,
        newId,
      ),
    )
    const watchChannel = { workspaceId, enterpriseId, environment, channelId }
    if (
      await saveDecision(rows, time, watchChannel, decision, { now, isStored: storedChannels.has(channelId) })
    )
      hasChanged = true
  }
  if (hasChanged && poll && now.clockMs > poll.clockMs)
    await updateRows(rows, 'watch_poll', scopeColumns(scope), {
      clock_ms: now.clockMs,
      clock_saved_at: now.at.toISOString(),
    })
  return hasChanged
}

/** Reads the current time on the wall clock and the watch clock. */
export async function readNow(rows: Rows, time: DatabaseTime, scope: WatchScope): Promise<Moment> {
  return toMoment(await readPoll(rows, scope), await readTime(rows, time))
}

const toMoment = (poll: Poll | undefined, at: Date): Moment => ({
  at,
  clockMs: poll ? readWatchClock(toWatchClock(poll), at) : 0,
})

function withoutPerson({ outage: { onIt: _, ...outage }, ...watched }: WatchedOutage): WatchedOutage {
  return { ...watched, outage }
}

/**
 * Removes people from outages that they were only assumed to be on, because they were on the check's previous outage and didn't
 * confirm within ten minutes. Returns the IDs of those outages.
 */
async function releaseInherited(
  rows: Rows,
  open: readonly WatchedOutage[],
  { clockMs }: Moment,
): Promise<ReadonlySet<string>> {
  const released = open
    .filter((watched) => (getInheritedOnItRemainingMs(watched, clockMs) ?? 1) <= 0)
    .map(({ outage }) => outage.id)
  for await (const ids of inBatches(released)) {
    await rows.updateTable('watch_outage').set({ on_it: null }).where('id', 'in', ids).execute()
    // The card named that person, so nobody else was notified. Like outages added by an edit, these now get a new message.
    await rows
      .updateTable('watch_alert')
      .set({ was_added_by_edit: 1 })
      .where('outage_id', 'in', ids)
      .execute()
  }
  return new Set(released)
}
