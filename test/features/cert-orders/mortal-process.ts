import { LeaseLost } from '../../../packages/durable/src/engine/held-work.ts'
import type { Lease } from '../../../packages/durable/src/work/claim-work.ts'
import type { WorkEnd } from '../../../packages/durable/src/work/leases.ts'
import type { Scheduled } from '../../../packages/durable/src/work/schedule.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import type { Store } from '../../../src/app/store.ts'
import { beginLife, type Death } from '../../mortal-life.ts'
import { actOf, type Doing, orderProcess, type Surroundings } from './order-process.ts'

/** Far shorter than a POST may take, and never renewed here, because every process may be suspended. */
export const LEASE_MS = 6000
/** How long a POST may be in flight. */
export const SETTLE_MS = 30_000
/** A waiting approver checks again after 250 ms. */
const WAIT_MS = 2000

/**
 * A process that runs due work on command, and may die at any point. After that, nothing more happens in it, and another one
 * takes its place. Only the model's time passes in it.
 */
export function createMortal(parts: {
  store: Store
  workspaceId: string
  around: Surroundings
  now: () => Date
  /** Identifies its leases. */
  databaseNow: () => Date
  onFault: (error: unknown) => void
  /** Counts calls of all its lives that haven't returned. */
  open?: { calls: number }
}) {
  const { store, workspaceId, around, now, databaseNow, onFault, open } = parts
  let life = born()

  function born() {
    const onDeath = () => {
      life = born()
    }
    const { own, died, die, call, mortal } = beginLife(onDeath, undefined, open)
    const work = mortal(store.work)
    const engine = { runNow, wake: () => undefined }
    const { kinds } = orderProcess({
      store: {
        orders: mortal(store.orders),
        settings: mortal(store.settings),
        recordedSteps: mortal(store.recordedSteps),
        outcomeJournal: mortal(store.outcomeJournal),
        postAttempts: mortal(store.postAttempts),
        audit: mortal(store.audit),
        idempotencyKeys: mortal(store.idempotencyKeys),
      },
      around: {
        ...around,
        api: {
          orders: {
            ...around.api.orders,
            create: (request) => call(async () => await around.api.orders.create(request)),
          },
        },
      },
      engine,
      now,
      times: { settleMs: SETTLE_MS, waitMs: WAIT_MS },
      clockwork: {
        stopwatch: () => now().getTime(),
        // Checked again once the model's time has passed.
        pause: () => Promise.reject(new LeaseLost()),
      },
    })

    // Not a call of the model, so the process can't die in it.
    const lives = () => store.processes.signOfLife(own.owner)

    async function runNow(what: Scheduled): Promise<void> {
      await lives()
      const claimed = await work.claim(what, own.owner)
      if (claimed) await run(claimed)
    }

    async function run(one: Work): Promise<void> {
      const kind = kinds.find(({ kind }) => kind === one.kind)
      const signal = new AbortController().signal
      const end = await kind
        ?.run({ work: one, owner: own.owner, signal, wantsStop: () => false })
        .catch((error: unknown): WorkEnd => {
          if (!(error instanceof LeaseLost)) onFault(error)
          return { state: 'waiting', dueInMs: 1000 }
        })
      await work.release(one.id, own.owner, end ?? { state: 'stopped' })
    }

    /** What others left, and what is due. */
    async function keep(): Promise<void> {
      const silent = ({ seenAt }: Lease) =>
        seenAt === '' || Date.parse(seenAt) + LEASE_MS < databaseNow().getTime()
      const left = (await work.leases()).filter(silent)
      await lives()
      const taken = await Promise.all(left.map((lease) => work.takeOver(lease, own.owner)))
      await Promise.all(taken.map((one) => one && run(one)))
      const named = kinds.map(({ kind }) => kind)
      for (let round = 0; round < 50; round += 1) {
        const due = (await call(() => Array.fromAsync(store.work.claimDue(own.owner, named, 8)))).flat()
        if (due.length === 0) return
        await Promise.all(due.map(run))
      }
    }

    async function does(userId: string, doing: Doing): Promise<void> {
      const begun = await work.begin(actOf(workspaceId, userId, doing), own.owner)
      await run(begun.work)
    }

    return { died, own, die, keep, does }
  }

  return {
    /** Until it is done, or the process has died. */
    keep: (): Promise<void> => Promise.race([life.keep(), life.died]),
    does: (userId: string, doing: Doing): Promise<void> =>
      Promise.race([life.does(userId, doing), life.died]),
    diesAt(death: Death): void {
      life.own.death = { ...death }
    },
    livesOn(): void {
      life.own.death = undefined
    },
    dies(): void {
      void life.die()
    },
  }
}
