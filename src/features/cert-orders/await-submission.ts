import { setTimeout } from 'node:timers/promises'
import { ORDER_WORK } from '../../store/store.ts'
import type { Engine } from '../../work/engine.ts'
import type { Order, OrderRepository } from './order.ts'

const POLL_MS = 250

/**
 * Sends an order that is being submitted, at once in this process, or waits for the process that does. Returns the order
 * afterwards, or as it was last seen after `waitMs`. Never rejects.
 */
export function createSubmission(parts: {
  orders: Pick<OrderRepository, 'get'>
  runNow: Engine['runNow']
  waitMs: number
}): (order: Order) => Promise<Order> {
  const { orders, runNow, waitMs } = parts
  return async (order) => {
    const { workspaceId, id: key } = order
    const until = performance.now() + waitMs
    const sent = runNow({ workspaceId, kind: ORDER_WORK.submit, key }).catch(() => undefined)
    await Promise.race([sent, setTimeout(waitMs, undefined, { ref: false })])
    let seen = order
    for (;;) {
      seen = (await orders.get(key).catch(() => undefined)) ?? seen
      if (seen.state !== 'submitting' || performance.now() >= until) return seen
      await setTimeout(POLL_MS, undefined, { ref: false })
    }
  }
}
