import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type HeldWork, LeaseLost } from '../../../../packages/durable/src/engine/held-work.ts'
import type { ScopeParts } from '../../../../src/features/watching/polling/poll-scope.ts'
import { pollWork } from '../../../../src/features/watching/polling/poll-work.ts'
import type { PolledScope } from '../../../../src/features/watching/rows/poll-rows.ts'
import { createLog } from '../../../../src/log.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { Api } from '../../../../src/service/service.ts'

type Due = ScopeParts['polls']['due']

const nameOf = (workspaceId: string): string => `${workspaceId} production`

const scopeOf = (workspaceId: string, isFailing: boolean): PolledScope => ({
  workspaceId,
  environment: 'production',
  poll: 1,
  watches: [],
  statesVersion: null,
  statuses: ['UNHEALTHY'],
  fullAt: new Date(),
  total: 0,
  isFailing,
  isBlind: false,
})

const page = { total: 0, limit: 200, offset: 0, results: [], unreadable: 0 }
const EMPTY = { healthChecks: { listIfChanged: async () => ({ mark: 'm', value: page }) } } as unknown as Api

/** A group in memory whose workspaces are due again after the interval; `ask` is how the service answers each. */
function startGroup(
  workspaceIds: readonly string[],
  { intervalMs = 60_000, ask }: { intervalMs?: number; ask: (workspaceId: string) => Promise<unknown> },
) {
  const dueAt = new Map(workspaceIds.map((id) => [id, 0]))
  const failing = new Set<string>()
  const tries: string[] = []
  const due: Due = async (_group, places, underWay) => {
    const ids = [...dueAt].filter(([id, at]) => at <= Date.now() && !underWay.has(nameOf(id)))
    const sorted = ids.sort(([, one], [, other]) => one - other).map(([id]) => id)
    const answered = sorted.filter((id) => !failing.has(id))
    const others = sorted.filter((id) => failing.has(id))
    const scopes = [...answered.slice(0, places.answered), ...others.slice(0, places.failing)]
    return {
      at: new Date(),
      scopes: scopes.map((id) => scopeOf(id, failing.has(id))),
      isMore: scopes.length < sorted.length,
    }
  }
  const ends = (id: string, isFailing: boolean): boolean => {
    failing[isFailing ? 'add' : 'delete'](id)
    dueAt.set(id, Date.now() + intervalMs)
    return true
  }
  const polls = {
    due,
    // No clock is set back here.
    bringForward: async () => undefined,
    nextDueMs: async () => Math.max(0, Math.min(...dueAt.values()) - Date.now()),
    states: async () => new Map(),
    fail: async ({ workspaceId }: PolledScope) => ends(workspaceId, true),
    finishQuietly: async (all: readonly { scope: PolledScope }[]) =>
      all.map(({ scope }) => ends(scope.workspaceId, false)),
    finish: async ({ workspaceId }: PolledScope) => ends(workspaceId, false),
  }
  const apiOf = async (workspaceId: string): Promise<Api> => {
    tries.push(workspaceId)
    await ask(workspaceId)
    return EMPTY
  }
  // Nothing else is called where nothing is known and nothing is found.
  const given = { polls, apiOf, log: createLog('silent'), intervalMs, wake: () => undefined }
  const stop = new AbortController()
  const held = { work: { id: 'w', key: '1' }, owner: 'me', signal: stop.signal } as HeldWork
  const work = pollWork(given as unknown as ScopeParts)
  return {
    tries,
    triesOf: (id: string): number => tries.filter((one) => one === id).length,
    polls,
    stop,
    run: () => work.run(held),
    /** As the engine does: again when it is due, until it is stopped. */
    async keepRunning(): Promise<void> {
      while (!stop.signal.aborted) {
        const end = await work.run(held).catch((error: unknown) => {
          // Of any other error the run would be begun again at once, for ever.
          if (!(error instanceof LeaseLost)) throw error
          return undefined
        })
        if (end?.state === 'waiting') await passes(end.dueInMs)
      }
    },
  }
}

const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a poll that cannot be written down', () => {
  it('is repeated after a round, while another workspace of its group is still busy', async () => {
    const slow = Promise.withResolvers<void>()
    const group = startGroup(['T-slow', 'T-refused'], {
      ask: async (id) => (id === 'T-slow' ? slow.promise : undefined),
    })
    const { finishQuietly } = group.polls
    let isRefused = true
    group.polls.finishQuietly = async (ends) => {
      const isFirst = isRefused
      isRefused = false
      if (isFirst) throw new Error('The database had a hiccup.')
      return finishQuietly(ends)
    }
    const over = group.run()
    await vi.advanceTimersByTimeAsync(1000)
    expect(group.tries).toEqual(['T-slow', 'T-refused'])
    await vi.advanceTimersByTimeAsync(3500)
    expect(group.tries).toEqual(['T-slow', 'T-refused', 'T-refused'])
    slow.resolve()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await over).toMatchObject({ state: 'waiting', isAnew: true })
  })

  it('ends the run when it alone is due, and waits for a round', async () => {
    const group = startGroup(['T-refused'], { ask: async () => undefined })
    group.polls.finishQuietly = () => Promise.reject(new Error('The database is away.'))
    const over = group.run()
    await vi.advanceTimersByTimeAsync(100)
    expect(await over).toEqual({ state: 'waiting', dueInMs: 2000, isAnew: true })
    expect(group.tries).toEqual(['T-refused'])
  })

  it('is tried once a round, however often others of its group come to an end', async () => {
    const others = Array.from({ length: 4 }, (_, nth) => `T-${nth}`)
    const group = startGroup(['T-refused', ...others], {
      ask: (id) => passes(id === 'T-refused' ? 0 : 300 * (1 + others.indexOf(id))),
    })
    group.polls.finishQuietly = async (ends) => ends.map(({ scope }) => scope.workspaceId !== 'T-refused')
    await Promise.all([vi.advanceTimersByTimeAsync(1900), group.run()])
    expect(group.triesOf('T-refused')).toBe(1)
  })
})

describe('a group in which 40 workspaces are not answered', () => {
  const hanging = Array.from({ length: 40 }, (_, nth) => `T-hanging-${nth}`)
  const healthy = Array.from({ length: 10 }, (_, nth) => `T-healthy-${nth}`)
  /** As long as a poll may take. */
  const hang = () => passes(20_000).then(() => Promise.reject(new ApiError('timeout', 'no answer')))

  it.each([
    { what: 'hang', ask: hang, rounds: 3 },
    { what: 'are refused', ask: () => Promise.reject(new ApiError('unavailable', 'down')), rounds: 1 },
  ])('polls the 10 others in time where the 40 $what', async ({ ask, rounds }) => {
    const group = startGroup([...hanging, ...healthy], {
      intervalMs: 10_000,
      ask: async (id) => (hanging.includes(id) ? ask() : undefined),
    })
    const over = group.keepRunning()
    // They are the last in the first turn.
    await vi.advanceTimersByTimeAsync(rounds * 2000)
    expect(healthy.map(group.triesOf)).toEqual(healthy.map(() => 1))
    await vi.advanceTimersByTimeAsync(110_000)
    // An interval of 10 s, and a round at most until it is seen.
    for (const id of healthy) expect(group.triesOf(id)).toBeGreaterThanOrEqual(1 + Math.floor(110 / 12))
    // The others are not forgotten either.
    for (const id of hanging) expect(group.triesOf(id)).toBeGreaterThanOrEqual(2)
    group.stop.abort()
    await vi.advanceTimersByTimeAsync(60_000)
    await over
  })
})
