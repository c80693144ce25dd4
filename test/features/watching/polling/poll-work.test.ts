import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import type { ScopeParts } from '../../../../src/features/watching/polling/poll-scope.ts'
import { pollWork } from '../../../../src/features/watching/polling/poll-work.ts'
import type { UnchangedPoll } from '../../../../src/features/watching/rows/end-polls.ts'
import {
  type ListedScope,
  type PolledScope,
  scopeName,
} from '../../../../src/features/watching/rows/poll-rows.ts'
import type { WatchScope } from '../../../../src/features/watching/rows/row.ts'
import { createLog } from '../../../../src/log.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { Api } from '../../../../src/service/service.ts'

const INTERVAL_MS = 60_000

/** A scope whose number of checks has changed, so that each poll is saved. */
const CHANGING = 'T-refused'
const HANGING = 'T-hangs'

const scopeOf = (workspaceId: string, isFailing: boolean): PolledScope => ({
  workspaceId,
  environment: 'production',
  poll: 1,
  watches: [],
  statesVersion: null,
  clock: { seen: 0, intervalMs: INTERVAL_MS },
  isUndecided: false,
  statuses: ['UNHEALTHY'],
  fullAt: new Date(),
  total: workspaceId === CHANGING ? 1 : 0,
  isFailing,
  isBlind: false,
})

const none = { total: 0, results: [], isComplete: true }
const EMPTY = {
  healthChecks: { listIfChanged: async () => ({ digest: 'd', value: none }) },
} as unknown as Api
/** A service that never answers, until the request is aborted. */
const SILENT = {
  healthChecks: {
    listIfChanged: (_most: number, _isWanted: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new ApiError('timeout', 'no answer')))
      }),
  },
} as unknown as Api

/** The row of a scope. By default, it is due and has never been polled. */
type Row = Partial<Pick<ListedScope, 'dueInMs' | 'isPolled'>>

/** A group with these workspaces. `ask` is the request to the service. */
function startGroup(
  workspaceIds: readonly string[],
  {
    intervalMs = INTERVAL_MS,
    ask = async () => undefined,
    row = {},
  }: { intervalMs?: number; ask?: (workspaceId: string) => Promise<unknown>; row?: Row },
) {
  const ids = new Set(workspaceIds)
  const failing = new Set<string>()
  const tries: string[] = []
  /** Saved polls that changed nothing. */
  const kept: UnchangedPoll[] = []
  let mark = 1
  let atOnce = 0
  let most = 0
  const environment = 'production' as const
  const polls = {
    listLeasedGroups: async (_owner: string, works: readonly string[]) =>
      new Map(works.map((id) => [id, `${mark}`])),
    list: async (): Promise<ListedScope[]> =>
      [...ids].map((workspaceId) => ({
        ...{ workspaceId, environment, dueInMs: 0, isPolled: tries.includes(workspaceId), isFailing: false },
        ...row,
      })),
    read: async (scopes: readonly WatchScope[]) => {
      const there = scopes.filter(({ workspaceId }) => ids.has(workspaceId))
      const read = there.map((one) => scopeOf(one.workspaceId, failing.has(one.workspaceId)))
      return { at: new Date(), scopes: new Map(read.map((one) => [scopeName(one), one])) }
    },
    states: async () => new Map(),
    async fail({ workspaceId }: PolledScope) {
      failing.add(workspaceId)
      return true
    },
    async saveUnchanged(ends: readonly UnchangedPoll[]) {
      kept.push(...ends)
      return ends.map(() => true)
    },
    async finish({ workspaceId }: PolledScope) {
      failing.delete(workspaceId)
      return true
    },
  }
  const apiOf = async (workspaceId: string): Promise<Api> => {
    tries.push(workspaceId)
    atOnce += 1
    most = Math.max(most, atOnce)
    await ask(workspaceId).finally(() => {
      atOnce -= 1
    })
    return workspaceId === HANGING ? SILENT : EMPTY
  }
  // Nothing else is called while no check is down.
  const given = { polls, apiOf, log: createLog('silent'), intervalMs, wake: () => undefined }
  const stop = new AbortController()
  let isWanted = false
  const wantsStop = () => isWanted
  const held = { work: { id: 'w', key: '0' }, owner: 'me', signal: stop.signal, wantsStop } as LeasedWork
  const work = pollWork(given as unknown as ScopeParts)
  return {
    tries,
    kept,
    work,
    polls,
    stop,
    triesOf: (id: string): number => tries.filter((one) => one === id).length,
    most: () => most,
    /** Another process changes what is watched. */
    change(added: readonly string[], removed: readonly string[] = []): void {
      for (const id of added) ids.add(id)
      for (const id of removed) ids.delete(id)
      mark += 1
    },
    /** Another process asks for the group. */
    give(): void {
      isWanted = true
    },
    run: () => work.run(held),
    /** Runs the work again when it is due, like the engine, until it is stopped. */
    async keepRunning(): Promise<void> {
      while (!stop.signal.aborted) {
        const end = await work.run(held)
        if (end.state === 'waiting') await passes(end.dueInMs)
      }
    },
  }
}

