import { yieldWhenDue } from '@signalman/runtime'
import {
  looksSame,
  parseSubjectKey,
  type Sighting,
  type SubjectKey,
  type SubjectState,
  subjectKey,
} from '../../../domain/outages/observe.ts'
import type { CheckFacts, WatchedStatus } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { SuccessfulPoll } from '../rows/save-polls.ts'
import type { PreparedWatch } from '../rules/matching.ts'

/** What a poll found out about its subjects. A subject is a check together with a watched status. */
type SortedSubjects = Pick<Sighting, 'bad' | 'good' | 'installing' | 'deleted'>

/** What the service returned to one poll. */
export interface PollResult
  extends SortedSubjects,
    Pick<SuccessfulPoll, 'total' | 'isFull' | 'matched' | 'names'> {}

/** The input of a poll. */
export interface PollQuery {
  /** The number of the poll, used to rotate through checks if there are too many to fetch in one poll. */
  readonly poll: number
  /** Subjects that were bad in an earlier poll and haven't recovered. */
  readonly knownSubjects: ReadonlyMap<SubjectKey, Pick<SubjectState, 'check'>>
  readonly watches: readonly PreparedWatch[]
  /** Whether to list all checks, which also counts matches per watch. */
  readonly isFull: boolean
  /** Checks whose current names are needed, by UUID in lower case. */
  readonly namedUuids?: ReadonlySet<string> | undefined
  readonly signal: AbortSignal
}

/** If more known subjects than this are missing, lists all checks instead of fetching each one. */
const MAX_SINGLE_REQUESTS = 20
/** How many missing checks one poll fetches; later polls fetch the rest. */
const MAX_MISSING_PER_POLL = 50
/** Concurrent requests of one poll. Low, to leave capacity for people. */
const CONCURRENCY = 4

/**
 * Lists unhealthy checks, or all checks if `isFull` is set or too much has changed. The first request runs alone, so that a hanging
 * service doesn't get more requests. Throws ApiError.
 */
export async function pollService({ healthChecks }: Api, query: PollQuery): Promise<PollResult> {
  const { signal } = query
  const keys = [...query.knownSubjects.keys()]
  const { total } = await healthChecks.list({ limit: 1 }, signal)
  const tallyListing = async (
    tally: Tally,
    where: { status?: 'UNHEALTHY' | 'INSTALLING' },
  ): Promise<void> => {
    for await (const page of healthChecks.listAll(where, { signal, concurrency: CONCURRENCY })) {
      for (const check of page.results) {
        tally.count(check)
        // Counting one check can take long: watches can have up to 20,000 names to compare with.
        await yieldWhenDue()
      }
    }
  }
  if (!query.isFull) {
    const tally = createTally(query, [])
    const isMissing = (key: SubjectKey): boolean => !tally.bad.has(key) && !tally.answers.has(getUuid(key))
    await tallyListing(tally, { status: 'UNHEALTHY' })
    // A known check that is missing from the list has recovered, is being installed, or was deleted.
    if (keys.filter(isMissing).length > MAX_SINGLE_REQUESTS)
      await tallyListing(tally, { status: 'INSTALLING' })
    if (keys.filter(isMissing).length <= MAX_SINGLE_REQUESTS)
      return { ...(await fetchMissing(healthChecks, tally, query)), total, isFull: false }
  }
  // Starts over, because the full listing is newer than the short ones.
  const tally = createTally(query, query.watches)
  await tallyListing(tally, {})
  const sorted = await fetchMissing(healthChecks, tally, query)
  return { ...sorted, total, isFull: true, matched: tally.matched, names: tally.names }
}

/** Fetches each known subject that the listing didn't include, and sorts all answers. */
export async function fetchMissing(
  healthChecks: Api['healthChecks'],
  { bad, answers }: Pick<Tally, 'bad' | 'answers'>,
  { knownSubjects, poll, signal }: Pick<PollQuery, 'knownSubjects' | 'poll' | 'signal'>,
): Promise<SortedSubjects> {
  const notBad = [...knownSubjects.keys()].filter((key) => !bad.has(key))
  const missing = notBad.filter((key) => !answers.has(getUuid(key)))
  if (missing.length > 0) {
    const requested = rotate(missing, poll)
    for (const [uuid, answer] of await fetchEach(healthChecks, requested, signal)) answers.set(uuid, answer)
  }
  return sortAnswers(notBad, answers, bad)
}

/** Returns a different part of the list for each poll. */
function rotate<T>(items: readonly T[], poll: number): readonly T[] {
  if (items.length <= MAX_MISSING_PER_POLL) return items
  const start = (poll * MAX_MISSING_PER_POLL) % items.length
  return [...items.slice(start), ...items.slice(0, start)].slice(0, MAX_MISSING_PER_POLL)
}

