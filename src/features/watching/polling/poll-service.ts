import { limitTime, yieldWhenDue } from '@signalman/runtime'
import type { Incident } from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { ApiError, isNotFound } from '../../../service/errors.ts'
import { type HealthCheck, PAGE_SIZE } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { PollResult } from '../rules/decide-poll.ts'

const LIST_TIMEOUT_MS = 60_000
/** How much one poll asks for to find what isn't listed as unhealthy: for how long, checks one by one, and pages of each list. */
const SEARCH_TIMEOUT_MS = 30_000
const MAX_SINGLE_CHECKS = 20
const MAX_PAGES = 200
/** Concurrent requests of one poll. Low, to leave capacity for people. */
const CONCURRENCY = 4

type Known = ReadonlyMap<string, Pick<Incident, 'isDown' | 'isInstalling'>>

/** What was polled last with another token, which may be of another account: checks that were down then, or before. */
export interface Former {
  readonly account: string | undefined
  readonly uuids: readonly string[]
}

/**
 * Lists the unhealthy checks, and searches for what is known and isn't among them. What isn't found keeps its state, unless the list
 * proves that it isn't down. Throws ApiError if the unhealthy checks can't be listed, or if it stays unknown whether the token is of
 * the account that was polled last.
 */
export async function pollService(
  { healthChecks, account }: Api,
  known: Known,
  signal: AbortSignal,
  former: Former = { account, uuids: [] },
): Promise<PollResult> {
  const { missing, sort, ...result } = createSorter(known)
  const isProof = await listUnhealthy(healthChecks, sort, signal)
  const listed = result.bad.size
  using limit = limitTime(SEARCH_TIMEOUT_MS, signal)
  const limits = { signal, limit: limit.signal }
  const search = createSearch(healthChecks, { missing, sort }, limits)
  const seen = new Set([...known.keys(), ...former.uuids])
  if (account !== former.account && seen.isDisjointFrom(result.bad)) {
    if (await isAnotherAccount(healthChecks, seen, limits)) return { ...result, isAnotherAccount: true }
  }

  // What was up and isn't listed as unhealthy is still up.
  const stillUp = isProof ? [...missing].filter((uuid) => isUp(known.get(uuid))) : []
  for (const uuid of stillUp) missing.delete(uuid)
  if (missing.size > MAX_SINGLE_CHECKS) await search.readLists('INSTALLING', 'HEALTHY')
  await search.lookUp()
  // If a search finds an unhealthy check, the list proves nothing.
  if (isProof && result.bad.size === listed) {
    for (const uuid of stillUp) result.good.add(uuid)
    for (const uuid of missing) result.installing.add(uuid)
  }
  return result
}

/** Whether the service has none of the checks that were seen last. Of an account of which nothing was seen, nobody can tell. */
async function isAnotherAccount(
  healthChecks: Api['healthChecks'],
  seen: ReadonlySet<string>,
  limits: { signal: AbortSignal; limit: AbortSignal },
): Promise<boolean> {
  const { missing, sort, deleted } = createSorter(new Map([...seen].map((uuid) => [uuid, NEITHER])))
  const failure = await createSearch(healthChecks, { missing, sort }, limits).lookUp()
  const isAnother = seen.size > 0 && deleted.size === Math.min(seen.size, MAX_SINGLE_CHECKS)
  if (failure && !isAnother && missing.size + deleted.size === seen.size) throw failure
  return isAnother
}

const NEITHER = { isDown: false, isInstalling: false }

const isUp = (check: Pick<Incident, 'isDown' | 'isInstalling'> | undefined): boolean =>
  check !== undefined && !check.isDown && !check.isInstalling

