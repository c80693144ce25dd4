import { ApiError } from '../../api/errors.ts'
import type { HealthCheck } from '../../api/health-checks.ts'
import type { Api } from '../../api/service.ts'
import { type SubjectKey, subjectKey } from '../../domain/watching/observe.ts'
import type { CheckTotals } from '../../domain/watching/outage.ts'
import type { ReadyWatch } from '../../domain/watching/subjects.ts'
import { type CheckFacts, WATCHED_STATUSES, type WatchedStatus } from '../../domain/watching/watch.ts'
import { yieldWhenDue } from '../../turns.ts'

/** What the service said in one poll. */
export interface Look {
  readonly bad: ReadonlyMap<SubjectKey, { readonly check: CheckFacts; readonly status: WatchedStatus }>
  readonly good: ReadonlySet<SubjectKey>
  readonly deleted: ReadonlySet<SubjectKey>
  readonly totals: CheckTotals
  readonly isFull: boolean
  /** How many checks fit each watch; set after a full listing. */
  readonly matched?: ReadonlyMap<string, number> | undefined
}

/** What a poll wants to know. */
export interface PollQuestion {
  readonly statuses: readonly WatchedStatus[]
  /** Subjects that were bad by the poll before. */
  readonly known: readonly SubjectKey[]
  readonly watches: readonly ReadyWatch[]
  /** Whether everything is listed, by the totals that the service gives now. */
  readonly wantsFull: (totals: CheckTotals) => boolean
  readonly signal: AbortSignal
}

/** More than these are found in a full listing instead of one by one. */
const MOST_ASKED = 20
/** Of what even a full listing lacks; the rest is asked for in later polls. */
const MOST_MISSING = 50
/** Requests of one poll at a time, so that the service has room for whoever types. */
const CONCURRENCY = 4

type Bad = Map<SubjectKey, { check: CheckFacts; status: WatchedStatus }>

/** Asks for what is not healthy and for three totals; for everything when that is wanted, or too much has changed. Throws ApiError. */
export async function lookAt({ healthChecks }: Api, question: PollQuestion): Promise<Look> {
  const { statuses, signal, wantsFull } = question
  const [all, healthy, installing, ...listed] = await Promise.all([
    healthChecks.list({ limit: 1 }, signal),
    healthChecks.list({ status: 'HEALTHY', limit: 1 }, signal),
    healthChecks.list({ status: 'INSTALLING', limit: 1 }, signal),
    ...statuses.map((status) => listStatus(healthChecks, status, signal)),
  ])
  const bad: Bad = new Map(listed.flatMap((some) => [...some]))
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
): Promise<Bad> {
  const found: Bad = new Map()
  for await (const page of healthChecks.listAll({ status }, { signal, concurrency: CONCURRENCY })) {
    // A service that knows no filter gives what has another status too.
    for (const check of page.results)
      if (check.status === status)
        found.set(subjectKey(check.uuid, status), { check: factsOf(check), status })
    await yieldWhenDue()
  }
  return found
}

/** Everything as it stands now, which is what counts where it differs from the short listing. */
async function fullLook(
  healthChecks: Api['healthChecks'],
  question: PollQuestion,
  totals: CheckTotals,
): Promise<Look> {
  const { known, signal } = question
  const census = takeCensus(question, new Set(known.map(uuidOf)))
  for await (const page of healthChecks.listAll({}, { signal, concurrency: CONCURRENCY })) {
    for (const check of page.results) census.count(check)
    await yieldWhenDue()
  }
  const { bad, answers, matched } = census
  const gone = known.filter((key) => !bad.has(key))
  const missing = gone.filter((key) => !answers.has(uuidOf(key))).slice(0, MOST_MISSING)
  for (const [uuid, answer] of await askEach(healthChecks, missing, signal)) answers.set(uuid, answer)
  const unhealthy = [...bad.values()].filter(({ status }) => status === 'UNHEALTHY').length
  return { ...sorted(gone, answers, bad), totals: { ...totals, unhealthy }, isFull: true, matched }
}

/** Counts every check that there is; of those in question, what became of them is remembered. */
function takeCensus({ statuses, watches }: PollQuestion, inQuestion: ReadonlySet<string>) {
  const bad: Bad = new Map()
  const answers = new Map<string, HealthCheck | 'gone'>()
  const matched = new Map(watches.map(({ watch }) => [watch.id, 0]))
  return {
    bad,
    answers,
    matched,
    count(check: HealthCheck): void {
      const facts = factsOf(check)
      const status = statuses.find((one) => one === check.status)
      if (status) bad.set(subjectKey(check.uuid, status), { check: facts, status })
      if (inQuestion.has(check.uuid)) answers.set(check.uuid, check)
      for (const { watch, matches } of watches)
        if (matches(facts)) matched.set(watch.id, (matched.get(watch.id) ?? 0) + 1)
    },
  }
}

/** By uuid; one that could not be read, or asked for, is left out. */
async function askEach(
  healthChecks: Api['healthChecks'],
  keys: readonly SubjectKey[],
  signal: AbortSignal,
): Promise<Map<string, HealthCheck | 'gone'>> {
  const answers = new Map<string, HealthCheck | 'gone'>()
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
): Promise<HealthCheck | 'gone' | undefined> {
  try {
    return await healthChecks.get(uuid, signal)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.kind === 'not-found') return 'gone'
    if (error.kind === 'unauthorized' || error.kind === 'cancelled') throw error
    return undefined
  }
}

/** What is said of subjects that were not listed as bad. One that is bad after all goes to `bad`. */
function sorted(
  gone: readonly SubjectKey[],
  answers: ReadonlyMap<string, HealthCheck | 'gone'>,
  bad: Bad,
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

/** A check that is being installed is no sign that it is well again; one that was stuck in that is over it either way. */
const isGood = (status: string, was: WatchedStatus): boolean =>
  status === 'HEALTHY' || (was === 'INSTALLING' && status === 'UNHEALTHY')

const uuidOf = (key: SubjectKey): string => key.slice(0, key.lastIndexOf(' '))

function statusOf(key: SubjectKey): WatchedStatus {
  const status = key.slice(key.lastIndexOf(' ') + 1)
  return WATCHED_STATUSES.find((one) => one === status) ?? 'UNHEALTHY'
}

const factsOf = ({ uuid, name, target, protocol, customerId }: HealthCheck): CheckFacts => ({
  uuid,
  name,
  ...(target !== undefined && { target }),
  ...(protocol !== undefined && { protocol }),
  ...(customerId !== undefined && { customerId }),
})
