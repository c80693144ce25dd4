import {
  type CheckFacts,
  MAX_BAD_POLLS,
  type Outage,
  type OutageEnding,
  type WatchedStatus,
} from './outage.ts'

/** How many good polls in a row it takes to count as up. */
const GOOD_POLLS = 2

/** Identifies a subject, which is a check together with a watched status. A check can be several subjects. */
export type SubjectKey = `${string} ${WatchedStatus}`

export const subjectKey = (uuid: string, status: WatchedStatus): SubjectKey => `${uuid} ${status}`

export function parseSubjectKey(key: SubjectKey): { uuid: string; status: WatchedStatus } {
  const cut = key.lastIndexOf(' ')
  // A key ends with a status.
  return { uuid: key.slice(0, cut), status: key.slice(cut + 1) as WatchedStatus }
}

/** The state of a subject between polls, stored from its first bad poll until enough good polls end the outage. */
export interface SubjectState {
  readonly check: CheckFacts
  readonly status: WatchedStatus
  readonly phase: 'bad' | 'good'
  /** The number of the poll that started the phase. Its length follows from that, so that polls without changes write nothing. */
  readonly phasePoll: number
  /**
   * If inconclusive polls have interrupted a bad phase: the numbers of the bad polls before them, at most five. `phasePoll` is then
   * the first poll after them.
   */
  readonly earlier?: readonly number[] | undefined
  readonly phaseAt: Date
  /** In a bad phase, when the previous good phase began, if that phase was too short to end the outage. */
  readonly goodAt?: Date | undefined
  readonly outageId: string
}

/** The result of a successful poll. Subjects that it doesn't contain are in an unknown state. */
export interface Sighting {
  /** The number of the poll: one more than that of the previous successful one. */
  readonly poll: number
  readonly at: Date
  readonly bad: ReadonlyMap<SubjectKey, { readonly check: CheckFacts; readonly status: WatchedStatus }>
  readonly good: ReadonlySet<SubjectKey>
  /** Good subjects that are being installed. */
  readonly installing?: ReadonlySet<SubjectKey> | undefined
  readonly deleted: ReadonlySet<SubjectKey>
  /** True to split the outage of a check that alternates at every poll into many, instead of one endless outage. */
  readonly splitsFlapping?: boolean | undefined
  /** Statuses that are polled for the first time. Checks that have them now are the baseline. */
  readonly baseline: ReadonlySet<WatchedStatus>
}

/** How a known outage continues. */
export interface OutageChange {
  readonly id: string
  readonly check: CheckFacts
  readonly status: WatchedStatus
  /** The number of bad polls in a row so far, or 1 if this poll didn't count them. The store keeps the maximum. */
  readonly badPolls: number
  readonly ended?: { readonly at: Date; readonly ending: OutageEnding } | undefined
}

/** The changes of a poll for one subject. */
export interface SubjectChange {
  readonly key: SubjectKey
  /** Undefined if the outage has ended. */
  readonly state: SubjectState | undefined
  readonly opened?: Outage | undefined
  readonly outage?: OutageChange | undefined
}

/** How many polls in a row the phase has lasted, including this one and without inconclusive ones. */
export const countSamePolls = ({ phasePoll, earlier = [] }: SubjectState, poll: number): number =>
  earlier.length + Math.max(0, poll - phasePoll + 1)

/** With `splitsFlapping`, a bad run between two good polls starts a new outage if it isn't longer than this. */
const MAX_FLAP_POLLS = 2

/**
 * Returns the changes since the previous poll. A check is down after one bad poll, and up after GOOD_POLLS good polls in a row.
 * Inconclusive polls in between don't interrupt the row.
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
      ? observeBad(key, before, check, sighting)
      : startOutage(key, check, status, sighting, newId())
    if (change) changes.push(change)
  }
  for (const [key, before] of known)
    if (!sighting.bad.has(key)) changes.push(observeNotBad(key, before, sighting, newId))
  return changes
}

function startOutage(
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

/** Undefined if nothing has changed. */
function observeBad(
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
  if (looksSame(before.check, check)) return undefined
  return { key, state: { ...before, check }, outage }
}

function observeNotBad(
  key: SubjectKey,
  before: SubjectState,
  sighting: Sighting,
  newId: () => string,
): SubjectChange {
  const { poll, at } = sighting
  const badPolls = before.phase === 'bad' ? countSamePolls(before, poll - 1) : 1
  const outage = { id: before.outageId, check: before.check, status: before.status, badPolls }
  if (sighting.deleted.has(key)) return endOutage(key, { ...outage, ended: { at, ending: 'deleted' } })
  if (!sighting.good.has(key)) return { key, state: afterInconclusivePoll(before, poll) }
  if (before.phase === 'bad') {
    const state: SubjectState = { ...before, phase: 'good', phasePoll: poll, earlier: [], phaseAt: at }
    if (sighting.splitsFlapping && before.goodAt && badPolls <= MAX_FLAP_POLLS)
      return splitOutage(key, before, state, badPolls, newId())
    return { key, state: { ...state, goodAt: undefined }, outage }
  }
  if (countSamePolls(before, poll) < GOOD_POLLS) return { key, state: before }
  const ending = sighting.installing?.has(key) ? 'installing' : 'recovered'
  return endOutage(key, { ...outage, ended: { at: before.phaseAt, ending } })
}

/** Ends the outage with the earlier good polls, and opens another one for the bad polls since then. */
function splitOutage(
  key: SubjectKey,
  { check, status, outageId, phaseAt: startedAt, goodAt: endedAt = startedAt }: SubjectState,
  state: SubjectState,
  badPolls: number,
  nextId: string,
): SubjectChange {
  const first = endOutage(key, {
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

/**
 * The state after an inconclusive poll, which neither extends nor ends a phase. A bad phase remembers its polls so far and starts
 * counting anew after this one. The start of a good phase moves by one poll, so that its count stays the same.
 */
function afterInconclusivePoll(before: SubjectState, poll: number): SubjectState {
  const pollsSincePhase = Array.from(
    { length: Math.max(0, poll - before.phasePoll) },
    (_, index) => before.phasePoll + index,
  )
  const earlier =
    before.phase === 'bad' ? [...(before.earlier ?? []), ...pollsSincePhase].slice(0, MAX_BAD_POLLS) : []
  return { ...before, phasePoll: before.phase === 'bad' ? poll + 1 : before.phasePoll + 1, earlier }
}

const endOutage = (key: SubjectKey, outage: OutageChange): SubjectChange => ({
  key,
  state: undefined,
  outage,
})

/** Whether people would see no difference between two versions of a check. */
export const looksSame = (left: CheckFacts, right: CheckFacts): boolean =>
  left.name === right.name &&
  left.target === right.target &&
  left.protocol === right.protocol &&
  left.customerId === right.customerId
