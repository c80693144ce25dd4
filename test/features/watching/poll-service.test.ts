import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { pollService } from '../../../src/features/watching/polling/poll-service.ts'
import { ApiError, type ApiErrorKind, isNotFound } from '../../../src/service/errors.ts'
import { type HealthCheckPage, listings } from '../../../src/service/health-checks.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, type Random, readSeed } from '../../random.ts'

type Status = 'UNHEALTHY' | 'HEALTHY' | 'INSTALLING'
type Checks = Map<string, string>
interface Query {
  status?: string
  offset?: number
  limit?: number
}
type FindPage = (query: Query, checks: Checks) => HealthCheckPage

const GONE = new ApiError('not-found', 'no such check')
const FAILING = new ApiError('unavailable', 'HTTP 500')
const toCheck = (uuid: string, status: string) => ({ uuid, name: uuid, status })

const findPage: FindPage = ({ status, offset = 0, limit = 100 }, checks) => {
  const all = [...checks].filter((check) => check[1] === status).sort()
  const results = all.slice(offset, offset + limit).map(([uuid]) => toCheck(uuid, status ?? ''))
  return { total: all.length, results, unreadable: 0 }
}
const getStatus = (uuid: string, checks: Checks): string => {
  const status = checks.get(uuid)
  if (status === undefined) throw GONE
  return status
}

/** A service with these checks. `page` and `status` answer its requests. */
function createService(
  statuses: Readonly<Record<string, string>>,
  { page = findPage, status = getStatus }: { page?: FindPage; status?: typeof getStatus } = {},
) {
  const requests: string[] = []
  const checks: Checks = new Map(Object.entries(statuses))
  const http = {
    async get(...[, , , query]: [unknown, unknown, unknown, Query]) {
      requests.push(`${query.status}`)
      return page(query, checks)
    },
  }
  const healthChecks = {
    // The test's http answers every request with a page.
    ...listings(http as never),
    async get(uuid: string) {
      requests.push(uuid)
      return toCheck(uuid, status(uuid, checks))
    },
  }
  async function poll(
    known: Readonly<Record<string, 'down' | 'up'>>,
    account = 'account',
    uuids: readonly string[] = [],
  ) {
    const incidents = new Map(
      Object.entries(known).map(([uuid, state]) => [uuid, { isDown: state === 'down', isInstalling: false }]),
    )
    const { signal } = new AbortController()
    return pollService({ healthChecks, account: 'account' } as never, incidents, signal, {
      account,
      uuids,
    })
  }
  return { poll, requests, checks }
}

