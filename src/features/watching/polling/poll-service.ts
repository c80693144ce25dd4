import { yieldWhenDue } from '@signalman/runtime'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { PollResult } from '../rows/polls.ts'

/** If more known checks than this are missing, lists those that are being installed instead of fetching each one. */
const MAX_SINGLE_REQUESTS = 20
/** How many missing checks one poll fetches; later polls fetch the rest. */
const MAX_MISSING_PER_POLL = 50
/** Concurrent requests of one poll. Low, to leave capacity for people. */
const CONCURRENCY = 4

type CheckAnswer = HealthCheck | 'gone'

/**
 * Lists the unhealthy checks, and looks up those of `known` that aren't among them: they are up, are being installed, have another
 * status, or were deleted. Throws ApiError.
 */
export async function pollService(
  { healthChecks }: Api,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<PollResult> {
  const bad = new Map<string, CheckFacts>()
  const answers = new Map<string, CheckAnswer>()
  const list = async (status: 'UNHEALTHY' | 'INSTALLING'): Promise<void> => {
    for await (const { results } of healthChecks.listAll({ status }, { signal, concurrency: CONCURRENCY })) {
      for (const check of results) {
        if (check.status === 'UNHEALTHY') bad.set(check.uuid, toCheckFacts(check))
        else answers.set(check.uuid, check)
      }
      await yieldWhenDue()
    }
  }
  const listMissing = () => [...known].filter((uuid) => !bad.has(uuid) && !answers.has(uuid))
  await list('UNHEALTHY')
  if (listMissing().length > MAX_SINGLE_REQUESTS) await list('INSTALLING')
  const missing = listMissing()
  if (missing.length > 0)
    for (const [uuid, answer] of await fetchSome(healthChecks, missing, signal)) answers.set(uuid, answer)
  return sortAnswers(known, bad, answers)
}

/** Sorts the checks that weren't listed as bad by their current status. Adds those that are bad after all to `bad`. */
function sortAnswers(
  known: ReadonlySet<string>,
  bad: Map<string, CheckFacts>,
  answers: ReadonlyMap<string, CheckAnswer>,
): PollResult {
  const result = {
    bad,
    good: new Set<string>(),
    installing: new Set<string>(),
    deleted: new Set<string>(),
  }
  for (const uuid of known) {
    const answer = answers.get(uuid)
    if (answer === undefined || bad.has(uuid)) continue
    if (answer === 'gone') result.deleted.add(uuid)
    else if (answer.status === 'UNHEALTHY') bad.set(uuid, toCheckFacts(answer))
    else if (answer.status === 'HEALTHY') result.good.add(uuid)
    else if (answer.status === 'INSTALLING') result.installing.add(uuid)
  }
  return result
}

/** Fetches some of the checks, others each time. Leaves out failed requests. */
async function fetchSome(
  healthChecks: Api['healthChecks'],
  uuids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, CheckAnswer>> {
  const start = uuids.length > MAX_MISSING_PER_POLL ? Math.floor(Math.random() * uuids.length) : 0
  const remaining = [...uuids.slice(start), ...uuids.slice(0, start)].slice(0, MAX_MISSING_PER_POLL)
  const answers = new Map<string, CheckAnswer>()
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

export const toCheckFacts = ({ uuid, name, target, protocol, customerId }: HealthCheck): CheckFacts => ({
  uuid,
  name,
  ...(target !== undefined && { target }),
  ...(protocol !== undefined && { protocol }),
  ...(customerId !== undefined && { customerId }),
})
