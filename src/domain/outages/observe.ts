import {
  type CheckFacts,
  MOST_BAD_POLLS,
  type Outage,
  type OutageEnding,
  type WatchedStatus,
} from './outage.ts'

/** How many good polls in a row it takes to count as up. */
const GOOD_POLLS = 2

/** A check in one of the watched statuses; one check may be a subject for each of them. */
export type SubjectKey = `${string} ${WatchedStatus}`

export const subjectKey = (uuid: string, status: WatchedStatus): SubjectKey => `${uuid} ${status}`

export function subjectOf(key: SubjectKey): { uuid: string; status: WatchedStatus } {
  const cut = key.lastIndexOf(' ')
  // A key ends with a status.
  return { uuid: key.slice(0, cut), status: key.slice(cut + 1) as WatchedStatus }
}

/** What is remembered of a subject between polls, from its first bad poll to its last good one. */
export interface SubjectState {
  readonly check: CheckFacts
  readonly status: WatchedStatus
  readonly phase: 'bad' | 'good'
  /** The poll with which the phase began, so that its length is known without a write per poll. */
  readonly phasePoll: number
  /** In a bad phase, the bad polls before an inconclusive one; the phase continues with `phasePoll`. At most five. */
  readonly earlier?: readonly number[] | undefined
  readonly phaseAt: Date
  /** In a bad phase, when the preceding good phase began, if it was too short to end the outage. */
  readonly goodAt?: Date | undefined
  readonly outageId: string
}

/** What one successful poll saw. Subjects that it doesn't mention are unknown. */
export interface Sighting {
  /** Its number: one more than the successful poll before. */
  readonly poll: number
  readonly at: Date
  readonly bad: ReadonlyMap<SubjectKey, { readonly check: CheckFacts; readonly status: WatchedStatus }>
  readonly good: ReadonlySet<SubjectKey>
  /** Good ones that are being installed. */
  readonly installing?: ReadonlySet<SubjectKey> | undefined
  readonly deleted: ReadonlySet<SubjectKey>
  /** True if a check that alternates at every poll has many outages instead of one endless one. */
  readonly partsFlips?: boolean | undefined
  /** Statuses that are polled for the first time: checks that have them form the baseline. */
  readonly baseline: ReadonlySet<WatchedStatus>
}

/** How a known outage continues. */
export interface OutageChange {
  readonly id: string
  readonly check: CheckFacts
  readonly status: WatchedStatus
  /** The number of bad polls in a row so far. */
  readonly badPolls: number
  readonly ended?: { readonly at: Date; readonly ending: OutageEnding } | undefined
}

/** The result of a poll for one subject, independent of the others. */
export interface SubjectChange {
  readonly key: SubjectKey
  /** Undefined once the outage is over. */
  readonly state: SubjectState | undefined
  readonly opened?: Outage | undefined
  readonly outage?: OutageChange | undefined
}

/** How many polls in a row the phase has lasted, including this one and without inconclusive ones. */
export const countSamePolls = ({ phasePoll, earlier = [] }: SubjectState, poll: number): number =>
  earlier.length + Math.max(0, poll - phasePoll + 1)

/** A bad run that isn't longer, between two good polls, separates two outages: a check that alternates isn't always down. */
const SHORT_BAD_POLLS = 2

/**
 * The changes since the previous poll. A check is down after one bad poll, and up after GOOD_POLLS good polls, or after one
 * good poll if it was also good shortly before.
 */
export function observe(
  known: ReadonlyMap<SubjectKey, SubjectState>,
  sighting: Sighting,
  newId: () => string,
): SubjectChange[] {
  const changes: SubjectChange[] = []
  for (const [key, { check, status }] of sighting.bad) {
    const before = known.get(key)
    const change = before
      ? isBad(key, before, check, sighting)
      : begins(key, check, status, sighting, newId())
    if (change) changes.push(change)
  }
  for (const [key, before] of known)
    if (!sighting.bad.has(key)) changes.push(isNotBad(key, before, sighting, newId))
  return changes
}

