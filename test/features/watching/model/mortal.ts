import type { WorkKind } from '../../../../packages/durable/src/engine/work-kind.ts'
import type { WorkEnd } from '../../../../packages/durable/src/work/leases.ts'
import type { Work } from '../../../../packages/durable/src/work/work-row.ts'
import type { Store } from '../../../../src/app/store.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { type Death, simulateProcess } from '../../../simulated-process.ts'
import { createStopwatch } from '../stopwatch.ts'

const MAX_ATTEMPTS = 50

/**
 * A process that runs due work on request, and can die in the middle of any call. A dead process has no more effects, and
 * another takes its place.
 */
export function createMortalProcess(deps: {
  store: Store
  /** The kinds of work over a store that may stop answering. */
  createKinds: (
    watching: Store['watching'],
    attempts: Store['postAttempts'],
    times: Pick<ReturnType<typeof createStopwatch>, 'stopwatch' | 'leased'>,
  ) => WorkKind[]
  /** Called after a poll that changed nothing. */
  onUnchanged: () => Promise<void>
  onFault: (error: unknown) => void
}) {
  const { store, createKinds, onUnchanged, onFault } = deps
  /** How many of the next processes die at their first call. */
  let doomed = 0
  let life = startLife()

  function startLife() {
    const death: Death | undefined = doomed > 0 ? { afterCalls: 0, isBefore: true } : undefined
    doomed = Math.max(0, doomed - 1)
    const busy = { calls: 0 }
    const { own, died, mortal } = simulateProcess(
      () => {
        life = startLife()
      },
      death,
      busy,
    )
    const times = createStopwatch()
    const kinds = new Map(
      createKinds(mortal(store.watching), mortal(store.postAttempts), times).map((kind) => [kind.kind, kind]),
    )
    /** IDs of the polls that this process holds while time passes. */
    const heldPolls = new Set<string>()
    let lastUnchanged: unknown

    async function runWork(work: Work): Promise<void> {
      const signal = new AbortController().signal
      const leased = { work, owner: own.owner, signal, wantsStop: () => false }
      let end: WorkEnd
      try {
        const kind = kinds.get(work.kind)
        // Like the engine, gives up work that this many processes died in.
        if (work.attempts > (kind?.maxAttempts ?? MAX_ATTEMPTS)) end = { state: 'stopped' }
        else end = (await kind?.run(leased)) ?? { state: 'done' }
      } catch (error) {
        onFault(error)
        end = { state: 'waiting', dueInMs: 1000 }
      }
      if (!own.isDead) await store.work.release(work.id, own.owner, end)
    }

    /** Starts polling, and waits until the next round. The process keeps the lease. */
    async function runPoll(work: Work): Promise<void> {
      heldPolls.add(work.id)
      void runWork(work).finally(() => heldPolls.delete(work.id))
      await waitUntilIdle()
    }

    async function waitUntilIdle(): Promise<void> {
      await times.waitUntilIdle({
        isBusy: () => busy.calls > 0 || heldPolls.size > times.leased.size,
        isDead: () => own.isDead,
      })
      for (const scopes of times.leased.values())
        for (const { unsavedNoChange } of scopes.values()) {
          if (unsavedNoChange && unsavedNoChange.end !== lastUnchanged) await onUnchanged()
          lastUnchanged = unsavedNoChange?.end
        }
    }

    return {
      own,
      died,
      kinds: [...kinds.keys()],
      heldPolls,
      runWork: (work: Work) => (work.kind === WATCH_WORK.poll ? runPoll(work) : runWork(work)),
      async pass(ms: number): Promise<void> {
        times.pass(ms)
        await waitUntilIdle()
      },
    }
  }

  /** Resolves when the work is done or its process dies. */
  function runWork(work: Work): Promise<void> {
    const { died, runWork } = life
    return Promise.race([runWork(work), died])
  }

  return {
    /** `lives`: how many processes die in a row. All but the first die at their first call. */
    dieAt(death: Death, lives = 1): void {
      life.own.death = death
      doomed = lives - 1
    },
    /** Advances the clock of the living process. */
    pass(ms: number): Promise<void> {
      const { died, pass } = life
      return Promise.race([pass(ms), died])
    },
    /** Runs all due work, and takes over the work of dead processes. */
    async runDue(): Promise<void> {
      // Like the engine, because the clock may have been set back.
      await store.work.makeDueAfterClockChange()
      for (let round = 0; round < 50; round += 1) {
        for (const lease of (await store.work.listLeases()).filter(({ id }) => !life.heldPolls.has(id))) {
          const work = await store.work.takeOver(lease, life.own.owner)
          if (work) await runWork(work)
        }
        const [work] = (await Array.fromAsync(store.work.claimDue(life.own.owner, life.kinds, 1))).flat()
        if (!work) return
        await runWork(work)
      }
    },
  }
}
