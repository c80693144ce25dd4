import { HOUR_MS } from '../durations.ts'
import { confirmedBy, runOf, type SubjectState } from './observe.ts'
import type { Outage } from './outage.ts'
import { isMutedBy, type ReadyWatch } from './subjects.ts'
import type { Mute } from './watch.ts'

/** An outage that goes on, with what is known of its subject. */
export interface Candidate {
  readonly outage: Outage
  readonly state: SubjectState
}

/** An outage that a channel is to be told of, and how. */
export interface DueOutage {
  readonly outage: Outage
  readonly isEvery: boolean
  /** The shortest that any watch asks for; undefined for no reminder. */
  readonly reminderMs: number | undefined
}

/**
 * The candidate as the channel's watches want to be told of it; undefined when none does, or not yet. What was confirmed
 * before a watch began is that watch's baseline.
 */
export function dueOutage(
  { outage, state }: Candidate,
  watches: readonly ReadyWatch[],
  poll: number,
): DueOutage | undefined {
  if (outage.isBaseline || state.phase !== 'bad') return undefined
  const run = runOf(state, poll)
  const wanting = watches.filter(
    ({ watch, fits }) =>
      run >= watch.afterBadPolls &&
      confirmedBy(state, watch.afterBadPolls) > watch.baselinePoll &&
      fits(outage.check, outage.status),
  )
  if (wanting.length === 0) return undefined
  const hours = wanting.map(({ watch }) => watch.reminderHours).filter((count) => count > 0)
  return {
    outage,
    isEvery: wanting.some(({ watch }) => watch.notify === 'every'),
    reminderMs: hours.length > 0 ? Math.min(...hours) * HOUR_MS : undefined,
  }
}

/** A mute holds until its end was told, which may be a moment after its time. */
export const isMuted = ({ check }: Outage, mutes: readonly Mute[]): boolean =>
  mutes.some(({ about }) => isMutedBy(about, check))
