import { yieldWhenDue } from '@signalman/runtime'
import {
  isSame,
  type Sighting,
  type SubjectKey,
  type SubjectState,
  subjectKey,
  subjectOf,
} from '../../../domain/outages/observe.ts'
import type { CheckFacts, WatchedStatus } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { PollEnd } from '../rows/end-polls.ts'
import type { ReadyWatch } from '../rules/subjects.ts'

type Sorted = Pick<Sighting, 'bad' | 'good' | 'installing' | 'deleted'>

/** What one poll has seen. */
export interface Look extends Sorted, Pick<PollEnd, 'total' | 'isFull' | 'matched' | 'names'> {}

/** What one poll asks. */
export interface PollQuestion {
  /** Its number: what one poll has no room to ask for is asked for by the next. */
  readonly poll: number
  /** Subjects that are not simply good since the poll before. */
  readonly known: ReadonlyMap<SubjectKey, Pick<SubjectState, 'check'>>
  readonly watches: readonly ReadyWatch[]
  /** Whether all checks are listed, to count how many fit each watch. */
  readonly isFull: boolean
  /** Of these checks their names are wanted, by their UUIDs in lower case. */
  readonly named?: ReadonlySet<string> | undefined
  readonly signal: AbortSignal
}

/** More missing subjects than this are found by a full listing instead of one by one. */
const MOST_ASKED = 20
/** The most checks missing from a full listing that one poll asks for; the rest wait for later polls. */
const MOST_MISSING = 50
/** Requests of one poll at a time, so that the service can answer people meanwhile. */
const CONCURRENCY = 4

/**
 * Asks for what is not healthy; for everything when that is wanted, or when too much has changed. The first request goes alone: a
 * service that hangs is asked for no more. Throws ApiError.
 */
export async function lookAt({ healthChecks }: Api, question: PollQuestion): Promise<Look> {
  const { signal } = question
  const keys = [...question.known.keys()]
  const { total } = await healthChecks.list({ limit: 1 }, signal)
  const listed = async (census: Census, where: { status?: 'UNHEALTHY' | 'INSTALLING' }): Promise<void> => {
    for await (const page of healthChecks.listAll(where, { signal, concurrency: CONCURRENCY })) {
      for (const check of page.results) {
        census.count(check)
        // At the limits one health check is compared with 20,000 names.
        await yieldWhenDue()
      }
    }
  }
  if (!question.isFull) {
    const census = takeCensus(question, [])
    const isUnsaid = (key: SubjectKey): boolean => !census.bad.has(key) && !census.answers.has(uuidOf(key))
    await listed(census, { status: 'UNHEALTHY' })
    // Whoever is being installed is neither: without these, only what has recovered or is gone is left.
    if (keys.filter(isUnsaid).length > MOST_ASKED) await listed(census, { status: 'INSTALLING' })
    if (keys.filter(isUnsaid).length <= MOST_ASKED)
      return { ...(await lookForMissing(healthChecks, census, question)), total, isFull: false }
  }
  // Where it differs from the short listings, it is right.
  const census = takeCensus(question, question.watches)
  await listed(census, {})
  const said = await lookForMissing(healthChecks, census, question)
  return { ...said, total, isFull: true, matched: census.matched, names: census.names }
}

/** Asks for each known subject that the listing lacks, and sorts what is known of all of them. */
export async function lookForMissing(
  healthChecks: Api['healthChecks'],
  { bad, answers }: Pick<Census, 'bad' | 'answers'>,
  { known, poll, signal }: Pick<PollQuestion, 'known' | 'poll' | 'signal'>,
): Promise<Sorted> {
  const gone = [...known.keys()].filter((key) => !bad.has(key))
  const missing = gone.filter((key) => !answers.has(uuidOf(key)))
  const asked = inRotation(missing, poll)
  for (const [uuid, answer] of await askEach(healthChecks, asked, signal)) answers.set(uuid, answer)
  return sorted(gone, answers, bad)
}

