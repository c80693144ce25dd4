import { pluralize } from '../../domain/wording.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck, HealthCheckQuery, HealthChecks } from '../../service/health-checks.ts'

interface AllChecks {
  checks: HealthCheck[]
  /** Rows that exist but can't be parsed. */
  unreadable: number
  /** Rows that the service counts but returns on no page. */
  missing: number
}

const MAX_READS = 3

export const LIST_KEEPS_CHANGING =
  'Health checks are being added or deleted right now, so the list from the service may be incomplete. Try again in a minute.'

/** Explains why a check may exist although the list doesn't have it; undefined if the list is complete. */
export const explainIncomplete = ({ unreadable, missing }: AllChecks): string | undefined => {
  if (missing > 0)
    return `The service’s list is incomplete: ${pluralize(missing, 'health check')} ${missing === 1 ? 'is' : 'are'} missing from it.`
  if (unreadable === 0) return undefined
  return `Signalman can’t read ${pluralize(unreadable, 'health check')} in the service’s list.`
}

/**
 * Lists every check of the account, or those matching a filter. Sorts by UUID, because checks with the same name may move between
 * pages. If a check is added or deleted during the read, others move between pages, and some may be missed. So this reads the list
 * again until it is as long as the service says, or unchanged. Undefined if it keeps changing. Throws ApiError.
 */
export async function readAllChecks(
  healthChecks: HealthChecks,
  signal?: AbortSignal,
  query: HealthCheckQuery = {},
): Promise<AllChecks | undefined> {
  let previous: ReadonlySet<string> | undefined
  for (let attempt = 1; attempt <= MAX_READS; attempt += 1) {
    const { found, unreadable, missing, isComplete } = await readAllPages(healthChecks, query, signal)
    const isUnchanged =
      previous?.size === found.size && [...found.keys()].every((uuid) => previous?.has(uuid))
    if (isComplete || isUnchanged) return { checks: [...found.values()], unreadable, missing }
    previous = new Set(found.keys())
  }
  return undefined
}

/** Like `readAllChecks`, but throws ApiError if the list is incomplete. For callers that treat a missing check as deleted. */
export async function requireAllChecks(
  healthChecks: HealthChecks,
  query: HealthCheckQuery,
): Promise<HealthCheck[]> {
  const all = await readAllChecks(healthChecks, undefined, query)
  if (all && all.missing === 0) return all.checks
  throw new ApiError('unreadable', 'the list has fewer health checks than the total that it reports')
}

async function readAllPages(healthChecks: HealthChecks, query: HealthCheckQuery, signal?: AbortSignal) {
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
  return { found, unreadable, missing, isComplete: totals.size === 1 && total === found.size + unreadable }
}
