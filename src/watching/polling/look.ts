import { ApiError } from '../../api/errors.ts'
import type { Api } from '../../api/service.ts'
import { type SubjectKey, subjectKey } from '../../domain/watching/observe.ts'
import type { CheckTotals } from '../../domain/watching/outage.ts'
import type { ReadyWatch } from '../../domain/watching/subjects.ts'
import { type CheckFacts, WATCHED_STATUSES, type WatchedStatus } from '../../domain/watching/watch.ts'
import { yieldWhenDue } from '../../turns.ts'
import { type Answer, type BadSubjects, type Census, factsOf, takeCensus, uuidOf } from './census.ts'

/** What one poll has seen. */
export interface Look {
  readonly bad: ReadonlyMap<SubjectKey, { readonly check: CheckFacts; readonly status: WatchedStatus }>
  readonly good: ReadonlySet<SubjectKey>
  readonly deleted: ReadonlySet<SubjectKey>
  readonly totals: CheckTotals
  readonly isFull: boolean
  /** How many checks fit each watch; set after a full listing. */
  readonly matched?: ReadonlyMap<string, number> | undefined
}

/** What one poll asks. */
export interface PollQuestion {
  /** Its number: what one poll has no room to ask for is asked for by the next. */
  readonly poll: number
  readonly statuses: readonly WatchedStatus[]
  /** Subjects that were bad in the poll before. */
  readonly known: readonly SubjectKey[]
  readonly watches: readonly ReadyWatch[]
  /** Whether everything has to be listed, judging by the present totals. */
  readonly wantsFull: (totals: CheckTotals) => boolean
  readonly signal: AbortSignal
}

/** More missing subjects than this are found by a full listing instead of one by one. */
const MOST_ASKED = 20
/** The most checks missing from a full listing that one poll asks for; the rest wait for later polls. */
const MOST_MISSING = 50
/** Requests of one poll at a time, so that the service can answer people meanwhile. */
const CONCURRENCY = 4

/**
 * Asks for what is not healthy and for three totals; for everything when that is wanted, or too much has changed. The first
 * request goes alone: a service that hangs is asked for no more. Throws ApiError.
 */
export async function lookAt({ healthChecks }: Api, question: PollQuestion): Promise<Look> {
  const { statuses, signal, wantsFull } = question
  const all = await healthChecks.list({ limit: 1 }, signal)
  const [healthy, installing, ...listed] = await Promise.all([
    healthChecks.list({ status: 'HEALTHY', limit: 1 }, signal),
    healthChecks.list({ status: 'INSTALLING', limit: 1 }, signal),
    ...statuses.map((status) => listStatus(healthChecks, status, signal)),
  ])
  const bad: BadSubjects = new Map(listed.flatMap((some) => [...some]))
  const unhealthy = [...bad.values()].filter(({ status }) => status === 'UNHEALTHY').length
  const totals = { all: all.total, healthy: healthy.total, installing: installing.total, unhealthy }
  const gone = question.known.filter((key) => !bad.has(key))
  if (wantsFull(totals) || gone.length > MOST_ASKED) return fullLook(healthChecks, question, totals)
  const answers = await askEach(healthChecks, gone, signal)
  return { ...sorted(gone, answers, bad), totals, isFull: false }
}

async function listStatus(
  healthChecks: Api['healthChecks'],
  status: WatchedStatus,
  signal: AbortSignal,
): Promise<BadSubjects> {
  const found: BadSubjects = new Map()
  for await (const page of healthChecks.listAll({ status }, { signal, concurrency: CONCURRENCY })) {
    // A service without this filter also lists other statuses.
    for (const check of page.results)
      if (check.status === status)
        found.set(subjectKey(check.uuid, status), { check: factsOf(check), status })
    await yieldWhenDue()
  }
  return found
}

/** A full listing; where it differs from the short one, it is right. */
async function fullLook(
  healthChecks: Api['healthChecks'],
  question: PollQuestion,
  totals: CheckTotals,
): Promise<Look> {
  const { signal } = question
  const census = takeCensus(question, question.watches)
  for await (const page of healthChecks.listAll({}, { signal, concurrency: CONCURRENCY })) {
    for (const check of page.results) census.count(check)
    await yieldWhenDue()
  }
  const { bad, matched } = census
  const said = await lookForMissing(healthChecks, census, question)
  const unhealthy = [...bad.values()].filter(({ status }) => status === 'UNHEALTHY').length
  return { ...said, totals: { ...totals, unhealthy }, isFull: true, matched }
}

/** Finds the known subjects that the short listing lacks: in a full listing, or by asking for each. */
export async function lookForMissing(
  healthChecks: Api['healthChecks'],
  { bad, answers }: Pick<Census, 'bad' | 'answers'>,
  { known, poll, signal }: Pick<PollQuestion, 'known' | 'poll' | 'signal'>,
): Promise<Pick<Look, 'bad' | 'good' | 'deleted'>> {
  const gone = known.filter((key) => !bad.has(key))
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
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>()
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
): Promise<Answer | undefined> {
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
  answers: ReadonlyMap<string, Answer>,
  bad: BadSubjects,
): Pick<Look, 'bad' | 'good' | 'deleted'> {
  const good = new Set<SubjectKey>()
  const deleted = new Set<SubjectKey>()
  for (const key of gone) {
    const answer = answers.get(uuidOf(key))
    const status = statusOf(key)
    if (answer === 'gone') deleted.add(key)
    else if (answer?.status === status) bad.set(key, { check: factsOf(answer), status })
    else if (answer && isGood(answer.status, status)) good.add(key)
  }
  return { bad, good, deleted }
}

/** HEALTHY ends every outage; UNHEALTHY ends one of INSTALLING too. */
const isGood = (status: string, was: WatchedStatus): boolean =>
  status === 'HEALTHY' || (was === 'INSTALLING' && status === 'UNHEALTHY')

function statusOf(key: SubjectKey): WatchedStatus {
  const status = key.slice(key.lastIndexOf(' ') + 1)
  return WATCHED_STATUSES.find((one) => one === status) ?? 'UNHEALTHY'
}
