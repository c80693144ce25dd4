import { LeaseLost } from '../../../packages/durable/src/engine/leased-work.ts'
import type { Lease } from '../../../packages/durable/src/work/claim-work.ts'
import type { WorkEnd } from '../../../packages/durable/src/work/leases.ts'
import type { WorkKey } from '../../../packages/durable/src/work/schedule.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import type { Store } from '../../../src/app/store.ts'
import { type Death, simulateProcess } from '../../simulated-process.ts'
import { createOrderProcess, type FakeServices, type PersonAction, toActionWork } from './order-process.ts'

/** Much shorter than a POST may take. Never renewed here, because any process may be suspended. */
export const LEASE_MS = 6000
/** How long a POST may be in flight. */
export const SETTLE_MS = 30_000
/** A waiting approver checks again after 250 ms. */
const WAIT_MS = 2000

/**
 * A process that runs due work on command and can die at any call. After that, nothing more happens in it, and another one
 * takes its place. Only the model's time passes in it.
 */
export function createMortalProcess(deps: {
  store: Store
  workspaceId: string
  fakes: FakeServices
  now: () => Date
  /** Identifies its leases. */
  databaseNow: () => Date
  onFault: (error: unknown) => void
  /** Counts calls that haven't returned, in all processes that took its place. */
  open?: { calls: number }
}) {
  const { store, workspaceId, fakes, now, databaseNow, onFault, open } = deps
  let life = startLife()

  function startLife() {
    const onDeath = () => {
      life = startLife()
    }
    const { own, died, die, call, mortal } = simulateProcess(onDeath, undefined, open)
    const work = mortal(store.work)
    const engine = { runNow, wake: () => undefined }
    const { kinds } = createOrderProcess({
      store: {
        orders: mortal(store.orders),
        settings: mortal(store.settings),
        recordedSteps: mortal(store.recordedSteps),
        outcomeJournal: mortal(store.outcomeJournal),
        postAttempts: mortal(store.postAttempts),
        audit: mortal(store.audit),
        idempotencyKeys: mortal(store.idempotencyKeys),
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
      engine,
      now,
      times: { settleMs: SETTLE_MS, waitMs: WAIT_MS },
      simulatedTime: {
        stopwatch: () => now().getTime(),
        // The work is retried after the model's time has moved.
        pause: () => Promise.reject(new LeaseLost()),
      },
    })

    // Bypasses `mortal`, so the process can't die here.
    const sendHeartbeat = () => store.processes.heartbeat(own.owner)

    async function runNow(workKey: WorkKey): Promise<void> {
      await sendHeartbeat()
      const claimed = await work.claim(workKey, own.owner)
      if (claimed) await run(claimed)
    }

    async function run(claimedWork: Work): Promise<void> {
      const kind = kinds.find(({ kind }) => kind === claimedWork.kind)
      const signal = new AbortController().signal
      const end = await kind
        ?.run({ work: claimedWork, owner: own.owner, signal, wantsStop: () => false })
        .catch((error: unknown): WorkEnd => {
          if (!(error instanceof LeaseLost)) onFault(error)
          return { state: 'waiting', dueInMs: 1000 }
        })
      await work.release(claimedWork.id, own.owner, end ?? { state: 'stopped' })
    }

    /** Runs the work that dead processes left, and all due work. */
    async function runDueWork(): Promise<void> {
      const isSilent = ({ seenAt }: Lease) =>
        seenAt === '' || Date.parse(seenAt) + LEASE_MS < databaseNow().getTime()
      const abandoned = (await work.listLeases()).filter(isSilent)
      await sendHeartbeat()
      const claimed = await Promise.all(abandoned.map((lease) => work.takeOver(lease, own.owner)))
      await Promise.all(claimed.map((one) => one && run(one)))
      const kindNames = kinds.map(({ kind }) => kind)
      for (let round = 0; round < 50; round += 1) {
        const due = (await call(() => Array.fromAsync(store.work.claimDue(own.owner, kindNames, 8)))).flat()
        if (due.length === 0) return
        await Promise.all(due.map(run))
      }
    }

    async function performAction(userId: string, action: PersonAction): Promise<void> {
      const begun = await work.begin(toActionWork(workspaceId, userId, action), own.owner)
      await run(begun.work)
    }

    return { died, own, die, runDueWork, performAction }
  }

  return {
    /** Resolves when the work is done or the process has died. */
    runDueWork: (): Promise<void> => Promise.race([life.runDueWork(), life.died]),
    performAction: (userId: string, action: PersonAction): Promise<void> =>
      Promise.race([life.performAction(userId, action), life.died]),
    crashAt(death: Death): void {
      life.own.death = { ...death }
    },
    cancelCrash(): void {
      life.own.death = undefined
    },
    crash(): void {
      void life.die()
    },
  }
}