const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('an unchanged poll', () => {
  it('is saved every few minutes, and only the latest one', async () => {
    const group = startGroup(['T1', 'T2'], {})
    void group.run()
    await vi.advanceTimersByTimeAsync(2.5 * INTERVAL_MS - 1000)
    expect(group.tries).toEqual(['T1', 'T2', 'T1', 'T2', 'T1', 'T2'])
    expect(group.kept).toEqual([])
    // The first group saves most often: after half of the longest time, two and a half minutes.
    await vi.advanceTimersByTimeAsync(3000)
    expect(group.kept).toHaveLength(2)
    expect(Date.now() - (group.kept[0]?.end.at.getTime() ?? 0)).toBeLessThan(INTERVAL_MS)
    await vi.advanceTimersByTimeAsync(2 * INTERVAL_MS)
    expect(group.kept).toHaveLength(2)
    expect(group.triesOf('T1')).toBe(5)
  })

  it('isn’t lost if it ends while the previous one is being saved', async () => {
    const group = startGroup(['T1'], { intervalMs: 10_000, ask: () => passes(1000) })
    const over = group.run()
    const { saveUnchanged } = group.polls
    const writing = Promise.withResolvers<void>()
    group.polls.saveUnchanged = async (ends) => {
      await writing.promise
      return saveUnchanged(ends)
    }
    // It is saved in the round in which the next poll starts.
    await vi.advanceTimersByTimeAsync(2.5 * INTERVAL_MS + 1500)
    expect(group.triesOf('T1')).toBe(16)
    writing.resolve()
    group.stop.abort()
    await over
    const [former, latest] = group.kept.map(({ end }) => end.at.getTime())
    expect((latest ?? 0) - (former ?? 0)).toBe(10_000)
  })

  it('is saved when the process stops', async () => {
    const group = startGroup(['T1'], {})
    const over = group.run()
    await vi.advanceTimersByTimeAsync(10_000)
    group.stop.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(await over).toEqual({ state: 'waiting', dueInMs: 0, isSuccess: true })
    expect(group.kept).toMatchObject([{ scope: { workspaceId: 'T1' }, by: { workId: 'w', owner: 'me' } }])
  })

  it('is saved before the group goes to another process, which aborts hanging polls', async () => {
    const group = startGroup(['T1', HANGING], { intervalMs: 10_000 })
    const over = group.run()
    // Each of its polls takes 20 s, and the next one starts immediately.
    await vi.advanceTimersByTimeAsync(50_000)
    expect(group.triesOf(HANGING)).toBe(3)
    group.give()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await over).toEqual({ state: 'waiting', dueInMs: 0, isSuccess: true })
    expect(group.kept).toMatchObject([{ scope: { workspaceId: 'T1' } }])
  })

  it('finishes before the group goes to another process, unless it hangs', async () => {
    const group = startGroup(['T1', 'T2'], { ask: () => passes(1500) })
    const over = group.run()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS)
    group.give()
    await vi.advanceTimersByTimeAsync(3500)
    await over
    expect(group.kept.map(({ end }) => Date.now() - end.at.getTime() < 5000)).toEqual([true, true])
  })
})

