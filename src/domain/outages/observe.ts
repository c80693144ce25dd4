import {
  type CheckFacts,
  MOST_BAD_POLLS,
  type Outage,
  type OutageEnding,
  type WatchedStatus,
} from './outage.ts'

/** A check counts as up after so many good polls in a row. */
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
  /** The poll with which the phase began, so that its length is known without a write for each poll. */
  readonly phasePoll: number
  /** In a bad phase, the bad polls before one that could not tell; the phase goes on with `phasePoll`. At most five. */
  readonly earlier?: readonly number[] | undefined
  readonly phaseAt: Date
  /** In a bad phase, when the good one before it began, which was too short to end the outage. */
  readonly goodAt?: Date | undefined
  readonly outageId: string
}

/** What one successful poll has seen. Nothing could be found out about a known subject that it names nowhere. */
export interface Sighting {
  /** Its number: one more than the successful poll before. */
  readonly poll: number
  readonly at: Date
  readonly bad: ReadonlyMap<SubjectKey, { readonly check: CheckFacts; readonly status: WatchedStatus }>
  readonly good: ReadonlySet<SubjectKey>
  /** Those of the good that are being installed. */
  readonly installing?: ReadonlySet<SubjectKey> | undefined
  readonly deleted: ReadonlySet<SubjectKey>
  /** True where who flips at every poll has an outage for each time, and not one without an end. */
  readonly partsFlips?: boolean | undefined
  /** Statuses that are looked at for the first time: what has them is the baseline. */
  readonly baseline: ReadonlySet<WatchedStatus>
}

/** How an outage that was known goes on. */
export interface OutageChange {
  readonly id: string
  readonly check: CheckFacts
  readonly status: WatchedStatus
  /** How many bad polls there were in a row so far. */
  readonly badPolls: number
  readonly ended?: { readonly at: Date; readonly ending: OutageEnding } | undefined
}

/** What one subject comes to by a poll; nothing of it needs another subject's. */
export interface SubjectChange {
  readonly key: SubjectKey
  /** Undefined once it is over. */
  readonly state: SubjectState | undefined
  readonly opened?: Outage | undefined
  readonly outage?: OutageChange | undefined
}

/** How many polls one after the other the phase has lasted, this one included; those that could not tell do not count. */
export const runOf = ({ phasePoll, earlier = [] }: SubjectState, poll: number): number =>
  earlier.length + Math.max(0, poll - phasePoll + 1)

/** A row of bad polls that is no longer, between two good ones, lies between two outages: who flips at every poll is not always down. */
const SHORT_BAD_POLLS = 2

/**
 * The changes since the poll before. A check is down after one bad poll, and up after GOOD_POLLS good polls; or after a good one, when it
 * was good just before too, but for a short while.
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

/** Undefined when it goes on as it was. */
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
  const badPolls = before.phase === 'bad' ? runOf(before, poll - 1) : 1
  const outage = { id: before.outageId, check: before.check, status: before.status, badPolls }
  if (sighting.deleted.has(key)) return over(key, { ...outage, ended: { at, ending: 'deleted' } })
  if (!sighting.good.has(key)) return { key, state: interrupted(before, poll) }
  if (before.phase === 'bad') {
    const state: SubjectState = { ...before, phase: 'good', phasePoll: poll, earlier: [], phaseAt: at }
    if (sighting.partsFlips && before.goodAt && badPolls <= SHORT_BAD_POLLS)
      return flipped(key, before, state, badPolls, newId())
    return { key, state: { ...state, goodAt: undefined }, outage }
  }
  if (runOf(before, poll) < GOOD_POLLS) return { key, state: before }
  const ending = sighting.installing?.has(key) ? 'installing' : 'recovered'
  return over(key, { ...outage, ended: { at: before.phaseAt, ending } })
}

/** The outage ended with the good polls before; what was bad since is another, which ends as soon as that is known. */
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

/** A poll that could not tell neither makes a row of polls longer nor ends it. */
function interrupted(before: SubjectState, poll: number): SubjectState {
  const since = Array.from({ length: Math.max(0, poll - before.phasePoll) }, (_, at) => before.phasePoll + at)
  const earlier = before.phase === 'bad' ? [...(before.earlier ?? []), ...since].slice(0, MOST_BAD_POLLS) : []
  return { ...before, phasePoll: before.phase === 'bad' ? poll + 1 : before.phasePoll + 1, earlier }
}

const over = (key: SubjectKey, outage: OutageChange): SubjectChange => ({ key, state: undefined, outage })

/** Whether nothing has changed of what people are shown. */
export const isSame = (one: CheckFacts, other: CheckFacts): boolean =>
  one.name === other.name &&
  one.target === other.target &&
  one.protocol === other.protocol &&
  one.customerId === other.customerId