/** Sorts checks by their state. `missing`: what is known and hasn't been found. */
function createSorter(known: Known) {
  const bad = new Map<string, CheckFacts>()
  const [good, installing, deleted] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const missing = new Set(known.keys())
  /** `undefined`: the service has no such check. */
  function sort(uuid: string, check: HealthCheck | undefined): void {
    // Without a status, it says nothing.
    const isFound = check?.status !== '' && missing.delete(uuid)
    if (check?.status === 'UNHEALTHY') bad.set(uuid, toCheckFacts(check))
    else if (isFound) (!check ? deleted : check.status === 'HEALTHY' ? good : installing).add(uuid)
  }
  return { bad, good, installing, deleted, missing, sort }
}

type Sort = ReturnType<typeof createSorter>['sort']

const list = (healthChecks: Api['healthChecks'], status: string, signal: AbortSignal) =>
  healthChecks.listAll({ status }, { signal, concurrency: CONCURRENCY })

/**
 * Returns whether what isn't listed is certainly not unhealthy. Pages shift while they are read, and totals may be wrong, so only a list
 * proves that whose rows are its total, on one page.
 */
async function listUnhealthy(
  healthChecks: Api['healthChecks'],
  sort: Sort,
  signal: AbortSignal,
): Promise<boolean> {
  using limit = limitTime(LIST_TIMEOUT_MS, signal)
  let isProof = true
  for await (const { total, results, unreadable } of list(healthChecks, 'UNHEALTHY', limit.signal)) {
    for (const check of results) sort(check.uuid, check)
    const unhealthy = results.filter(({ status }) => status === 'UNHEALTHY')
    isProof &&= unreadable === 0 && unhealthy.length === total && total < PAGE_SIZE
    await yieldWhenDue()
  }
  return isProof
}

/** Searches for what is missing, until `limit`. What can't be read stays missing. */
function createSearch(
  healthChecks: Api['healthChecks'],
  { missing, sort }: { missing: ReadonlySet<string>; sort: Sort },
  { signal, limit }: { signal: AbortSignal; limit: AbortSignal },
) {
  const attempt = async (read: () => Promise<void>): Promise<ApiError | undefined> => {
    try {
      await read()
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ApiError) return error
      throw error
    }
  }
  const readList = async (status: string): Promise<void> => {
    let pages = 0
    for await (const { results } of list(healthChecks, status, limit)) {
      for (const check of results) sort(check.uuid, check)
      pages += 1
      if (missing.size === 0 || pages === MAX_PAGES) return
      await yieldWhenDue()
    }
  }
  /** A check is deleted if the service says twice that there is none. */
  const lookUpOne = async (uuid: string): Promise<void> => {
    const get = () => healthChecks.get(uuid, limit).catch(unlessNotFound)
    const check = (await get()) ?? (await get())
    if (check?.status === '') throw new ApiError('unreadable', `The check ${uuid} has no status.`)
    sort(uuid, check)
  }
  return {
    async readLists(...statuses: readonly string[]): Promise<void> {
      for (const status of statuses) if (missing.size > 0) await attempt(() => readList(status))
    },
    /** Looks up as many as one poll may. Returns a failure, if there was one. */
    async lookUp(): Promise<ApiError | undefined> {
      const all = [...missing]
      // Others each time, because some may never be readable.
      const start = Math.floor(Math.random() * all.length)
      const queue = [...all.slice(start), ...all.slice(0, start)].slice(0, MAX_SINGLE_CHECKS)
      let failure: ApiError | undefined
      const work = async (): Promise<void> => {
        for (let uuid = queue.pop(); uuid !== undefined; uuid = queue.pop()) {
          const one = uuid
          failure = (await attempt(() => lookUpOne(one))) ?? failure
        }
      }
      await Promise.all(Array.from({ length: CONCURRENCY }, work))
      return failure
    },
  }
}

function unlessNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

export const toCheckFacts = ({ uuid, name, target, protocol }: HealthCheck): CheckFacts => ({
  uuid,
  name,
  ...(target !== undefined && { target }),
  ...(protocol !== undefined && { protocol }),
})