describe('a poll group', () => {
  it('picks up watches that other processes add and remove', async () => {
    const group = startGroup(['T1', 'T2'], {})
    void group.run()
    await vi.advanceTimersByTimeAsync(5000)
    group.change(['T3'], ['T1'])
    await vi.advanceTimersByTimeAsync(2000)
    expect(group.tries).toEqual(['T1', 'T2', 'T3'])
    await vi.advanceTimersByTimeAsync(INTERVAL_MS)
    expect(group.triesOf('T1')).toBe(1)
    expect(group.triesOf('T3')).toBe(2)
  })

  it('ends when nothing is watched anymore', async () => {
    const group = startGroup(['T1'], {})
    const over = group.run()
    await vi.advanceTimersByTimeAsync(5000)
    group.change([], ['T1'])
    await vi.advanceTimersByTimeAsync(2000)
    expect(await over).toEqual({ state: 'done' })
  })

  it('is spread over an interval if nobody polled it for a while', async () => {
    const ids = Array.from({ length: 60 }, (_, nth) => `T${nth}`)
    const group = startGroup(ids, { row: { isPolled: true, dueInMs: -200_000 } })
    void group.run()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS / 2)
    expect(group.tries.length).toBeGreaterThanOrEqual(28)
    expect(group.tries.length).toBeLessThanOrEqual(32)
    await vi.advanceTimersByTimeAsync(INTERVAL_MS / 2)
    expect(new Set(group.tries).size).toBe(60)
  })

  it('is due immediately if the database clock was set back by hours', async () => {
    const group = startGroup(['T1'], { row: { isPolled: true, dueInMs: 7_200_000 } })
    void group.run()
    await vi.advanceTimersByTimeAsync(2000)
    expect(group.tries).toEqual(['T1'])
  })

  it('is released when another process has the lease', async () => {
    const group = startGroup(['T1'], {})
    const over = group.run()
    await vi.advanceTimersByTimeAsync(1000)
    group.polls.listLeasedGroups = async () => new Map()
    await vi.advanceTimersByTimeAsync(2000)
    expect(await over).toMatchObject({ state: 'waiting' })
  })

  it('is polled even if it arrives during a round', async () => {
    const group = startGroup(['T1'], {})
    const { listLeasedGroups } = group.polls
    const asking = Promise.withResolvers<void>()
    group.polls.listLeasedGroups = async (owner, works) => {
      await asking.promise
      return listLeasedGroups(owner, works)
    }
    void group.run()
    await vi.advanceTimersByTimeAsync(100)
    const { signal } = group.stop
    const wantsStop = () => false
    const next = { work: { id: 'next', key: '1' }, owner: 'me', signal, wantsStop } as LeasedWork
    let isOver = false
    void Promise.resolve(group.work.run(next)).finally(() => {
      isOver = true
    })
    asking.resolve()
    await vi.advanceTimersByTimeAsync(4000)
    expect(isOver).toBe(false)
    expect(group.tries).toEqual(['T1', 'T1'])
  })

  it('runs many polls concurrently for a slow service, and few for a fast one', async () => {
    const ids = Array.from({ length: 600 }, (_, nth) => `T${nth}`)
    const slow = startGroup(ids, { ask: () => passes(6000) })
    void slow.run()
    await vi.advanceTimersByTimeAsync(2 * INTERVAL_MS)
    // 600 polls a minute of 6 s each need 60 at the same time.
    expect(slow.most()).toBeGreaterThan(60)
    expect(slow.most()).toBeLessThan(200)
    for (const id of [ids[0], ids[599]]) expect(slow.triesOf(id ?? '')).toBeGreaterThanOrEqual(2)
    const quick = startGroup(ids, { ask: () => passes(10) })
    void quick.run()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS)
    expect(quick.most()).toBeLessThan(32)
    expect(new Set(quick.tries).size).toBe(600)
  })

  it('never has more scopes than the process can poll in time', async () => {
    const group = startGroup(
      Array.from({ length: 600 }, (_, nth) => `T${nth}`),
      { intervalMs: 10_000, ask: () => passes(10_000) },
    )
    expect(group.work.hasCapacity?.()).toBe(true)
    void group.run()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS)
    expect(group.work.hasCapacity?.()).toBe(false)
    expect(group.most()).toBeLessThanOrEqual(1000)
  })
})

