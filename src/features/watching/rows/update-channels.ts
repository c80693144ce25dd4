import { type DatabaseTime, type Rows, readTime, updateIn } from '@signalman/durable'
import { inTurns, newId } from '@signalman/runtime'
import { type WatchedOutage, watchedOutage } from '../rules/alert.ts'
import { decide, inheritedForMs, type Resume } from '../rules/decide.ts'
import { readyWatch } from '../rules/subjects.ts'
import { type Moment, seenAt } from '../rules/watch-clock.ts'
import { NOTHING_KNOWN, readKnownChannels } from './known-channels.ts'
import { batchesOf } from './pages.ts'
import { clockOf, type Poll, pollOf, watchesIn } from './poll-rows.ts'
import { type ScopeOf, scopeColumns } from './row.ts'
import { saveDecision } from './save-decision.ts'
import { readySilences } from './silences.ts'
import { goingOn } from './subject-rows.ts'

interface Asked {
  /** Only these channels; all of the environment unless given. */
  readonly channelIds?: readonly string[] | undefined
  readonly resume?: Resume | undefined
}

/**
 * Brings the channels of an environment up to date with what is down, what they watch, and what is silenced: asks what each should
 * show, saves the difference, and schedules the messages, the calls, and when to ask again. Call it in the workspace's turn. Returns
 * whether anything changed.
 */
export async function updateChannels(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  { channelIds, resume }: Asked = {},
): Promise<boolean> {
  const poll = await pollOf(rows, scope)
  const now = moment(poll, await readTime(rows, time))
  const open = (await goingOn(rows, scope)).map((one) => watchedOutage(one, poll?.polls ?? 0))
  const released = await releaseInherited(rows, open, now)
  // Whoever is released is released in every channel.
  const only = released.size > 0 ? undefined : channelIds
  const outages = open.map((one) => (released.has(one.outage.id) ? withoutPerson(one) : one))
  const watches = Map.groupBy(await watchesIn(rows, scope), ({ channelId }) => channelId)
  const known = await readKnownChannels(rows, scope, now, { only, open: outages })
  const silences = await readySilences(rows, time, scope)
  let hasChanged = false
  for (const channelId of only ?? new Set([...watches.keys(), ...known.keys()])) {
    const own = watches.get(channelId) ?? []
    const { place: known_, ended, ...stored } = known.get(channelId) ?? NOTHING_KNOWN
    const place = own[0] ?? known_
    if (!place) continue
    const { workspaceId, enterpriseId, environment } = place
    const decision = await inTurns(
      decide(
        {
          ...stored,
          place: { channelId, environment },
          watches: own.map(readyWatch),
          silences: silences(channelId),
          outages: ended.length > 0 ? [...outages, ...ended] : outages,
          isPaused: own.some(({ paused }) => paused !== undefined),
          isBlind: poll?.isBlind ?? false,
          resume,
        },
        now,
        newId,
      ),
    )
    const at = { workspaceId, enterpriseId, environment, channelId }
    if (await saveDecision(rows, time, at, decision, { now, isKnown: known.has(channelId) }))
      hasChanged = true
  }
  if (hasChanged && poll && now.seen > poll.seen)
    await updateIn(rows, 'watch_poll', scopeColumns(scope), {
      seen_ms: now.seen,
      seen_at: now.at.toISOString(),
    })
  return hasChanged
}

/** Now, on both clocks. */
export async function momentIn(rows: Rows, time: DatabaseTime, scope: ScopeOf): Promise<Moment> {
  return moment(await pollOf(rows, scope), await readTime(rows, time))
}

const moment = (poll: Poll | undefined, at: Date): Moment => ({
  at,
  seen: poll ? seenAt(clockOf(poll), at) : 0,
})

function withoutPerson({ outage: { onIt: _, ...outage }, ...one }: WatchedOutage): WatchedOutage {
  return { ...one, outage }
}

/** Whoever was on it before it went down again and has said nothing since is taken off it after ten minutes. Returns from which. */
async function releaseInherited(
  rows: Rows,
  open: readonly WatchedOutage[],
  { seen }: Moment,
): Promise<ReadonlySet<string>> {
  const released = open.filter((one) => (inheritedForMs(one, seen) ?? 1) <= 0).map(({ outage }) => outage.id)
  for await (const ids of batchesOf(released)) {
    await rows.updateTable('watch_outage').set({ on_it: null }).where('id', 'in', ids).execute()
    // A message that named that person has notified nobody else.
    await rows.updateTable('watch_alert').set({ is_by_edit: 1 }).where('outage_id', 'in', ids).execute()
  }
  return new Set(released)
}