const summarize = ({ isAnotherAccount, ...found }: Awaited<ReturnType<typeof pollService>>) => ({
  ...Object.fromEntries(
    Object.entries(found).flatMap(([state, uuids]) =>
      uuids.size > 0 ? [[state, [...uuids.keys()].sort()]] : [],
    ),
  ),
  ...(isAnotherAccount && { isAnotherAccount }),
})
const named = <T>(value: T, count: number, prefix = 'web'): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index}`, value]))

describe('a poll', () => {
  it('asks only for what is down while nothing that is known as down is missing', async () => {
    const { poll, requests } = createService({ shop: 'UNHEALTHY', mail: 'HEALTHY' })
    expect(summarize(await poll({ shop: 'down', mail: 'up' }))).toEqual({ bad: ['shop'], good: ['mail'] })
    expect(requests).toEqual(['UNHEALTHY'])
  })

  it('looks up a few that are missing, however many are up', async () => {
    const { poll, requests } = createService({ ...named('HEALTHY', 5000), new: 'INSTALLING' })
    const found = summarize(await poll({ ...named('down', 19), new: 'down' }))
    expect(found).toEqual({ good: Object.keys(named('', 19)).sort(), installing: ['new'] })
    expect(requests).toHaveLength(1 + 20)
  })

  it('finds thousands that are up again in lists, and stops once nothing is missing', async () => {
    const { poll, requests } = createService({ ...named('HEALTHY', 3000), ...named('HEALTHY', 9000, 'x') })
    expect((await poll(named('down', 3000))).good.size).toBe(3000)
    // Up to three pages are asked for in advance.
    expect(requests.length).toBeLessThanOrEqual(1 + 1 + 6 + 3)
  })

  it('looks up a limited number of checks, whatever is missing', async () => {
    const { poll, requests } = createService({})
    expect((await poll(named('down', 500))).deleted.size).toBe(20)
    expect(requests).toHaveLength(3 + 2 * 20)
  })

  it('takes a check for deleted only if a look-up says so twice', async () => {
    const answers = [GONE, 'UNHEALTHY']
    const { poll } = createService(
      {},
      {
        status() {
          const answer = answers.shift() ?? GONE
          if (answer instanceof ApiError) throw answer
          return answer
        },
      },
    )
    expect(summarize(await poll({ shop: 'down' }))).toEqual({ bad: ['shop'] })
    expect(summarize(await poll({ shop: 'down' }))).toEqual({ deleted: ['shop'] })
  })

  it('says that a check isn’t down, but not that it’s up, if it isn’t listed and can’t be looked up', async () => {
    const status = () => {
      throw FAILING
    }
    const { poll } = createService({ shop: 'HEALTHY', db: 'UNHEALTHY' }, { status })
    expect(summarize(await poll({ shop: 'down', mail: 'up' }))).toEqual({
      bad: ['db'],
      good: ['mail'],
      installing: ['shop'],
    })
  })

  it('doesn’t trust a list that a look-up contradicts', async () => {
    const page: FindPage = () => ({ total: 0, results: [], unreadable: 0 })
    const status = (uuid: string) => {
      if (uuid === 'shop') return 'UNHEALTHY'
      throw FAILING
    }
    const { poll } = createService({}, { page, status })
    expect(summarize(await poll({ shop: 'down', db: 'down', mail: 'up' }))).toEqual({ bad: ['shop'] })
  })

  it('keeps what it has listed if every look-up hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let asked = 0
    const healthChecks = {
      async *listAll() {
        yield { total: 1, results: [toCheck('db', 'UNHEALTHY')], unreadable: 0 }
      },
      get: (_: string, signal: AbortSignal) =>
        new Promise((__, reject) => {
          asked += 1
          const stop = () => reject(new ApiError('timeout', 'The time is up.'))
          if (signal.aborted) stop()
          else signal.addEventListener('abort', stop)
        }),
    }
    const known = new Map(
      Object.keys(named('', 14)).map((uuid) => [uuid, { isDown: true, isInstalling: false }]),
    )
    const polling = pollService({ healthChecks } as never, known, new AbortController().signal)
    await expect.poll(() => asked).toBeGreaterThan(1)
    vi.runOnlyPendingTimers()
    const found = await polling
    expect([...found.bad.keys()]).toEqual(['db'])
    expect(found.installing.size).toBe(14)
  })

  it('fails if what is down can’t be listed', async () => {
    const page = () => {
      throw FAILING
    }
    await expect(createService({}, { page }).poll({})).rejects.toBe(FAILING)
  })

  it('notices another account by up to twenty of the checks that it knew, up or down', async () => {
    for (const count of [1, 2, 20, 21, 300]) {
      const { poll } = createService({ new: 'UNHEALTHY' })
      const known = { ...named('down', count), 'web-0': 'up' as const }
      expect(await poll(known, 'former')).toMatchObject({ isAnotherAccount: true })
      expect(await poll(known)).not.toHaveProperty('isAnotherAccount')
    }
  })

  it('takes a token for one of the same account if it sees one of the checks that it knew', async () => {
    for (const status of ['UNHEALTHY', 'HEALTHY', 'INSTALLING'] satisfies Status[]) {
      const { poll } = createService({ 'web-0': status })
      const found = await poll(named('down', 5), 'former')
      expect(found).not.toHaveProperty('isAnotherAccount')
      expect(found.deleted.size).toBe(4)
    }
  })

  it('tells by what was down before whose token it is while nothing is known to be down', async () => {
    const known = {}
    const answers = async (...former: string[]) =>
      (await createService({ shop: 'UNHEALTHY', mail: 'HEALTHY' }).poll(known, 'former', former))
        .isAnotherAccount
    expect(await answers('gone', 'gone too')).toBe(true)
    expect(await answers('gone', 'mail')).toBeUndefined()
    expect(await answers('gone', 'shop')).toBeUndefined()
    // Nothing tells: whoever is down is paged about.
    expect(await answers()).toBeUndefined()
    const status = () => {
      throw FAILING
    }
    const unknown = createService({ shop: 'UNHEALTHY' }, { status }).poll(known, 'former', ['mail'])
    await expect(unknown).rejects.toBe(FAILING)
  })

  it('fails while it stays unknown whose token it is', async () => {
    for (const answer of ['', FAILING]) {
      const status = (uuid: string) => {
        if (uuid !== 'web-3') throw GONE
        if (answer instanceof ApiError) throw answer
        return answer
      }
      const { poll } = createService({ new: 'UNHEALTHY' }, { status })
      await expect(poll(named('down', 5), 'former')).rejects.toBeInstanceOf(ApiError)
    }
  })
})

const KINDS: readonly ApiErrorKind[] = [
  ...(['unauthorized', 'forbidden', 'not-found', 'conflict', 'rejected'] as const),
  ...(['rate-limited', 'unavailable', 'timeout', 'unreadable', 'cancelled'] as const),
]
const STATUSES: readonly Status[] = ['UNHEALTHY', 'HEALTHY', 'INSTALLING']
const RUNS = quickOrLong('POLL_RUNS', { quick: 300, long: 10_000 })

/** Answers with a list that is wrong in one of the ways that a service or a proxy can be wrong. */
function findWrongPage(random: Random, query: Query, checks: Checks): HealthCheckPage {
  const right = findPage(query, checks)
  const results = right.results.slice(0, 100 + random.below(500))
  switch (random.below(12)) {
    case 0:
      return { ...right, total: right.total + 1 + random.below(2000) }
    case 1:
      return { ...right, total: Math.max(0, results.length - 1) }
    case 2:
      return { ...right, results: results.slice(1), unreadable: Math.min(1, results.length) }
    case 3:
      return { ...right, results: results.map(({ uuid }) => toCheck(uuid, '')) }
    case 4:
      return findPage({ ...query, offset: 0 }, checks)
    default:
      return { ...right, results }
  }
}

/** A service whose checks change while they are read, and that answers each request with a fault or a wrong page, until it recovers. */
function createFaultyService(random: Random) {
  const size = random.oneOf([3, 15, 30, 700, 1800])
  const isSteady = random.below(2) === 0
  const statuses: Record<string, Status> = {}
  for (let index = 0; index < size; index += 1) statuses[`web-${index}`] = random.oneOf(STATUSES)
  const alwaysDown = new Set(Object.keys(statuses).filter((uuid) => statuses[uuid] === 'UNHEALTHY'))
  const answers404 = new Map<string, number>()
  let isFaulty = true
  function change(checks: Checks): void {
    for (let moves = isSteady ? 0 : random.below(5); moves > 0; moves -= 1) {
      const uuid = `web-${random.below(size)}`
      alwaysDown.delete(uuid)
      if (random.below(4) === 0) checks.delete(uuid)
      else checks.set(uuid, random.oneOf(STATUSES))
    }
  }
  function answer<T>(checks: Checks, right: () => T, wrong = right): T {
    if (!isFaulty) return right()
    change(checks)
    if (random.below(8) === 0) throw new ApiError(random.oneOf(KINDS), 'a fault')
    return wrong()
  }
  const service = createService(statuses, {
    page: (query, checks) =>
      answer(
        checks,
        () => findPage(query, checks),
        () => findWrongPage(random, query, checks),
      ),
    status(uuid, checks) {
      try {
        return answer(checks, () => getStatus(uuid, checks))
      } catch (error) {
        if (isNotFound(error)) answers404.set(uuid, (answers404.get(uuid) ?? 0) + 1)
        throw error
      }
    },
  })
  return {
    ...{ ...service, size, alwaysDown, answers404 },
    recover: () => {
      isFaulty = false
    },
  }
}

it('claims nothing that the service didn’t say, whatever the service answers, and settles everything once it answers well', async () => {
  for (let run = 0; run < RUNS; run += 1) {
    const random = createRandom(readSeed() + run)
    const { poll, checks, size, alwaysDown, answers404, recover } = createFaultyService(random)
    const known: Record<string, 'down' | 'up'> = {}
    for (let index = 0; index < size + 10; index += 1)
      known[`web-${index}`] = random.oneOf(['down', 'up'] as const)
    const found = await poll(known).catch(() => undefined)
    const notDown = found ? [...found.good, ...found.installing, ...found.deleted] : []
    expect([run, notDown.filter((uuid) => alwaysDown.has(uuid))]).toEqual([run, []])
    for (const uuid of found?.deleted ?? []) expect([run, uuid, answers404.get(uuid)]).toEqual([run, uuid, 2])

    recover()
    const { bad, good } = await poll(known)
    const listed = (status: Status) => [...checks.keys()].filter((uuid) => checks.get(uuid) === status)
    expect([run, [...bad.keys()].sort()]).toEqual([run, listed('UNHEALTHY').sort()])
    expect([run, listed('HEALTHY').filter((uuid) => !good.has(uuid))]).toEqual([run, []])
  }
})
