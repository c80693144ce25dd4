import type { HealthCheck, HealthChecks } from '../../api/health-checks.ts'

export interface EveryCheck {
  checks: HealthCheck[]
  /** How many more there are, whose rows cannot be read. */
  unreadable: number
}

const MOST_WALKS = 3

export const UNSTEADY =
  'Health checks are being added or deleted just now, so that some of them may stand in no page of the list. Try again in a minute.'

/**
 * Every check of the account. One that is added or removed while the pages are fetched moves others from page to page, and some
 * into none: the list is read until it holds as many as it says, or the same as the time before. Undefined where it never
 * stands still. Throws ApiError.
 */
export async function everyCheck(
  healthChecks: HealthChecks,
  signal?: AbortSignal,
): Promise<EveryCheck | undefined> {
  let before: ReadonlySet<string> | undefined
  for (let walk = 1; walk <= MOST_WALKS; walk += 1) {
    const { found, unreadable, isWhole } = await readThrough(healthChecks, signal)
    const isAsBefore = before?.size === found.size && [...found.keys()].every((uuid) => before?.has(uuid))
    if (isWhole || isAsBefore) return { checks: [...found.values()], unreadable }
    before = new Set(found.keys())
  }
  return undefined
}

async function readThrough(healthChecks: HealthChecks, signal?: AbortSignal) {
  const found = new Map<string, HealthCheck>()
  const totals = new Set<number>()
  let unreadable = 0
  for await (const page of healthChecks.listAll({}, { signal })) {
    for (const check of page.results) found.set(check.uuid, check)
    totals.add(page.total)
    unreadable += page.unreadable
  }
  const isWhole = totals.size === 1 && totals.has(found.size + unreadable)
  return { found, unreadable, isWhole }
}
