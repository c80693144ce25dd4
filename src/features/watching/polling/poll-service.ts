import { yieldWhenDue } from '@signalman/runtime'
import type { Incident } from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { PollResult } from '../rules/decide-poll.ts'

/** How much one poll asks for to find what isn't listed as unhealthy anymore: pages of each list, checks one by one, and for how long. */
const MAX_PAGES = 200
const MAX_SINGLE_CHECKS = 20
const SEARCH_TIMEOUT_MS = 30_000
/** Concurrent requests of one poll. Low, to leave capacity for people. */
const CONCURRENCY = 4

/** What is known about the checks, by UUID. */
type Known = ReadonlyMap<string, Pick<Incident, 'isDown' | 'isInstalling'>>

/**
 * Lists the unhealthy checks. If something known as down isn't among them, searches the other lists until it's found, and looks up what is
 * in none of them. Throws ApiError if the unhealthy checks can't be listed. What else can't be read is neither up nor down.
 */
export async function pollService(
  { healthChecks }: Api,
  known: Known,
  signal: AbortSignal,
): Promise<PollResult> {
  const bad = new Map<string, CheckFacts>()
  const [good, installing, deleted] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const missing = new Set(known.keys())
  const sort = (check: HealthCheck): void => {
    const { uuid, status } = check
    const isMissing = missing.delete(uuid)
    if (status === 'UNHEALTHY') bad.set(uuid, toCheckFacts(check))
    else if (isMissing) (status === 'HEALTHY' ? good : installing).add(uuid)
  }
  let areAllRead = true
  for await (const { results, unreadable } of list(healthChecks, 'UNHEALTHY', signal)) {
    for (const check of results) sort(check)
    areAllRead &&= unreadable === 0
    await yieldWhenDue()
  }
  // What was up and isn't listed as unhealthy is still up.
  if (areAllRead)
    for (const [uuid, { isDown, isInstalling }] of known)
      if (!isDown && !isInstalling && missing.delete(uuid)) good.add(uuid)

  await search(healthChecks, { missing, deleted, sort }, signal)
  if (areAllRead) for (const uuid of missing) installing.add(uuid)
  return { bad, good, installing, deleted }
}

const list = (healthChecks: Api['healthChecks'], status: string, signal: AbortSignal) =>
  healthChecks.listAll({ status }, { signal, concurrency: CONCURRENCY })

/** Searches for what is missing, within limits. What can't be read stays missing. */
async function search(
  healthChecks: Api['healthChecks'],
  {
    missing,
    deleted,
    sort,
  }: { missing: Set<string>; deleted: Set<string>; sort: (check: HealthCheck) => void },
  signal: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(SEARCH_TIMEOUT_MS)])
  const attempt = async (read: () => Promise<void>): Promise<void> => {
    try {
      if (!limit.aborted) await read()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ApiError)) throw error
    }
  }
  const searchList = async (status: string): Promise<void> => {
    let pages = 0
    for await (const { results } of list(healthChecks, status, limit)) {
      for (const check of results) sort(check)
      pages += 1
      if (missing.size === 0 || pages === MAX_PAGES) return
      await yieldWhenDue()
    }
  }
  const searchCheck = async (uuid: string): Promise<void> => {
    const check = await lookUp(healthChecks, uuid, limit)
    if (check) sort(check)
    else if (missing.delete(uuid)) deleted.add(uuid)
  }
  for (const status of ['HEALTHY', 'INSTALLING'])
    if (missing.size > 0) await attempt(() => searchList(status))
  for (const uuid of [...missing].slice(0, MAX_SINGLE_CHECKS)) await attempt(() => searchCheck(uuid))
}

/** Undefined if the service says twice that there is no such check. Throws ApiError. */
async function lookUp(
  healthChecks: Api['healthChecks'],
  uuid: string,
  signal: AbortSignal,
): Promise<HealthCheck | undefined> {
  const get = () =>
    healthChecks.get(uuid, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'not-found') return undefined
      throw error
    })
  return (await get()) ?? (await get())
}

export const toCheckFacts = ({ uuid, name, target, protocol, customerId }: HealthCheck): CheckFacts => ({
  uuid,
  name,
  ...(target !== undefined && { target }),
  ...(protocol !== undefined && { protocol }),
  ...(customerId !== undefined && { customerId }),
})
