import { describe, expect, it } from 'vitest'
import { WORK_TIMES } from '../../../../packages/durable/src/engine/failed-work.ts'
import { trackLeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import { createRelease } from '../../../../packages/durable/src/engine/release-work.ts'
import { createTakeOver } from '../../../../packages/durable/src/engine/take-over.ts'
import { createWorkRunner } from '../../../../packages/durable/src/engine/work-runner.ts'
import { openStore } from '../../../../src/app/store.ts'
import type { ScopeParts } from '../../../../src/features/watching/polling/poll-scope.ts'
import { pollWork } from '../../../../src/features/watching/polling/poll-work.ts'
import { hashToPollGroup } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { createLog } from '../../../../src/log.ts'
import type { Api } from '../../../../src/service/service.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'
import { createStopwatch } from '../stopwatch.ts'

const BEGIN = Date.UTC(2026, 2, 1, 12)
const INTERVAL_MS = 60_000
const STEP_MS = 1000
/** A poll this long after its due time is still on time (`npm run bench -- many-workspaces`). */
const ON_TIME_MS = 5000
const GROUPS = 12
/** Workspaces in different groups. */
const IDS = [
  ...new Map(Array.from({ length: 400 }, (_, nth) => [hashToPollGroup(`T${nth}`), `T${nth}`])).values(),
].slice(0, GROUPS)

/** Processes that share a database and its clock. They use the engine's parts, and the test advances their stopwatches. */
async function startStage({ url, keys }: TestDatabase) {
  let nowMs = 0
  let clockMs = BEGIN
  const clock = () => new Date(clockMs)
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url, keys, now: clock, clock }))
  const { watches, polls } = store.watching
  for (const workspaceId of IDS)
    await watches.add({
      ...{ workspaceId, channelId: 'C1', environment: 'production', filter: ALL_CHECKS },
      ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: clock() },
    } as const)
  const polled = new Map<string, number>()
  /** The longest time between two polls of a workspace. */
  let longestMs = 0
  const value = { total: 0, isComplete: true, results: [] }
  const healthChecks = { listIfChanged: async () => ({ digest: 'd', value }) }
  const log = createLog('silent')
  const processes = new Map<string, ReturnType<typeof createProcess>>()

  function createProcess(owner: string) {
    const times = createStopwatch()
    const stopwatch = times.stopwatch.now
    const leasedWork = trackLeasedWork(owner)
    const release = createRelease({ store: store.work, owner, leasedWork, log, isStopping: () => false })
    const apiOf = async (id: string) => {
      longestMs = Math.max(longestMs, nowMs - (polled.get(id) ?? nowMs))
      polled.set(id, nowMs)
      return { healthChecks } as unknown as Api
    }
    const parts = { ...times, polls, apiOf, log, intervalMs: INTERVAL_MS, wake: () => undefined }
    const kinds = [pollWork(parts as ScopeParts)]
    const own = { store: store.work, owner, leasedWork, log, stopwatch }
    const onFree = () => undefined
    const runner = createWorkRunner({ ...own, kinds, release, times: WORK_TIMES, onFree })
    const takeOver = createTakeOver({ ...own, runner, leaseMs: WORK_TIMES.leaseMs })
    const waitUntilIdle = () =>
      times.waitUntilIdle({ isBusy: () => leasedWork.all().size !== times.leased.size })
    return {
      async pass(ms: number): Promise<void> {
        times.pass(ms)
        await waitUntilIdle()
        const held = leasedWork.all()
        if (held.size > 0) leasedWork.applyHeartbeat(await store.work.renew(owner), held)
        await runner.fill()
        await takeOver.check()
        await waitUntilIdle()
      },
      async stops(): Promise<void> {
        runner.close()
        leasedWork.abortAll()
        await runner.idle()
        await store.work.leave(owner)
      },
    }
  }

  async function pass(ms: number, but?: string): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      nowMs += STEP_MS
      clockMs += STEP_MS
      for (const [owner, process] of processes) if (owner !== but) await process.pass(STEP_MS)
    }
  }

  const owners = async (): Promise<ReadonlyMap<string, string>> =>
    new Map((await store.work.leases()).map(({ id, owner }) => [id, owner]))

  const all = started.move()
  return {
    pass,
    joins: (owner: string) => void processes.set(owner, createProcess(owner)),
    /** Kills the process: it has no more effects. */
    dies: (owner: string) => void processes.delete(owner),
    async leaves(owner: string): Promise<void> {
      const process = processes.get(owner)
      processes.delete(owner)
      await process?.stops()
    },
    /** Stops the process while the others continue. */
    async stalls(owner: string, ms: number): Promise<void> {
      await pass(ms, owner)
      await processes.get(owner)?.pass(ms)
    },
    jump(ms: number): void {
      clockMs += ms
    },
    owners,
    /** How many groups each process has. */
    async shares(): Promise<Record<string, number>> {
      const has = Map.groupBy((await owners()).values(), (owner) => owner)
      return Object.fromEntries([...has].toSorted().map(([owner, groups]) => [owner, groups.length]))
    },
    /** The longest time between two polls of a workspace since the last call. */
    longestMs(): number {
      const most = longestMs
      longestMs = 0
      return most
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Long enough for a process to notice that another wants a group, to release it, and for the other to claim it. */
const SHARED_WITHIN_MS = 15_000

describe.each(SHARED_DATABASES)('poll groups of several processes on $name', ({ start }) => {
  it('are rebalanced when a process joins or leaves, then stay, and are polled in time', async () => {
    await using database = await start()
    await using stage = await startStage(database)
    stage.joins('A')
    await stage.pass(10_000)
    expect(await stage.shares()).toEqual({ A: GROUPS })
    stage.joins('B')
    await stage.pass(SHARED_WITHIN_MS)
    expect(await stage.shares()).toEqual({ A: 6, B: 6 })
    stage.joins('C')
    stage.joins('D')
    await stage.pass(2 * SHARED_WITHIN_MS)
    expect(await stage.shares()).toEqual({ A: 3, B: 3, C: 3, D: 3 })
    const before = await stage.owners()
    // Regardless of the clock.
    for (const ms of [7_200_000, -14_400_000]) {
      stage.jump(ms)
      await stage.pass(20_000)
      expect(await stage.owners()).toEqual(before)
    }
    await stage.leaves('B')
    await stage.leaves('D')
    await stage.pass(SHARED_WITHIN_MS)
    expect(await stage.shares()).toEqual({ A: 6, C: 6 })
    await stage.pass(INTERVAL_MS)
    expect(stage.longestMs()).toBeLessThanOrEqual(INTERVAL_MS + ON_TIME_MS)
  })

  it('are taken over from a dead or stalled process, and rebalanced when it returns', async () => {
    await using database = await start()
    await using stage = await startStage(database)
    for (const owner of ['A', 'B', 'C']) stage.joins(owner)
    await stage.pass(2 * SHARED_WITHIN_MS)
    expect(await stage.shares()).toEqual({ A: 4, B: 4, C: 4 })
    await stage.stalls('B', 8000)
    await stage.pass(SHARED_WITHIN_MS)
    expect(await stage.shares()).toEqual({ A: 4, B: 4, C: 4 })
    stage.dies('C')
    await stage.pass(WORK_TIMES.leaseMs + 2000)
    expect((await stage.owners()).values().some((owner) => owner === 'C')).toBe(false)
    await stage.pass(SHARED_WITHIN_MS)
    expect(await stage.shares()).toEqual({ A: 6, B: 6 })
    await stage.pass(INTERVAL_MS)
    // Nobody knows when the dead process polled last, so overdue polls are spread over another interval.
    expect(stage.longestMs()).toBeLessThanOrEqual(2 * INTERVAL_MS + WORK_TIMES.leaseMs + ON_TIME_MS)
  })
})
