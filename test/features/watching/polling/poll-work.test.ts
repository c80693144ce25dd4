import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import { STOPWATCH } from '../../../../src/features/watching/polling/leased-scopes.ts'
import type { ScopeDeps } from '../../../../src/features/watching/polling/poll-scope.ts'
import { createPollWork } from '../../../../src/features/watching/polling/poll-work.ts'
import {
  type ListedScope,
  type PolledScope,
  scopeKey,
} from '../../../../src/features/watching/rows/poll-rows.ts'
import type { WatchScope } from '../../../../src/features/watching/rows/row.ts'
import type { PollToSave } from '../../../../src/features/watching/rows/save-polls.ts'
import { createLog } from '../../../../src/log.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { Api } from '../../../../src/service/service.ts'

const INTERVAL_MS = 60_000

/** A workspace in which the number of checks changes with each poll, so that each poll is saved. */
const CHANGING_WORKSPACE = 'T-changing'
const HANGING_WORKSPACE = 'T-hangs'

const createScope = (workspaceId: string, isFailing: boolean): PolledScope => ({
  workspaceId,
  environment: 'production',
  poll: 2,
  watches: [],
  statesVersion: null,
  clock: { clockMs: 0, intervalMs: INTERVAL_MS },
  isUndecided: false,
  fullAt: new Date(),
  total: workspaceId === CHANGING_WORKSPACE ? 1 : 0,
  isFailing,
})

const NO_CHECKS = { total: 0, results: [], isComplete: true }
const EMPTY_API = {
  healthChecks: { listIfChanged: async () => ({ digest: 'd', value: NO_CHECKS }) },
} as unknown as Api
/** A service that never responds. Its requests end only when they're aborted. */
const SILENT_API = {
  healthChecks: {
    listIfChanged: (_most: number, _isWanted: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new ApiError('timeout', 'no answer')))
      }),
  },
} as unknown as Api

/** Overrides the stored row of each scope. By default, each scope is due, and counts as polled once the test has polled it. */
type RowState = Partial<Pick<ListedScope, 'dueInMs' | 'isPolled'>>

/** Starts a poll group with these workspaces. `request` replaces the request to the service. */
function startGroup(
  workspaceIds: readonly string[],
  {
    intervalMs = INTERVAL_MS,
    request = async () => undefined,
    row = {},
  }: { intervalMs?: number; request?: (workspaceId: string) => Promise<unknown>; row?: RowState },
) {
  const ids = new Set(workspaceIds)
  const failing = new Set<string>()
  const triedIds: string[] = []
  /** Saved polls that changed nothing. */
  const saved: PollToSave[] = []
  let groupVersion = 1
  let concurrent = 0
  let maxConcurrent = 0
  const environment = 'production' as const
  const polls = {
    listLeasedGroups: async (_owner: string, works: readonly string[]) =>
      new Map(works.map((id) => [id, `${groupVersion}`])),
    listGroup: async (): Promise<ListedScope[]> =>
      [...ids].map((workspaceId) => ({
        ...{
          workspaceId,
          environment,
          dueInMs: 0,
          isPolled: triedIds.includes(workspaceId),
          isFailing: false,
        },
        ...row,
      })),
    readScopes: async (scopes: readonly WatchScope[]) => {
      const existing = scopes.filter(({ workspaceId }) => ids.has(workspaceId))
      const polledScopes = existing.map((scope) =>
        createScope(scope.workspaceId, failing.has(scope.workspaceId)),
      )
      return { at: new Date(), scopes: new Map(polledScopes.map((scope) => [scopeKey(scope), scope])) }
    },
    readStates: async () => new Map(),
    async saveFailure({ workspaceId }: PolledScope) {
      failing.add(workspaceId)
      return true
    },
    async saveUnchanged(unchanged: readonly PollToSave[]) {
      saved.push(...unchanged)
      return unchanged.map(() => true)
    },
    async saveResult({ workspaceId }: PolledScope) {
      failing.delete(workspaceId)
      return true
    },
  }
  const getApi = async (workspaceId: string): Promise<Api> => {
    triedIds.push(workspaceId)
    concurrent += 1
    maxConcurrent = Math.max(maxConcurrent, concurrent)
    await request(workspaceId).finally(() => {
      concurrent -= 1
    })
    return workspaceId === HANGING_WORKSPACE ? SILENT_API : EMPTY_API
  }
  // Cast: nothing else is called while no check is down.
  let isOld = false
  /** Ten minutes later, the process releases the group. */
  const stopwatch = { ...STOPWATCH, now: () => performance.now() + (isOld ? 601_000 : 0) }
  const deps = { polls, getApi, log: createLog('silent'), intervalMs, wake: () => undefined, stopwatch }
  const stop = new AbortController()
  const wantsStop = () => false
  const leasedWork = {
    work: { id: 'w', key: '0' },
    owner: 'me',
    signal: stop.signal,
    wantsStop,
  } as LeasedWork
  const work = createPollWork(deps as unknown as ScopeDeps)
  return {
    triedIds,
    saved,
    work,
    polls,
    stop,
    countTries: (id: string): number => triedIds.filter((triedId) => triedId === id).length,
    maxConcurrent: () => maxConcurrent,
    /** Changes which workspaces are watched, as another process would. */
    changeWatched(added: readonly string[], removed: readonly string[] = []): void {
      for (const id of added) ids.add(id)
      for (const id of removed) ids.delete(id)
      groupVersion += 1
    },
    /** Lets the time pass after which the process releases the group. */
    makeOld(): void {
      isOld = true
    },
    run: () => work.run(leasedWork),
    /** Runs the work again when it is due, like the engine, until it is stopped. */
    async runUntilStopped(): Promise<void> {
      while (!stop.signal.aborted) {
        const end = await work.run(leasedWork)
        if (end.state === 'waiting' && !stop.signal.aborted) await waitFor(end.dueInMs)
      }
    },
  }
}

const waitFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('an unchanged poll', () => {
  it('is saved only every few minutes; until then, only the latest one is kept', async () => {
    const group = startGroup(['T1', 'T2'], {})
    void group.run()
    await vi.advanceTimersByTimeAsync(2.5 * INTERVAL_MS - 1000)
    expect(group.triedIds).toEqual(['T1', 'T2', 'T1', 'T2', 'T1', 'T2'])
    expect(group.saved).toEqual([])
    // Group 0 saves most often: every two and a half minutes, half of the longest allowed time.
    await vi.advanceTimersByTimeAsync(3000)
    expect(group.saved).toHaveLength(2)
    expect(Date.now() - (group.saved[0]?.result.at.getTime() ?? 0)).toBeLessThan(INTERVAL_MS)
    await vi.advanceTimersByTimeAsync(2 * INTERVAL_MS)
    expect(group.saved).toHaveLength(2)
    expect(group.countTries('T1')).toBe(5)
  })

  it('isn’t lost if it finishes while the previous poll is being saved', async () => {
    const group = startGroup(['T1'], { intervalMs: 10_000, request: () => waitFor(1000) })
    const run = group.run()
    const { saveUnchanged } = group.polls
    const mayWrite = Promise.withResolvers<void>()
    group.polls.saveUnchanged = async (unchanged) => {
      await mayWrite.promise
      return saveUnchanged(unchanged)
    }
    // The poll is saved in the round in which the next poll starts.
    await vi.advanceTimersByTimeAsync(2.5 * INTERVAL_MS + 1500)
    expect(group.countTries('T1')).toBe(16)
    mayWrite.resolve()
    group.stop.abort()
    await run
    const [former, latest] = group.saved.map(({ result }) => result.at.getTime())
    expect((latest ?? 0) - (former ?? 0)).toBe(10_000)
  })

  it('is saved when the process stops', async () => {
    const group = startGroup(['T1'], {})
    const run = group.run()
    await vi.advanceTimersByTimeAsync(10_000)
    group.stop.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(await run).toMatchObject({ state: 'waiting', isSuccess: true })
    expect(group.saved).toMatchObject([
      { scope: { workspaceId: 'T1' }, leaseHolder: { workId: 'w', owner: 'me' } },
    ])
  })

  it('is saved before its workspace group moves to another process, even if other polls hang and are aborted', async () => {
    const group = startGroup(['T1', HANGING_WORKSPACE], { intervalMs: 10_000 })
    const run = group.run()
    // Each poll of the hanging workspace takes 20 s, and the next one starts immediately.
    await vi.advanceTimersByTimeAsync(50_000)
    expect(group.countTries(HANGING_WORKSPACE)).toBe(3)
    group.makeOld()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await run).toMatchObject({ state: 'waiting', isSuccess: true })
    expect(group.saved).toMatchObject([{ scope: { workspaceId: 'T1' } }])
  })

  it('finishes and is saved before the group moves to another process', async () => {
    const group = startGroup(['T1', 'T2'], { request: () => waitFor(1500) })
    const run = group.run()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS)
    group.makeOld()
    await vi.advanceTimersByTimeAsync(3500)
    await run
    expect(group.saved.map(({ result }) => Date.now() - result.at.getTime() < 5000)).toEqual([true, true])
  })
})

