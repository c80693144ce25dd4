import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { confirmedBy, runOf, type SubjectState } from '../../../domain/outages/observe.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { momentOf, wallTimeOf } from '../../../domain/zoned-time.ts'
import { fitting, muting, type ReadyWatch } from './subjects.ts'
import type { DigestTerms, Mute } from './watch.ts'

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
  const wanting = fitting(watches, outage.check).filter(
    ({ watch }) => run >= watch.afterBadPolls && confirmedBy(state, watch.afterBadPolls) > watch.baselinePoll,
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
export const isMuted = ({ check }: Outage, mutes: readonly Mute[]): boolean => muting(mutes, check).length > 0

/** From the first reminder of an outage to the next, until it ends or somebody takes it on. */
export const REMIND_AGAIN_MS = DAY_MS

/** When people are reminded first of what they are told at that time: as soon as any of the outages wants it. */
export function firstReminder(dues: readonly Pick<DueOutage, 'reminderMs'>[], at: Date): Date | undefined {
  const asked = dues.flatMap(({ reminderMs }) => reminderMs ?? [])
  return asked.length > 0 ? new Date(at.getTime() + Math.min(...asked)) : undefined
}

/** The next reminder of what people were told before, by the hours that watches ask for now. */
export function changedReminder(
  hours: number | undefined,
  at: { since: Date; scheduled: Date | undefined; wasReminded: boolean; now: Date },
): Date | undefined {
  const { since, scheduled, wasReminded, now } = at
  if (hours === undefined) return undefined
  if (wasReminded) return scheduled ?? new Date(now.getTime() + REMIND_AGAIN_MS)
  return new Date(Math.max(now.getTime(), since.getTime() + hours * HOUR_MS))
}

/**
 * When the next digest is due, always later than `now`: once on every day of the time zone. Where clocks skip the hour, as much
 * later as they are set forward; where they show it twice, the first time.
 */
export function nextDigest({ hour, timeZone }: DigestTerms, now: Date): Date {
  const today = wallTimeOf(now, timeZone)
  for (let ahead = 0; ; ahead += 1) {
    const at = momentOf({ ...today, day: today.day + ahead, hour, minute: 0 }, timeZone)
    if (at > now) return at
  }
}