function begins(
  key: SubjectKey,
  check: CheckFacts,
  status: WatchedStatus,
  { poll, at, baseline }: Sighting,
  outageId: string,
): SubjectChange {
  const isBaseline = baseline.has(status)
  const opened: Outage = { id: outageId, check, status, startedAt: at, isBaseline, badPolls: 1 }
  const state: SubjectState = { check, status, phase: 'bad', phasePoll: poll, phaseAt: at, outageId }
  return { key, state, opened }
}

/** Undefined if it continues unchanged. */
function isBad(
  key: SubjectKey,
  before: SubjectState,
  check: CheckFacts,
  { poll, at }: Sighting,
): SubjectChange | undefined {
  const outage = { id: before.outageId, check, status: before.status, badPolls: 1 }
  if (before.phase === 'good')
    return {
      key,
      state: {
        ...before,
        check,
        phase: 'bad',
        phasePoll: poll,
        earlier: [],
        phaseAt: at,
        goodAt: before.phaseAt,
      },
      outage,
    }
  if (isSame(before.check, check)) return undefined
  return { key, state: { ...before, check }, outage }
}

function isNotBad(
  key: SubjectKey,
  before: SubjectState,
  sighting: Sighting,
  newId: () => string,
): SubjectChange {
  const { poll, at } = sighting
  const badPolls = before.phase === 'bad' ? countSamePolls(before, poll - 1) : 1
  const outage = { id: before.outageId, check: before.check, status: before.status, badPolls }
  if (sighting.deleted.has(key)) return over(key, { ...outage, ended: { at, ending: 'deleted' } })
  if (!sighting.good.has(key)) return { key, state: interrupted(before, poll) }
  if (before.phase === 'bad') {
    const state: SubjectState = { ...before, phase: 'good', phasePoll: poll, earlier: [], phaseAt: at }
    if (sighting.partsFlips && before.goodAt && badPolls <= SHORT_BAD_POLLS)
      return flipped(key, before, state, badPolls, newId())
    return { key, state: { ...state, goodAt: undefined }, outage }
  }
  if (countSamePolls(before, poll) < GOOD_POLLS) return { key, state: before }
  const ending = sighting.installing?.has(key) ? 'installing' : 'recovered'
  return over(key, { ...outage, ended: { at: before.phaseAt, ending } })
}

/** The outage ended with the earlier good polls. What was bad since is another one, which ends as soon as that is known. */
function flipped(
  key: SubjectKey,
  { check, status, outageId, phaseAt: startedAt, goodAt: endedAt = startedAt }: SubjectState,
  state: SubjectState,
  badPolls: number,
  nextId: string,
): SubjectChange {
  const first = over(key, {
    id: outageId,
    check,
    status,
    badPolls: 1,
    ended: { at: endedAt, ending: 'recovered' },
  })
  return {
    ...first,
    state: { ...state, goodAt: undefined, outageId: nextId },
    opened: { id: nextId, check, status, startedAt, isBaseline: false, badPolls },
  }
}

/** An inconclusive poll neither extends nor ends a run. */
function interrupted(before: SubjectState, poll: number): SubjectState {
  const since = Array.from({ length: Math.max(0, poll - before.phasePoll) }, (_, at) => before.phasePoll + at)
  const earlier = before.phase === 'bad' ? [...(before.earlier ?? []), ...since].slice(0, MOST_BAD_POLLS) : []
  return { ...before, phasePoll: before.phase === 'bad' ? poll + 1 : before.phasePoll + 1, earlier }
}

const over = (key: SubjectKey, outage: OutageChange): SubjectChange => ({ key, state: undefined, outage })

/** Whether nothing that people see has changed. */
export const isSame = (one: CheckFacts, other: CheckFacts): boolean =>
  one.name === other.name &&
  one.target === other.target &&
  one.protocol === other.protocol &&
  one.customerId === other.customerId
