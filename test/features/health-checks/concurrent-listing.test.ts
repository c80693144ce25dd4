import { expect, it } from 'vitest'
import { readListing, summarize } from '../../../src/features/health-checks/read-listing.ts'
import { listView, summaryView } from '../../../src/features/health-checks/views/list.ts'
import { ApiError } from '../../../src/service/errors.ts'
import type { HealthCheck, HealthCheckPage, HealthCheckQuery } from '../../../src/service/health-checks.ts'
import type { Api } from '../../../src/service/service.ts'
import { createRandom, type Random, readSeed } from '../../random.ts'

const SEED = readSeed()
const RUNS = 1_000
const STATUSES = ['HEALTHY', 'UNHEALTHY', 'INSTALLING', 'PAUSED'] as const
/** The fake service’s page limit. It is small, so that few checks need several pages. */
const SERVICE_PAGE_SIZE = 12

/** A service whose checks change between requests, and which may answer one request with 429. */
function createShiftingService(random: Random) {
  let created = 0
  function create(): HealthCheck {
    created += 1
    const status = STATUSES[random.below(4)] ?? ''
    return { uuid: `uuid-${created}`, name: `check-${random.below(1000)}`, status }
  }
  let checks = Array.from({ length: random.below(30) }, create)
  const limitedAt = random.next() < 0.2 ? random.below(3) : -1
  const snapshots: (readonly HealthCheck[])[] = []

  function change(): void {
    for (let times = random.below(6); times > 0; times -= 1) {
      const index = random.below(checks.length)
      const [roll, check] = [random.next(), checks[index]]
      if (roll < 0.15 || !check) checks = [...checks, create()]
      else if (roll < 0.3) checks = checks.toSpliced(index, 1)
      else checks = checks.with(index, { ...check, status: STATUSES[random.below(4)] ?? '' })
    }
  }

  async function list({ status, limit = 100, offset = 0 }: HealthCheckQuery = {}): Promise<HealthCheckPage> {
    if (snapshots.length > 0) change()
    snapshots.push(checks)
    if (snapshots.length - 1 === limitedAt) throw new ApiError('rate-limited', 'Too many requests')
    const found = checks.filter((check) => status === undefined || check.status === status).toSorted(byName)
    const results = found.slice(offset, offset + Math.min(limit, SERVICE_PAGE_SIZE))
    return { total: found.length, results, unreadable: 0 }
  }
  // Cast: the tests only use the listing.
  return {
    api: { healthChecks: { list } } as unknown as Api,
    snapshots,
    isLimited: limitedAt >= 0,
  }
}

const byName = (left: HealthCheck, right: HealthCheck) => left.name.localeCompare(right.name)
const uuids = (checks: readonly HealthCheck[]): string[] => checks.map(({ uuid }) => uuid).sort()
const withStatus = (checks: readonly HealthCheck[], status: string) =>
  checks.filter((check) => check.status === status)

/** Returns the result of the read, or undefined if it failed with 429. */
async function runUnlessLimited<T>(read: () => Promise<T>, isLimited: boolean): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isLimited && error instanceof ApiError && error.kind === 'rate-limited') return undefined
    throw error
  }
}

it(`lists each check once and skips none in ${RUNS} interleavings`, async () => {
  let compared = 0
  for (let run = 0; run < RUNS; run += 1) {
    const random = createRandom(SEED + run)
    const { api, snapshots, isLimited } = createShiftingService(random)
    const filters = { pageSize: 5, ...(random.next() < 0.2 && { status: 'UNHEALTHY' }) }
    const offset = 5 * random.below(6)
    const listed = await runUnlessLimited(() => readListing(api, filters, offset), isLimited)
    if (!listed) continue
    compared += 1
    const label = `run ${run}`
    const { down, rows, start, next, total } = listed
    const head = down?.rows ?? []
    expect(new Set(uuids([...head, ...rows])).size, label).toBe(head.length + rows.length)
    // The first page asks twice, at two moments. A page that doesn't exist any more is read again.
    const [pageAt = [], downAt = []] = snapshots.slice(down ? -2 : -1)
    expect(down !== undefined, label).toBe(start === 0 && !filters.status)
    const found = (filters.status ? withStatus(pageAt, filters.status) : pageAt).toSorted(byName)
    // All up to the next page are shown, and nothing else.
    const passed = found.slice(start, next).filter((check) => !uuids(head).includes(check.uuid))
    expect(uuids(rows), label).toEqual(uuids(passed))
    expect(head.length + rows.length, label).toBeLessThanOrEqual(5)
    if (next < found.length) expect(head.length + rows.length, label).toBe(5)
    const downNow = withStatus(downAt, 'UNHEALTHY')
    expect(
      head.every((check) => downNow.includes(check)),
      label,
    ).toBe(true)
    if (down) expect(down.total, label).toBe(downNow.length)
    expect(total, label).toBe(Math.max(found.length, down?.total ?? 0))
    listView(listed, filters, {}, 'production', new Date(0))
  }
  expect(compared).toBeGreaterThan(RUNS / 2)
})

it(`counts what the service counted in ${RUNS} interleavings`, async () => {
  const scope = { workspaceId: 'T1', environment: 'production', now: new Date(0) } as const
  let compared = 0
  for (let run = 0; run < RUNS; run += 1) {
    const { api, snapshots, isLimited } = createShiftingService(createRandom(SEED + RUNS + run))
    const summary = await runUnlessLimited(() => summarize(api, scope), isLimited)
    if (!summary) continue
    compared += 1
    const label = `run ${run}`
    const [downAt = [], upAt = [], allAt = [], ...others] = snapshots
    expect(others, label).toEqual([])
    const { total, healthy, down } = summary
    const downNow = withStatus(downAt, 'UNHEALTHY')
    expect([down.total, healthy], label).toEqual([downNow.length, withStatus(upAt, 'HEALTHY').length])
    expect(total, label).toBe(Math.max(allAt.length, down.total))
    expect(downNow, label).toEqual(expect.arrayContaining([...down.rows]))
    const { text } = summaryView(summary, 'production', new Date(0))
    expect(/^(All|The only) .* up/.test(text), label).toBe(total > 0 && down.total === 0 && healthy === total)
    expect(text.includes('installing or unknown'), label).toBe(total > healthy + down.total)
  }
  expect(compared).toBeGreaterThan(RUNS / 2)
})