describe('a poll that can’t be saved', () => {
  it('is repeated after a round, even if another workspace of its group is still busy', async () => {
    const slow = Promise.withResolvers<void>()
    const group = startGroup(['T-slow', CHANGING], {
      ask: async (id) => (id === 'T-slow' ? slow.promise : undefined),
    })
    const { finish } = group.polls
    let isRefused = true
    group.polls.finish = async (scope) => {
      const isFirst = isRefused
      isRefused = false
      if (isFirst) throw new Error('The database failed once.')
      return finish(scope)
    }
    void group.run()
    await vi.advanceTimersByTimeAsync(1000)
    expect(group.tries).toEqual(['T-slow', CHANGING])
    await vi.advanceTimersByTimeAsync(3500)
    expect(group.tries).toEqual(['T-slow', CHANGING, CHANGING])
    slow.resolve()
    await vi.advanceTimersByTimeAsync(1000)
    expect(group.tries).toHaveLength(3)
  })

  it('is retried once a round, however often other polls end', async () => {
    const others = Array.from({ length: 4 }, (_, nth) => `T-${nth}`)
    const group = startGroup([CHANGING, ...others], {
      ask: (id) => passes(id === CHANGING ? 0 : 300 * (1 + others.indexOf(id))),
    })
    group.polls.finish = async () => false
    void group.run()
    await vi.advanceTimersByTimeAsync(1900)
    expect(group.triesOf(CHANGING)).toBe(1)
  })
})

describe('a group in which 40 workspaces get no response', () => {
  const hanging = Array.from({ length: 40 }, (_, nth) => `T-hanging-${nth}`)
  const healthy = Array.from({ length: 10 }, (_, nth) => `T-healthy-${nth}`)
  /** The timeout of a poll. */
  const hang = () => passes(20_000).then(() => Promise.reject(new ApiError('timeout', 'no answer')))

  it.each([
    { what: 'hang', ask: hang, rounds: 3 },
    { what: 'are refused', ask: () => Promise.reject(new ApiError('unavailable', 'down')), rounds: 1 },
  ])('polls the 10 others in time if the 40 $what', async ({ ask, rounds }) => {
    const group = startGroup([...hanging, ...healthy], {
      intervalMs: 10_000,
      ask: async (id) => (hanging.includes(id) ? ask() : undefined),
    })
    const over = group.keepRunning()
    // They are the last in the first round.
    await vi.advanceTimersByTimeAsync(rounds * 2000)
    expect(healthy.map(group.triesOf)).toEqual(healthy.map(() => 1))
    await vi.advanceTimersByTimeAsync(110_000)
    // An interval of 10 s, and at most one round until it starts.
    for (const id of healthy) expect(group.triesOf(id)).toBeGreaterThanOrEqual(1 + Math.floor(110 / 12))
    // The others are polled too.
    for (const id of hanging) expect(group.triesOf(id)).toBeGreaterThanOrEqual(2)
    group.stop.abort()
    await vi.advanceTimersByTimeAsync(60_000)
    await over
  })
})
