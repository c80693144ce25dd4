import { LeaseLost } from '../../../packages/durable/src/work/steps.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import type { WorkEnd } from '../../../packages/durable/src/work/work-store.ts'
import type { Store } from '../../../src/app/store.ts'
import { type Death, simulateProcess } from '../../simulated-process.ts'
import { createOrderProcess, type FakeServices, type PersonAction, toActionWork } from './order-process.ts'

/** Much shorter than a POST may take. The simulation never renews leases, as if every process were suspended. */
export const LEASE_MS = 6000
/** How long a POST may be in flight. */
export const SETTLE_MS = 30_000

/**
 * Simulates a process that runs due work only when the model says so, and can crash at any call. After a crash, the process's calls
 * never return, and a new process replaces it. Uses only the model's clocks.
 */
export function createSimulatedProcess(deps: {
  store: Store
  workspaceId: string
  fakes: FakeServices
  now: () => Date
  onError: (error: unknown) => void
  /** Counts the calls that haven't returned, including those of replacement processes. */
  pending?: { calls: number }
}) {
  const { store, workspaceId, fakes, now, onError, pending } = deps
  let life = startLife()

  function startLife() {
    const onDeath = () => {
      life = startLife()
    }
    const { state, died, die, call, wrapCalls } = simulateProcess(onDeath, undefined, pending)
    const work = wrapCalls(store.work)
    let pausedUntilMs: number | undefined
    // Work that would wait gives up its lease instead. The model runs it again after it has advanced the clock.
    async function pause(ms: number): Promise<void> {
      pausedUntilMs ??= now().getTime() + ms
      if (now().getTime() < pausedUntilMs) throw new LeaseLost()
      pausedUntilMs = undefined
    }
    const { kinds } = createOrderProcess({
      store: {
        orders: wrapCalls(store.orders),
        settings: wrapCalls(store.settings),
        steps: wrapCalls(store.steps),
        lateOutcomes: wrapCalls(store.lateOutcomes),
        audit: wrapCalls(store.audit),
      },
      fakes: {
        ...fakes,
        api: {
          orders: {
            ...fakes.api.orders,
            create: (request) => call(async () => await fakes.api.orders.create(request)),
          },
        },
      },
      engine: { wake: () => undefined },
      now,
      maxInFlightMs: SETTLE_MS,
      simulatedTime: {
        stopwatch: () => now().getTime(),
        pause,
        pauseAct: () => Promise.reject(new LeaseLost()),
      },
    })

    // Bypasses `wrapCalls`, so the process can't die here.
    const sendHeartbeat = () => store.processes.heartbeat(state.owner)

    async function run(claimedWork: Work): Promise<void> {
      const kind = kinds.find(({ kind }) => kind === claimedWork.kind)
      const signal = new AbortController().signal
      const end = await kind
        ?.run({ work: claimedWork, owner: state.owner, signal, wantsStop: () => false })
        .catch((error: unknown): WorkEnd => {
          if (!(error instanceof LeaseLost)) onError(error)
          return { state: 'waiting', dueInMs: 1000 }
        })
      await work.release(claimedWork.id, state.owner, end ?? { state: 'stopped' })
    }

    /** Takes over the work of dead processes, and runs all due work. */
    async function runDueWork(): Promise<void> {
      const abandoned = (await work.listLeases(LEASE_MS)).filter(({ isOwnerAlive }) => !isOwnerAlive)
      await sendHeartbeat()
      const claimed = await Promise.all(abandoned.map((lease) => work.takeOver(lease, state.owner)))
      await Promise.all(claimed.map((claimedWork) => claimedWork && run(claimedWork)))
      const kindNames = kinds.map(({ kind }) => kind)
      for (let round = 0; round < 50; round += 1) {
        const due = (await call(() => store.work.claimDue(state.owner, kindNames, 8))).flat()
        if (due.length === 0) return
        await Promise.all(due.map(run))
      }
    }

    async function performAction(userId: string, action: PersonAction): Promise<void> {
      const begun = await work.begin(toActionWork(workspaceId, userId, action), state.owner)
      await run(begun.work)
    }

    return { died, state, die, sendHeartbeat, runDueWork, performAction }
  }

  return {
    /** Resolves when the work is done or the process has died. */
    runDueWork(): Promise<void> {
      // Read before it runs, because it may die at its first call.
      const { runDueWork, died } = life
      return Promise.race([runDueWork(), died])
    },
    performAction(userId: string, action: PersonAction): Promise<void> {
      const { performAction, died } = life
      return Promise.race([performAction(userId, action), died])
    },
    /** Says that it is alive, and refuses what it must. */
    sendHeartbeat: () => life.sendHeartbeat(),
    crashAt(death: Death): void {
      life.state.death = { ...death }
    },
    cancelCrash(): void {
      life.state.death = undefined
    },
    crash(): void {
      void life.die()
    },
  }
}
