import { counted } from '../../domain/wording.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck, HealthCheckQuery, HealthChecks } from '../../service/health-checks.ts'

export interface EveryCheck {
  checks: HealthCheck[]
  /** Rows that exist but can't be parsed. */
  unreadable: number
  /** Rows that the service counts but returns on no page. */
  missing: number
}

const MAX_READS = 3

export const LIST_KEEPS_CHANGING =
  'Health checks are being added or deleted right now, so the list from the service may be incomplete. Try again in a minute.'

/** Why it can't be known whether a check that wasn't found exists; undefined if it can. */
export const whyIncomplete = ({ unreadable, missing }: EveryCheck): string | undefined => {
  if (missing > 0)
    return `The service’s list is incomplete: ${counted(missing, 'health check')} ${missing === 1 ? 'is' : 'are'} missing from it.`
  if (unreadable === 0) return undefined
  return `Signalman can’t read ${counted(unreadable, 'health check')} in the service’s list.`
}

/**
 * Every check of the account, or matching a filter, by UUID, because checks with the same name may move between pages. A
 * check that is added or removed during the read moves others to another page, or to none. So the list is read until it has
 * as many as announced, or the same as the time before. Undefined if it never stops changing. Throws ApiError.
 */
export async function everyCheck(
  healthChecks: HealthChecks,
  signal?: AbortSignal,
  query: HealthCheckQuery = {},
): Promise<EveryCheck | undefined> {
  let before: ReadonlySet<string> | undefined
  for (let walk = 1; walk <= MAX_READS; walk += 1) {
    const { found, unreadable, missing, isWhole } = await readAllPages(healthChecks, query, signal)
    const isAsBefore = before?.size === found.size && [...found.keys()].every((uuid) => before?.has(uuid))
    if (isWhole || isAsBefore) return { checks: [...found.values()], unreadable, missing }
    before = new Set(found.keys())
  }
  return undefined
}

/**
 * Every check matching a filter, for callers that treat a missing check as deleted. Throws ApiError if the list may be
 * incomplete.
 */
export async function allChecks(
  healthChecks: HealthChecks,
  query: HealthCheckQuery,
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const every = await everyCheck(healthChecks, signal, query)
  if (every && every.missing === 0) return every.checks
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
  return { found, unreadable, missing, isWhole: totals.size === 1 && total === found.size + unreadable }
}
