import type { LeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { runWithTraceContext } from '../../../packages/runtime/src/trace-context.ts'
import { openStore } from '../../../src/app/store.ts'
import { ORDER_WORK } from '../../../src/features/cert-orders/rows/order-writer.ts'
import { transition } from '../../../src/features/cert-orders/rules/lifecycle.ts'
import type { SubmitDeps } from '../../../src/features/cert-orders/submit-order.ts'
import { ACCOUNT, storeOrder, WORKSPACE } from './order-process.ts'

const START = Date.parse('2026-03-01T12:00:00.000Z')
export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
/** After a process died, how long the service may still be handling its POST. */
export const SETTLE_MS = 30 * SECOND_MS
export const ANSWER = '{"data":{"type":"order","id":"500001","attributes":{"status":"pending"}}}'

/** Stores an approved order that isn't sent yet. Set `clock.now` to change the time, also the database's, and `elapsedMs` to change the stopwatch. */
export async function startApprovedOrder(
  overrides: Partial<SubmitDeps> = {},
  createOrder: () => Promise<string> = async () => ANSWER,
) {
  await using started = new AsyncDisposableStack()
  const clock = { now: START }
  const store = started.use(await openStore({ url: 'sqlite::memory:', clock: () => new Date(clock.now) }))
  const orders = store.orders
  let postCount = 0
  const api = {
    account: ACCOUNT,
    orders: {
      create() {
        postCount += 1
        return createOrder()
      },
    },
  }
  const order = await storeOrder(store)
  const now = await orders.readTime()
  const result = transition(order, { kind: 'approve', by: 'U2', hash: order.bodyHash, domains: [] }, now)
  if ('refusal' in result) throw new Error(result.refusal)
  const approval = { kind: 'approve', at: now, userId: 'U2', reference: 'approved' }
  await runWithTraceContext({ ...approval, verb: 'act' }, () => orders.saveStep(result.next, approval))
  const deps: SubmitDeps = {
    orders,
    steps: store.steps,
    lateOutcomes: store.lateOutcomes,
    settings: store.settings,
    getApi: async () => api,
    now: () => new Date(clock.now),
    stopwatch: () => world.elapsedMs,
    maxInFlightMs: SETTLE_MS,
    ...overrides,
  }
  const scheduled = { workspaceId: WORKSPACE, kind: ORDER_WORK.submit, key: order.id }
  const stopController = new AbortController()
  const resources = started.move()
  const world = {
    /** By this process's monotonic clock. */
    elapsedMs: 0,
    store,
    orders,
    deps,
    clock,
    stopController,
    postCount: () => postCount,
    current: async () => {
      const current = await orders.get(order.id)
      return { state: current?.state, outcome: current?.content.outcome }
    },
    async claim(owner: string, { signal } = stopController): Promise<LeasedWork> {
      const [work] = await store.work.claimDue(owner, [scheduled.kind], 1)
      if (!work) throw new Error('Another process has the work.')
      return { work, owner, signal, wantsStop: () => false }
    },
    /** Releases the submission, as if its process had died. */
    releaseClaim: ({ work, owner }: LeasedWork) =>
      store.work.release(work.id, owner, { state: 'waiting', dueInMs: 0 }),
    audit: async () => {
      const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 10 })
      return rows.map((row) => `${row.verb} ${row.actor.userId} ${row.outcome} ${row.reference}`).toReversed()
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
  return world
}
