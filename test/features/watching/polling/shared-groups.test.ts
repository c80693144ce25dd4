import { describe, expect, it } from 'vitest'
import { trackLeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import { createRelease } from '../../../../packages/durable/src/engine/release-work.ts'
import { createTakeOver } from '../../../../packages/durable/src/engine/take-over.ts'
import { createWorkRunner, WORK_TIMES } from '../../../../packages/durable/src/engine/work-runner.ts'
import { openStore } from '../../../../src/app/store.ts'
import type { ScopeDeps } from '../../../../src/features/watching/polling/poll-scope.ts'
import { createPollWork } from '../../../../src/features/watching/polling/poll-work.ts'
import { hashToPollGroup } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { createLog } from '../../../../src/log.ts'
import type { Api } from '../../../../src/service/service.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { createStopwatch } from '../stopwatch.ts'

const START_MS = Date.UTC(2026, 2, 1, 12)
const INTERVAL_MS = 60_000
const STEP_MS = 1000
/** A poll this long after its due time is still on time (`npm run bench -- many-workspaces`). */
const ON_TIME_MS = 5000
const GROUP_COUNT = 12
/** Workspaces in different groups. */
const IDS = [
  ...new Map(Array.from({ length: 400 }, (_, index) => [hashToPollGroup(`T${index}`), `T${index}`])).values(),
].slice(0, GROUP_COUNT)

/** Simulates processes that share a database and its clock. They run the engine's parts, and the test advances their stopwatches. */
async function startCluster({ url, keys }: TestDatabase) {
  let nowMs = 0
  let clockMs = START_MS
  const clock = () => new Date(clockMs)
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url, keys, now: clock, clock }))
  const { watches, polls } = store.watching
  for (const workspaceId of IDS)
    await watches.add({
      ...{ workspaceId, channelId: 'C1', environment: 'production', filter: ALL_CHECKS },
      ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: clock() },
    } as const)
  const lastPolls = new Map<string, number>()
  /** The longest time between two polls of a workspace. */
  let longestGapMs = 0
  const value = { total: 0, isComplete: true, results: [] }
  const healthChecks = { listIfChanged: async () => ({ digest: 'd', value }) }
  const log = createLog('silent')
  const processes = new Map<string, ReturnType<typeof createProcess>>()

  function createProcess(owner: string) {
    const times = createStopwatch()
    const stopwatch = times.stopwatch.now
    const leasedWork = trackLeasedWork(owner)
    const release = createRelease({ store: store.work, owner, leasedWork, log, isStopping: () => false })
    const getApi = async (id: string) => {
      longestGapMs = Math.max(longestGapMs, nowMs - (lastPolls.get(id) ?? nowMs))
      lastPolls.set(id, nowMs)
      return { healthChecks } as unknown as Api
    }
    const deps = { ...times, polls, getApi, log, intervalMs: INTERVAL_MS, wake: () => undefined }
    const kinds = [createPollWork(deps as ScopeDeps)]
    const engineParts = { store: store.work, owner, leasedWork, log, stopwatch }
    const onFree = () => undefined
    const runner = createWorkRunner({ ...engineParts, kinds, release, times: WORK_TIMES, onFree })
    const takeOver = createTakeOver({ ...engineParts, runner, leaseMs: WORK_TIMES.leaseMs })
    const waitUntilIdle = () =>
      times.waitUntilIdle({ isBusy: () => leasedWork.all().size !== times.leased.size })
    return {
      async pass(ms: number): Promise<void> {
        times.pass(ms)
        await waitUntilIdle()
        const leased = leasedWork.all()
        if (leased.size > 0) leasedWork.applyHeartbeat(await store.work.renew(owner), leased)
        await runner.fill()
        await takeOver.check()
        await waitUntilIdle()
      },
      async stop(): Promise<void> {
        runner.close()
        leasedWork.abortAll()
        await runner.idle()
        await store.work.leave(owner)
      },
    }
  }

  async function pass(ms: number, except?: string): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      nowMs += STEP_MS
      clockMs += STEP_MS
      for (const [owner, process] of processes) if (owner !== except) await process.pass(STEP_MS)
    }
  }

  const listOwners = async (): Promise<ReadonlyMap<string, string>> =>
    new Map((await store.work.listLeases()).map(({ id, owner }) => [id, owner]))

  const resources = started.move()
  return {
    pass,
    join: (owner: string) => void processes.set(owner, createProcess(owner)),
    /** Kills the process: it has no more effects. */
    kill: (owner: string) => void processes.delete(owner),
    async leave(owner: string): Promise<void> {
      const process = processes.get(owner)
      processes.delete(owner)
      await process?.stop()
    },
    /** Stalls the process while the others continue. Returns the owners of the groups at the end of the stall. */
    async stall(owner: string, ms: number): Promise<ReadonlySet<string>> {
      await pass(ms, owner)
      const owners = new Set((await listOwners()).values())
      await processes.get(owner)?.pass(ms)
      return owners
    },
    jump(ms: number): void {
      clockMs += ms
    },
    listOwners,
    /** How many groups each process has. */
    async countGroups(): Promise<Record<string, number>> {
      const groupsByOwner = Map.groupBy((await listOwners()).values(), (owner) => owner)
      return Object.fromEntries(
        [...groupsByOwner].toSorted().map(([owner, groups]) => [owner, groups.length]),
      )
    },
    /** Returns the longest time between two polls of a workspace since the last call, and starts measuring again. */
    resetLongestGapMs(): number {
      const longest = longestGapMs
      longestGapMs = 0
      return longest
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Long enough for a process to notice that another process wants a group and to release it, and for the other to claim it. */
const REBALANCED_WITHIN_MS = 15_000

describe.each(eitherOf(SHARED_DATABASES))('poll groups of several processes on $name', ({ start }) => {
  it('are polled in time, and move only when a process joins or leaves, not when the clock changes', async () => {
    await using database = await start()
    await using cluster = await startCluster(database)
    cluster.join('A')
    await cluster.pass(10_000)
    expect(await cluster.countGroups()).toEqual({ A: GROUP_COUNT })
    cluster.join('B')
    await cluster.pass(REBALANCED_WITHIN_MS)
    expect(await cluster.countGroups()).toEqual({ A: 6, B: 6 })
    cluster.join('C')
    cluster.join('D')
    await cluster.pass(2 * REBALANCED_WITHIN_MS)
    expect(await cluster.countGroups()).toEqual({ A: 3, B: 3, C: 3, D: 3 })
    const before = await cluster.listOwners()
    // Changes to the system clock don't move groups.
    for (const ms of [7_200_000, -14_400_000]) {
      cluster.jump(ms)
      await cluster.pass(20_000)
      expect(await cluster.listOwners()).toEqual(before)
    }
    await cluster.leave('B')
    await cluster.leave('D')
    await cluster.pass(REBALANCED_WITHIN_MS)
    expect(await cluster.countGroups()).toEqual({ A: 6, C: 6 })
    await cluster.pass(INTERVAL_MS)
    expect(cluster.resetLongestGapMs()).toBeLessThanOrEqual(INTERVAL_MS + ON_TIME_MS)
  })

  it('are taken over from a stalled or dead process, and then rebalanced', async () => {
    await using database = await start()
    await using cluster = await startCluster(database)
    for (const owner of ['A', 'B', 'C']) cluster.join(owner)
    await cluster.pass(2 * REBALANCED_WITHIN_MS)
    expect(await cluster.countGroups()).toEqual({ A: 4, B: 4, C: 4 })
    expect(await cluster.stall('B', WORK_TIMES.leaseMs + 3000)).toEqual(new Set(['A', 'C']))
    await cluster.pass(REBALANCED_WITHIN_MS)
    expect(await cluster.countGroups()).toEqual({ A: 4, B: 4, C: 4 })
    cluster.kill('C')
    await cluster.pass(WORK_TIMES.leaseMs + 2000)
    expect((await cluster.listOwners()).values().some((owner) => owner === 'C')).toBe(false)
    await cluster.pass(REBALANCED_WITHIN_MS)
    expect(await cluster.countGroups()).toEqual({ A: 6, B: 6 })
    await cluster.pass(INTERVAL_MS)
    // Nobody knows when the dead process polled last, so overdue polls are spread over another interval.
    expect(cluster.resetLongestGapMs()).toBeLessThanOrEqual(2 * INTERVAL_MS + WORK_TIMES.leaseMs + ON_TIME_MS)
  })
})