describe('a poll group', () => {
  it('picks up watches that other processes add and remove', async () => {
    const group = startGroup(['T1', 'T2'], {})
    void group.run()
    await vi.advanceTimersByTimeAsync(5000)
    group.changeWatched(['T3'], ['T1'])
    await vi.advanceTimersByTimeAsync(2000)
    expect(group.triedIds).toEqual(['T1', 'T2', 'T3'])
    await vi.advanceTimersByTimeAsync(INTERVAL_MS)
    expect(group.countTries('T1')).toBe(1)
    expect(group.countTries('T3')).toBe(2)
  })

  it('ends when nothing is watched anymore', async () => {
    const group = startGroup(['T1'], {})
    const run = group.run()
    await vi.advanceTimersByTimeAsync(5000)
    group.changeWatched([], ['T1'])
    await vi.advanceTimersByTimeAsync(2000)
    expect(await run).toEqual({ state: 'done' })
  })

  it('spreads its polls over an interval if it hasn’t been polled for a while', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `T${index}`)
    const group = startGroup(ids, { row: { isPolled: true, dueInMs: -200_000 } })
    void group.run()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS / 2)
    expect(group.triedIds.length).toBeGreaterThanOrEqual(28)
    expect(group.triedIds.length).toBeLessThanOrEqual(32)
    await vi.advanceTimersByTimeAsync(INTERVAL_MS / 2)
    expect(new Set(group.triedIds).size).toBe(60)
  })

  it('is polled immediately if the database clock was set back by hours', async () => {
    const group = startGroup(['T1'], { row: { isPolled: true, dueInMs: 7_200_000 } })
    void group.run()
    await vi.advanceTimersByTimeAsync(2000)
    expect(group.triedIds).toEqual(['T1'])
  })

  it('stops when another process has taken over its lease', async () => {
    const group = startGroup(['T1'], {})
    const run = group.run()
    await vi.advanceTimersByTimeAsync(1000)
    group.polls.listLeasedGroups = async () => new Map()
    await vi.advanceTimersByTimeAsync(2000)
    expect(await run).toMatchObject({ state: 'waiting' })
  })

  it('is polled even if it’s assigned during a round', async () => {
    const group = startGroup(['T1'], {})
    const { listLeasedGroups } = group.polls
    const listing = Promise.withResolvers<void>()
    group.polls.listLeasedGroups = async (owner, works) => {
      await listing.promise
      return listLeasedGroups(owner, works)
    }
    void group.run()
    await vi.advanceTimersByTimeAsync(100)
    const { signal } = group.stop
    const wantsStop = () => false
    const nextWork = { work: { id: 'next', key: '1' }, owner: 'me', signal, wantsStop } as LeasedWork
    let isOver = false
    void Promise.resolve(group.work.run(nextWork)).finally(() => {
      isOver = true
    })
    listing.resolve()
    await vi.advanceTimersByTimeAsync(4000)
    expect(isOver).toBe(false)
    expect(group.triedIds).toEqual(['T1', 'T1'])
  })

  it('runs many polls concurrently for a slow service, and few for a fast one', async () => {
    const ids = Array.from({ length: 600 }, (_, index) => `T${index}`)
    const slow = startGroup(ids, { request: () => waitFor(6000) })
    void slow.run()
    await vi.advanceTimersByTimeAsync(2 * INTERVAL_MS)
    // 600 polls per minute that take 6 s each need 60 slots.
    expect(slow.maxConcurrent()).toBeGreaterThan(60)
    expect(slow.maxConcurrent()).toBeLessThan(200)
    for (const id of [ids[0], ids[599]]) expect(slow.countTries(id ?? '')).toBeGreaterThanOrEqual(2)
    const fast = startGroup(ids, { request: () => waitFor(10) })
    void fast.run()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS)
    expect(fast.maxConcurrent()).toBeLessThan(32)
    expect(new Set(fast.triedIds).size).toBe(600)
  })

  it('leaves no capacity for other groups if it needs all of the process’s slots', async () => {
    const group = startGroup(
      Array.from({ length: 1100 }, (_, index) => `T${index}`),
      { intervalMs: 10_000, request: () => waitFor(10_000) },
    )
    expect(group.work.hasCapacity?.()).toBe(true)
    void group.run()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS / 2)
    expect(group.work.hasCapacity?.()).toBe(false)
    // The limit of one process.
    expect(group.maxConcurrent()).toBe(1000)
  })
})