/** Fetches each check. Returns the answers by UUID. Leaves out failed requests. */
async function fetchEach(
  healthChecks: Api['healthChecks'],
  keys: readonly SubjectKey[],
  signal: AbortSignal,
): Promise<Map<string, CheckAnswer>> {
  const answers = new Map<string, CheckAnswer>()
  const remaining = [...new Set(keys.map(getUuid))]
  const fetchRemaining = async (): Promise<void> => {
    for (let uuid = remaining.pop(); uuid !== undefined; uuid = remaining.pop()) {
      const answer = await fetchOne(healthChecks, uuid, signal)
      if (answer) answers.set(uuid, answer)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, fetchRemaining))
  return answers
}

async function fetchOne(
  healthChecks: Api['healthChecks'],
  uuid: string,
  signal: AbortSignal,
): Promise<CheckAnswer | undefined> {
  try {
    return await healthChecks.get(uuid, signal)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.kind === 'not-found') return 'gone'
    if (error.kind === 'unauthorized' || error.kind === 'cancelled') throw error
    return undefined
  }
}

/** Sorts the subjects that weren't listed as bad by their current status. Adds those that are bad after all to `bad`. */
function sortAnswers(
  notBad: readonly SubjectKey[],
  answers: ReadonlyMap<string, CheckAnswer>,
  bad: BadSubjects,
): SortedSubjects {
  const good = new Set<SubjectKey>()
  const installing = new Set<SubjectKey>()
  const deleted = new Set<SubjectKey>()
  for (const key of notBad) {
    const { uuid, status } = parseSubjectKey(key)
    const answer = answers.get(uuid)
    if (answer === 'gone') deleted.add(key)
    else if (answer?.status === status) bad.set(key, { check: toCheckFacts(answer), status })
    else if (answer?.status === 'HEALTHY' || answer?.status === 'INSTALLING') {
      good.add(key)
      if (answer.status === 'INSTALLING') installing.add(key)
    }
  }
  return { bad, good, installing, deleted }
}

export type BadSubjects = Map<SubjectKey, { check: CheckFacts; status: WatchedStatus }>

/** A check from a listing or a single request. */
type CheckAnswer = HealthCheck | 'gone'

type Tally = ReturnType<typeof createTally>

/** Collects what a poll needs from listed checks: bad checks, checks with a known subject, names, and matches per watch. */
export function createTally(
  { knownSubjects, namedUuids }: Pick<PollQuery, 'knownSubjects' | 'namedUuids'>,
  watches: readonly PreparedWatch[],
) {
  const knownUuids = new Set([...knownSubjects.keys()].map(getUuid))
  const bad: BadSubjects = new Map()
  const answers = new Map<string, CheckAnswer>()
  const names = new Map<string, string>()
  const matched = new Map(watches.map(({ watch }) => [watch.id, 0]))
  const countMatches = (facts: CheckFacts): void => {
    for (const { watch, matches } of watches)
      if (matches(facts)) matched.set(watch.id, (matched.get(watch.id) ?? 0) + 1)
  }
  return {
    bad,
    /** By UUID, for checks with a known subject. */
    answers,
    /** How many checks match each watch. */
    matched,
    names,
    /** Whether `count` needs this check. */
    isNeeded: (uuid: string, status: string): boolean =>
      watches.length > 0 || knownUuids.has(uuid) || status === 'UNHEALTHY',
    count(check: HealthCheck): void {
      const { status } = check
      if (status === 'UNHEALTHY') {
        const key = subjectKey(check.uuid, status)
        const before = knownSubjects.get(key)?.check
        // Reuses the facts of an unchanged check. With thousands of checks down, that saves a third of the poll's time.
        const facts = before && looksSame(before, check) ? before : toCheckFacts(check)
        bad.set(key, { check: facts, status })
      }
      const uuid = namedUuids ? check.uuid.toLowerCase() : ''
      if (namedUuids?.has(uuid)) names.set(uuid, check.name)
      if (knownUuids.has(check.uuid)) answers.set(check.uuid, check)
      if (watches.length > 0) countMatches(toCheckFacts(check))
    },
  }
}

const getUuid = (key: SubjectKey): string => parseSubjectKey(key).uuid

export const toCheckFacts = ({
  uuid,
  name,
  target,
  protocol,
  customerId,
  createdAt,
}: HealthCheck): CheckFacts => ({
  uuid,
  name,
  ...(target !== undefined && { target }),
  ...(protocol !== undefined && { protocol }),
  ...(customerId !== undefined && { customerId }),
  ...(createdAt && { madeAt: createdAt.toISOString() }),
})
