import type { WorkKind } from '../../../../packages/durable/src/engine/work-kind.ts'
import type { WorkEnd } from '../../../../packages/durable/src/work/leases.ts'
import type { Work } from '../../../../packages/durable/src/work/work-row.ts'
import type { Store } from '../../../../src/app/store.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { type Death, simulateProcess } from '../../../simulated-process.ts'
import { createStopwatch } from '../stopwatch.ts'

const MAX_ATTEMPTS = 50

/**
 * Simulates a process that runs due work on request and can die before or after any call. A dead process has no more effects.
 * Another process replaces it.
 */
export function createCrashingProcess(deps: {
  store: Store
  /** Creates the kinds of work. Calls to `watching` and `attempts` never return once the process is dead. */
  createKinds: (
    watching: Store['watching'],
    attempts: Store['postAttempts'],
    times: Pick<ReturnType<typeof createStopwatch>, 'stopwatch' | 'leased'>,
  ) => WorkKind[]
  onFault: (error: unknown) => void
}) {
  const { store, createKinds, onFault } = deps
  /** How many of the following processes die at their first call. */
  let immediateDeaths = 0
  /** Whether a process has died since its work was last taken over. Only then, there are leases that no living process has. */
  let hasDeadLeases = false
  let current = startProcess()

  function startProcess() {
    const death: Death | undefined = immediateDeaths > 0 ? { afterCalls: 0, isBefore: true } : undefined
    immediateDeaths = Math.max(0, immediateDeaths - 1)
    const pending = { calls: 0 }
    const { state, died, wrapCalls } = simulateProcess(
      () => {
        hasDeadLeases = true
        current = startProcess()
      },
      death,
      pending,
    )
    const times = createStopwatch()
    const kinds = new Map(
      createKinds(wrapCalls(store.watching), wrapCalls(store.postAttempts), times).map((kind) => [
        kind.kind,
        kind,
      ]),
    )
    /** The IDs of the poll work that this process has leased. It keeps these leases between rounds. */
    const leasedPolls = new Set<string>()

    async function runWork(work: Work): Promise<void> {
      const signal = new AbortController().signal
      const leased = { work, owner: state.owner, signal, wantsStop: () => false }
      let end: WorkEnd
      try {
        const kind = kinds.get(work.kind)
        // Like the engine, gives up on work after this many processes have died while running it.
        if (work.attempts > (kind?.maxAttempts ?? MAX_ATTEMPTS)) end = { state: 'stopped' }
        else end = (await kind?.run(leased)) ?? { state: 'done' }
      } catch (error) {
        onFault(error)
        end = { state: 'waiting', dueInMs: 1000 }
      }
      if (!state.isDead) await store.work.release(work.id, state.owner, end)
    }

    /** Starts polling, and waits until the next round. The process keeps the lease. */
    async function runPoll(work: Work): Promise<void> {
      leasedPolls.add(work.id)
      void runWork(work).finally(() => leasedPolls.delete(work.id))
      await waitUntilIdle()
    }

    const waitUntilIdle = (): Promise<void> =>
      times.waitUntilIdle({
        isBusy: () => pending.calls > 0 || leasedPolls.size > times.leased.size,
        isDead: () => state.isDead,
      })

    return {
      state,
      died,
      kinds: [...kinds.keys()],
      leasedPolls,
      runWork: (work: Work) => (work.kind === WATCH_WORK.poll ? runPoll(work) : runWork(work)),
      async pass(ms: number): Promise<void> {
        times.pass(ms)
        await waitUntilIdle()
      },
    }
  }

  /** Resolves when the work is done or its process dies. */
  function runWork(work: Work): Promise<void> {
    const { died, runWork } = current
    return Promise.race([runWork(work), died])
  }

  async function takeOver(): Promise<void> {
    hasDeadLeases = false
    for (const lease of (await store.work.listLeases()).filter(({ id }) => !current.leasedPolls.has(id))) {
      const work = await store.work.takeOver(lease, current.state.owner)
      if (work) await runWork(work)
    }
  }

  return {
    /** `deaths`: how many processes die in a row. All but the first die at their first call. */
    dieAt(death: Death, deaths = 1): void {
      current.state.death = death
      immediateDeaths = deaths - 1
    },
    /** Advances the clock of the living process. */
    pass(ms: number): Promise<void> {
      const { died, pass } = current
      return Promise.race([pass(ms), died])
    },
    /** Like the engine, makes work due that would otherwise wait for a clock that was set back. */
    afterClockChange: () => store.work.makeDueAfterClockChange(),
    /** Runs all due work, and takes over the work of dead processes. */
    async runDue(): Promise<void> {
      for (let round = 0; round < 50; round += 1) {
        if (hasDeadLeases) await takeOver()
        const [work] = (await store.work.claimDue(current.state.owner, current.kinds, 1)).flat()
        if (!work) return
        await runWork(work)
      }
    },
  }
}