/** At most so many of all, and in the next poll those that follow. */
function inRotation<T>(all: readonly T[], poll: number): readonly T[] {
  if (all.length <= MOST_MISSING) return all
  const start = (poll * MOST_MISSING) % all.length
  return [...all.slice(start), ...all.slice(0, start)].slice(0, MOST_MISSING)
}

/** By UUID, without those that could not be asked for or read. */
async function askEach(
  healthChecks: Api['healthChecks'],
  keys: readonly SubjectKey[],
  signal: AbortSignal,
): Promise<Map<string, CheckAnswer>> {
  const answers = new Map<string, CheckAnswer>()
  const left = [...new Set(keys.map(uuidOf))]
  const ask = async (): Promise<void> => {
    for (let uuid = left.pop(); uuid !== undefined; uuid = left.pop()) {
      const answer = await askOne(healthChecks, uuid, signal)
      if (answer) answers.set(uuid, answer)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, ask))
  return answers
}

async function askOne(
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

/** Sorts the answers on subjects that were not listed as bad. One that is bad after all goes to `bad`. */
function sorted(
  gone: readonly SubjectKey[],
  answers: ReadonlyMap<string, CheckAnswer>,
  bad: BadSubjects,
): Sorted {
  const good = new Set<SubjectKey>()
  const installing = new Set<SubjectKey>()
  const deleted = new Set<SubjectKey>()
  for (const key of gone) {
    const { uuid, status } = subjectOf(key)
    const answer = answers.get(uuid)
    if (answer === 'gone') deleted.add(key)
    else if (answer?.status === status) bad.set(key, { check: factsOf(answer), status })
    else if (answer?.status === 'HEALTHY' || answer?.status === 'INSTALLING') {
      good.add(key)
      if (answer.status === 'INSTALLING') installing.add(key)
    }
  }
  return { bad, good, installing, deleted }
}

export type BadSubjects = Map<SubjectKey, { check: CheckFacts; status: WatchedStatus }>

/** A check as listed, or as the service answered when asked for it. */
type CheckAnswer = HealthCheck | 'gone'

type Census = ReturnType<typeof takeCensus>

/** Counts every check of a listing, and keeps those with an open subject. */
export function takeCensus(
  { known, named }: Pick<PollQuestion, 'known' | 'named'>,
  watches: readonly ReadyWatch[],
) {
  const withSubject = new Set([...known.keys()].map(uuidOf))
  const bad: BadSubjects = new Map()
  const answers = new Map<string, CheckAnswer>()
  const names = new Map<string, string>()
  const matched = new Map(watches.map(({ watch }) => [watch.id, 0]))
  const countFits = (facts: CheckFacts): void => {
    for (const { watch, fits } of watches)
      if (fits(facts)) matched.set(watch.id, (matched.get(watch.id) ?? 0) + 1)
  }
  return {
    bad,
    /** By UUID, for the checks with an open subject. */
    answers,
    /** How many checks fit each watch. */
    matched,
    names,
    /** Whether a check counts at all. */
    wants: (uuid: string, status: string): boolean =>
      watches.length > 0 || withSubject.has(uuid) || status === 'UNHEALTHY',
    count(check: HealthCheck): void {
      const { status } = check
      if (status === 'UNHEALTHY') {
        const key = subjectKey(check.uuid, status)
        const before = known.get(key)?.check
        // What is as it was is not read whole again: of thousands that stay down, that is a third of the poll.
        const facts = before && isSame(before, check) ? before : factsOf(check)
        bad.set(key, { check: facts, status })
      }
      const uuid = named ? check.uuid.toLowerCase() : ''
      if (named?.has(uuid)) names.set(uuid, check.name)
      if (withSubject.has(check.uuid)) answers.set(check.uuid, check)
      if (watches.length > 0) countFits(factsOf(check))
    },
  }
}

const uuidOf = (key: SubjectKey): string => subjectOf(key).uuid

export const factsOf = ({
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