describe('a poll that can’t be saved', () => {
  it('is retried in a later round, even if another workspace in its group is still being polled', async () => {
    const slow = Promise.withResolvers<void>()
    const group = startGroup(['T-slow', CHANGING_WORKSPACE], {
      request: async (id) => (id === 'T-slow' ? slow.promise : undefined),
    })
    const { saveResult } = group.polls
    let isFirst = true
    group.polls.saveResult = async (scope) => {
      const fails = isFirst
      isFirst = false
      if (fails) throw new Error('The database failed once.')
      return saveResult(scope)
    }
    void group.run()
    await vi.advanceTimersByTimeAsync(1000)
    expect(group.triedIds).toEqual(['T-slow', CHANGING_WORKSPACE])
    await vi.advanceTimersByTimeAsync(3500)
    expect(group.triedIds).toEqual(['T-slow', CHANGING_WORKSPACE, CHANGING_WORKSPACE])
    slow.resolve()
    await vi.advanceTimersByTimeAsync(1000)
    expect(group.triedIds).toHaveLength(3)
  })

  it('isn’t retried before the next round, even if other polls end', async () => {
    const others = Array.from({ length: 4 }, (_, index) => `T-${index}`)
    const group = startGroup([CHANGING_WORKSPACE, ...others], {
      request: (id) => waitFor(id === CHANGING_WORKSPACE ? 0 : 300 * (1 + others.indexOf(id))),
    })
    group.polls.saveResult = async () => false
    void group.run()
    await vi.advanceTimersByTimeAsync(1900)
    expect(group.countTries(CHANGING_WORKSPACE)).toBe(1)
  })
})

describe('a group in which polls of 40 workspaces fail', () => {
  const hangingIds = Array.from({ length: 40 }, (_, index) => `T-hanging-${index}`)
  const healthyIds = Array.from({ length: 10 }, (_, index) => `T-healthy-${index}`)
  /** Fails like a request that times out. */
  const timeOut = () => waitFor(20_000).then(() => Promise.reject(new ApiError('timeout', 'no answer')))

  it.each([
    { problem: 'time out', request: timeOut, rounds: 3 },
    {
      problem: 'fail immediately',
      request: () => Promise.reject(new ApiError('unavailable', 'down')),
      rounds: 1,
    },
  ])('polls the 10 others in time if the 40 $problem', async ({ request, rounds }) => {
    const group = startGroup([...hangingIds, ...healthyIds], {
      intervalMs: 10_000,
      request: async (id) => (hangingIds.includes(id) ? request() : undefined),
    })
    const run = group.runUntilStopped()
    // The healthy workspaces are polled last in the first round.
    await vi.advanceTimersByTimeAsync(rounds * 2000)
    expect(healthyIds.map(group.countTries)).toEqual(healthyIds.map(() => 1))
    await vi.advanceTimersByTimeAsync(110_000)
    // The interval is 10 s, and a poll starts at most one round later.
    for (const id of healthyIds) expect(group.countTries(id)).toBeGreaterThanOrEqual(1 + Math.floor(110 / 12))
    // The failing workspaces are retried too.
    for (const id of hangingIds) expect(group.countTries(id)).toBeGreaterThanOrEqual(2)
    group.stop.abort()
    await vi.advanceTimersByTimeAsync(60_000)
    await run
  })
})
