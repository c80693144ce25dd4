import { counted } from '../../domain/wording.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck, HealthCheckQuery, HealthChecks } from '../../service/health-checks.ts'

export interface EveryCheck {
  checks: HealthCheck[]
  /** How many more there are, whose rows cannot be read. */
  unreadable: number
  /** How many more the service says that it has, and lists on no page however often it is asked. */
  missing: number
}

const MOST_WALKS = 3

export const UNSTEADY =
  'Health checks are being added or deleted right now, so the list from the service may be incomplete. Try again in a minute.'

/** Why it cannot be told whether a check is there that was not found; undefined where it can be told. */
export const whyUnseen = ({ unreadable, missing }: EveryCheck): string | undefined => {
  if (missing > 0)
    return `The service’s list is incomplete: ${counted(missing, 'health check')} ${missing === 1 ? 'is' : 'are'} missing from it.`
  if (unreadable === 0) return undefined
  return `Signalman can’t read ${counted(unreadable, 'health check')} in the service’s list.`
}

/**
 * Every check of the account, or of a filter, by UUID: checks of one name may change places from page to page. One that is added or removed while the pages are fetched moves others from page
 * to page, and some into none: the list is read until it holds as many as it says, or the same as the time before. Undefined
 * where it never stands still. Throws ApiError.
 */
export async function everyCheck(
  healthChecks: HealthChecks,
  signal?: AbortSignal,
  query: HealthCheckQuery = {},
): Promise<EveryCheck | undefined> {
  let before: ReadonlySet<string> | undefined
  for (let walk = 1; walk <= MOST_WALKS; walk += 1) {
    const { found, unreadable, missing, isWhole } = await readThrough(healthChecks, query, signal)
    const isAsBefore = before?.size === found.size && [...found.keys()].every((uuid) => before?.has(uuid))
    if (isWhole || isAsBefore) return { checks: [...found.values()], unreadable, missing }
    before = new Set(found.keys())
  }
  return undefined
}

/** Every check of a filter, for whoever takes one that is not listed for one that is not there. Throws ApiError where it may be. */
export async function allChecks(
  healthChecks: HealthChecks,
  query: HealthCheckQuery,
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const every = await everyCheck(healthChecks, signal, query)
  if (every && every.missing === 0) return every.checks
  throw new ApiError('unreadable', 'the list has fewer health checks than the total that it reports')
}

async function readThrough(healthChecks: HealthChecks, query: HealthCheckQuery, signal?: AbortSignal) {
  const found = new Map<string, HealthCheck>()
  const totals = new Set<number>()
  let unreadable = 0
  let total = 0
  for await (const page of healthChecks.listAll({ ...query, sort: 'uuid' }, { signal })) {
    for (const check of page.results) found.set(check.uuid, check)
    totals.add(page.total)
    total = page.total
    unreadable += page.unreadable
  }
  const missing = Math.max(0, total - found.size - unreadable)
  return { found, unreadable, missing, isWhole: totals.size === 1 && total === found.size + unreadable }
}
