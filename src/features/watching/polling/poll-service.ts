import { yieldWhenDue } from '@signalman/runtime'
import { looksSame, type ObservedIncident, type Sighting } from '../../../domain/outages/observe.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { SuccessfulPoll } from '../rows/save-polls.ts'
import type { PreparedWatch } from '../rules/matching.ts'

/** What a poll found out about checks. */
type SortedChecks = Pick<Sighting, 'bad' | 'good' | 'installing' | 'deleted'>

/** What the service returned to one poll. */
export interface PollResult
  extends SortedChecks,
    Pick<SuccessfulPoll, 'total' | 'isFull' | 'matched' | 'names'> {}

/** The input of a poll. */
export interface PollQuery {
  /** The number of the poll, used to rotate through checks if there are too many to fetch in one poll. */
  readonly poll: number
  /** The open incidents of checks, by UUID. */
  readonly known: ReadonlyMap<string, Pick<ObservedIncident, 'check'>>
  readonly watches: readonly PreparedWatch[]
  /** Whether to list all checks, which also counts matches per watch. */
  readonly isFull: boolean
  /** Checks whose current names are needed, by UUID in lower case. */
  readonly namedUuids?: ReadonlySet<string> | undefined
  readonly signal: AbortSignal
}

/** If more known checks than this are missing, lists all checks instead of fetching each one. */
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
  const uuids = [...query.known.keys()]
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
    const isMissing = (uuid: string): boolean => !tally.bad.has(uuid) && !tally.answers.has(uuid)
    await tallyListing(tally, { status: 'UNHEALTHY' })
    // A known check that is missing from the list is up, is being installed, has another status, or was deleted.
    if (uuids.filter(isMissing).length > MAX_SINGLE_REQUESTS)
      await tallyListing(tally, { status: 'INSTALLING' })
    if (uuids.filter(isMissing).length <= MAX_SINGLE_REQUESTS)
      return { ...(await fetchMissing(healthChecks, tally, query)), total, isFull: false }
  }
  // Starts over, because the full listing is newer than the short ones.
  const tally = createTally(query, query.watches)
  await tallyListing(tally, {})
  const sorted = await fetchMissing(healthChecks, tally, query)
  return { ...sorted, total, isFull: true, matched: tally.matched, names: tally.names }
}

/** Fetches each known check that the listing didn't include, and sorts all answers. */
export async function fetchMissing(
  healthChecks: Api['healthChecks'],
  { bad, answers }: Pick<Tally, 'bad' | 'answers'>,
  { known, poll, signal }: Pick<PollQuery, 'known' | 'poll' | 'signal'>,
): Promise<SortedChecks> {
  const notBad = [...known.keys()].filter((uuid) => !bad.has(uuid))
  const missing = notBad.filter((uuid) => !answers.has(uuid))
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
  uuids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, CheckAnswer>> {
  const answers = new Map<string, CheckAnswer>()
  const remaining = [...uuids]
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

/** Sorts the checks that weren't listed as bad by their current status. Adds those that are bad after all to `bad`. */
function sortAnswers(
  notBad: readonly string[],
  answers: ReadonlyMap<string, CheckAnswer>,
  bad: Map<string, CheckFacts>,
): SortedChecks {
  const good = new Set<string>()
  const installing = new Set<string>()
  const deleted = new Set<string>()
  for (const uuid of notBad) {
    const answer = answers.get(uuid)
    if (answer === 'gone') deleted.add(uuid)
    else if (answer?.status === 'UNHEALTHY') bad.set(uuid, toCheckFacts(answer))
    else if (answer?.status === 'HEALTHY' || answer?.status === 'INSTALLING') {
      good.add(uuid)
      if (answer.status === 'INSTALLING') installing.add(uuid)
    }
  }
  return { bad, good, installing, deleted }
}

/** A check from a listing or a single request. */
type CheckAnswer = HealthCheck | 'gone'

type Tally = ReturnType<typeof createTally>

/** Collects what a poll needs from listed checks: bad checks, checks with an open incident, names, and matches per watch. */
export function createTally(
  { known, namedUuids }: Pick<PollQuery, 'known' | 'namedUuids'>,
  watches: readonly PreparedWatch[],
) {
  const bad = new Map<string, CheckFacts>()
  const answers = new Map<string, CheckAnswer>()
  const names = new Map<string, string>()
  const matched = new Map(watches.map(({ watch }) => [watch.id, 0]))
  const countMatches = (facts: CheckFacts): void => {
    for (const { watch, matches } of watches)
      if (matches(facts)) matched.set(watch.id, (matched.get(watch.id) ?? 0) + 1)
  }
  return {
    bad,
    /** By UUID, for checks with an open incident. */
    answers,
    /** How many checks match each watch. */
    matched,
    names,
    /** Whether `count` needs this check. */
    isNeeded: (uuid: string, status: string): boolean =>
      watches.length > 0 || known.has(uuid) || status === 'UNHEALTHY',
    count(check: HealthCheck): void {
      const { status } = check
      if (status === 'UNHEALTHY') {
        const before = known.get(check.uuid)?.check
        // Reuses the facts of an unchanged check. With thousands of checks down, that saves a third of the poll's time.
        bad.set(check.uuid, before && looksSame(before, check) ? before : toCheckFacts(check))
      }
      const uuid = namedUuids ? check.uuid.toLowerCase() : ''
      if (namedUuids?.has(uuid)) names.set(uuid, check.name)
      if (known.has(check.uuid)) answers.set(check.uuid, check)
      if (watches.length > 0) countMatches(toCheckFacts(check))
    },
  }
}

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
