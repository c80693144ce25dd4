import {
  type CheckFacts,
  type Downtime,
  type Gaps,
  MAX_BAD_POLLS,
  type OutageEnding,
  type PollFailure,
} from './outage.ts'

/** An incident is over after this much observed time with good polls only. */
export const QUIET_MS = 10 * 60_000

/** A time on the wall clock, and on the watch clock, which counts only observed time. */
export interface ObservedTime {
  readonly at: Date
  readonly clockMs: number
  /** The previous poll, if there was a gap after it: the check may have changed at any time in between. */
  readonly unseenSince?: Date | undefined
  /** The gaps since, after which the check was still in the same state. */
  readonly gaps?: Gaps | undefined
}

/** What polls know of an incident. An open one is stored until the check has been up for ten observed minutes. */
export interface ObservedIncident {
  readonly id: string
  /** The check as last seen. The UUID is empty for the environment itself: its checks can't be seen. */
  readonly check: CheckFacts
  /** By the last poll that was conclusive. */
  readonly isDown: boolean
  /** Bad polls, in a row or not, up to and including poll number `countedPoll`; at most a little more than MAX_BAD_POLLS. */
  readonly badPolls: number
  readonly countedPoll: number
  /** How often it went down. */
  readonly falls: number
  readonly isBaseline: boolean
  readonly openedAt: Date
  /** When it last went down. */
  readonly fell: ObservedTime
  /** Since when it is up. `quietSinceMs` is later on the watch clock if inconclusive polls came in between. */
  readonly up?: (ObservedTime & { readonly quietSinceMs: number; readonly isInstalling: boolean }) | undefined
  readonly closed?: { readonly at: Date; readonly ending: OutageEnding } | undefined
  /** For the environment itself: why its checks can't be seen. */
  readonly failure?: PollFailure | undefined
}

/** The result of a successful poll. Known checks that it doesn't contain are in an unknown state. */
export interface Sighting extends ObservedTime {
  /** The number of the poll: one more than that of the previous saved one. */
  readonly poll: number
  /** The watch clock at the previous successful poll. */
  readonly previousClockMs: number
  /** True for the first poll of the environment: what is down now may have been down for long. */
  readonly isFirst?: boolean | undefined
  /** By UUID. */
  readonly bad: ReadonlyMap<string, CheckFacts>
  readonly good: ReadonlySet<string>
  /** Good checks that are being installed. */
  readonly installing?: ReadonlySet<string> | undefined
  readonly deleted: ReadonlySet<string>
}

export type ObservedEvent =
  /** `isLate`: the poll came after a gap, so it happened at that time or earlier. */
  | { readonly kind: 'down' | 'up'; readonly isLate?: true }
  | { readonly kind: 'over'; readonly ending: OutageEnding; readonly isLate?: true }
  | { readonly kind: 'renamed'; readonly before: string }

/** How a poll changed an incident. */
export interface IncidentChange {
  readonly incident: ObservedIncident
  readonly isNew: boolean
  readonly events: readonly ObservedEvent[]
}

/** How many bad polls the incident has had, up to and including this one. */
export const countBadPolls = ({ isDown, badPolls, countedPoll }: ObservedIncident, poll: number): number =>
  isDown ? badPolls + Math.max(0, poll - countedPoll) : badPolls

/** Returns the changes since the previous poll. `known` has the open incidents, by UUID. */
export function observe(
  known: ReadonlyMap<string, ObservedIncident>,
  sighting: Sighting,
  newId: () => string,
): IncidentChange[] {
  const changes: IncidentChange[] = []
  for (const [uuid, check] of sighting.bad) {
    const open = known.get(uuid)
    const change = open ? observeBad(open, check, sighting) : openIncident(check, sighting, newId())
    if (change) changes.push(change)
  }
  for (const [uuid, open] of known) {
    if (sighting.bad.has(uuid)) continue
    const change = observeNotBad(open, uuid, sighting)
    if (change) changes.push(change)
  }
  return changes
}

/** Opens an incident. */
export const openIncident = (
  check: CheckFacts,
  { poll, isFirst = false, ...time }: Pick<Sighting, 'poll' | 'isFirst' | keyof ObservedTime>,
  id: string,
): IncidentChange => {
  const fell = toObservedTime(time)
  return {
    incident: {
      id,
      check,
      isDown: true,
      badPolls: 1,
      countedPoll: poll,
      falls: 1,
      isBaseline: isFirst,
      openedAt: fell.at,
      fell,
    },
    isNew: true,
    events: [toEvent('down', fell)],
  }
}

const toObservedTime = ({ at, clockMs, unseenSince }: ObservedTime): ObservedTime => ({
  at,
  clockMs,
  unseenSince,
})

const toEvent = (kind: 'down' | 'up', { unseenSince }: ObservedTime): ObservedEvent => ({
  kind,
  ...(unseenSince && { isLate: true }),
})

/** Undefined if nothing has changed. */
export function observeBad(
  before: ObservedIncident,
  check: CheckFacts,
  { poll, ...time }: Pick<Sighting, 'poll' | keyof ObservedTime>,
): IncidentChange | undefined {
  const renamed = listRename(before, check)
  if (before.isDown) {
    const fell = addGap(before.fell, time)
    return looksSame(before.check, check) && fell === before.fell
      ? undefined
      : { incident: { ...before, check, fell }, isNew: false, events: renamed }
  }
  // Not at the same moment as the rise, because events of one moment are listed in a fixed order.
  const fell = notBefore(time, new Date((before.up?.at.getTime() ?? 0) + 1))
  const incident = {
    ...before,
    check,
    isDown: true,
    badPolls: before.badPolls + 1,
    countedPoll: poll,
    falls: before.falls + 1,
    fell,
    up: undefined,
  }
  return { incident, isNew: false, events: [...renamed, toEvent('down', fell)] }
}

/** Adds the gap before a poll that found the check in the same state. The same object if there was no gap. */
function addGap<T extends ObservedTime>(time: T, { at, unseenSince }: ObservedTime): T {
  if (!unseenSince) return time
  const { from = unseenSince, count = 0, ms = 0 } = time.gaps ?? {}
  const gaps = { from, to: at, count: count + 1, ms: ms + at.getTime() - unseenSince.getTime() }
  return { ...time, gaps }
}

/** If the clock was set back, the times of an incident still keep their order. */
const notBefore = (time: ObservedTime, earliest: Date): ObservedTime => ({
  ...toObservedTime(time),
  at: time.at < earliest ? earliest : time.at,
})

const listRename = ({ check }: ObservedIncident, { name }: CheckFacts): ObservedEvent[] =>
  check.name === name ? [] : [{ kind: 'renamed', before: check.name }]

function observeNotBad(
  before: ObservedIncident,
  uuid: string,
  sighting: Sighting,
): IncidentChange | undefined {
  const { clockMs, poll } = sighting
  if (sighting.deleted.has(uuid)) return closeIncident(before, sighting, 'deleted')
  if (!sighting.good.has(uuid)) return observeInconclusive(before, sighting)
  const isInstalling = sighting.installing?.has(uuid) ?? false
  const now = { ...notBefore(sighting, before.fell.at), quietSinceMs: clockMs, isInstalling }
  if (before.isDown) {
    const incident = {
      ...before,
      isDown: false,
      badPolls: countBadPolls(before, poll - 1),
      up: now,
    }
    return { incident, isNew: false, events: [toEvent('up', now)] }
  }
  const up = before.up ? addGap(before.up, sighting) : now
  if (clockMs - up.quietSinceMs >= QUIET_MS)
    return closeIncident(before, sighting, isInstalling ? 'installing' : 'recovered')
  return up === before.up && up.isInstalling === isInstalling
    ? undefined
    : { incident: { ...before, up: { ...up, isInstalling } }, isNew: false, events: [] }
}

/** A poll that says nothing about the check: it counts neither as bad nor as quiet time. */
function observeInconclusive(before: ObservedIncident, sighting: Sighting): IncidentChange | undefined {
  const { clockMs, previousClockMs, poll } = sighting
  if (before.up) {
    const quietSinceMs = before.up.quietSinceMs + Math.max(0, clockMs - previousClockMs)
    const up = { ...addGap(before.up, sighting), quietSinceMs }
    return { incident: { ...before, up }, isNew: false, events: [] }
  }
  const fell = addGap(before.fell, sighting)
  const isCounted = countBadPolls(before, poll - 1) >= MAX_BAD_POLLS
  if (isCounted && fell === before.fell) return undefined
  const countedPoll = before.countedPoll + (isCounted ? 0 : 1)
  return { incident: { ...before, fell, countedPoll }, isNew: false, events: [] }
}

/** Closes an incident. Without polls, `poll` is the last saved one. */
export function closeIncident(
  before: ObservedIncident,
  { poll, ...time }: Pick<Sighting, 'poll' | keyof ObservedTime>,
  ending: OutageEnding,
): IncidentChange {
  const now = notBefore(time, before.up?.at ?? before.fell.at)
  const up = before.up ?? { ...now, quietSinceMs: now.clockMs, isInstalling: false }
  const incident = {
    ...before,
    isDown: false,
    badPolls: countBadPolls(before, poll - 1),
    up,
    closed: { at: now.at, ending },
  }
  const isLate = ending === 'deleted' && now.unseenSince !== undefined
  return { incident, isNew: false, events: [{ kind: 'over', ending, ...(isLate && { isLate }) }] }
}

/** Differences up to this come from a few failed polls, and aren't worth mentioning. */
const MAX_UNSEEN_MS = 3 * 60_000

/**
 * How long a check was down that went down once. If it wasn't observed all that time, it was down at least for as long as it was.
 * Undefined while it's down, and for a check that went down several times.
 */
export function measureDowntime({ fell, up, falls, isBaseline }: ObservedIncident): Downtime | undefined {
  if (!up || falls > 1) return undefined
  const passedMs = up.at.getTime() - fell.at.getTime()
  const seenMs = Math.min(
    up.clockMs - fell.clockMs,
    passedMs - (fell.gaps?.ms ?? 0),
    (up.unseenSince?.getTime() ?? Number.POSITIVE_INFINITY) - fell.at.getTime(),
  )
  const isUnseen = fell.gaps !== undefined || passedMs - seenMs > MAX_UNSEEN_MS
  const isAtLeast = isBaseline || isUnseen || fell.unseenSince !== undefined || up.unseenSince !== undefined
  return { ms: isUnseen || up.unseenSince ? Math.max(0, seenMs) : passedMs, isAtLeast }
}

/** Whether people would see no difference between two versions of a check. */
export const looksSame = (left: CheckFacts, right: CheckFacts): boolean =>
  left.name === right.name &&
  left.target === right.target &&
  left.protocol === right.protocol &&
  left.customerId === right.customerId
