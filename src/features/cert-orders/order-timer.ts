import { DONE, type WorkKind } from '@signalman/durable'
import { createReference } from '@signalman/runtime'
import { createOrderAuditEvent, summarizeOrder } from './order-audit.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import type { StoredOrders } from './rows/orders.ts'
import { findDue, transition } from './rules/lifecycle.ts'

/** Expires orders and sends reminders when they are due by the database's clock. */
export function createOrderTimerWork(orders: StoredOrders): WorkKind {
  return {
    kind: ORDER_WORK.due,
    lane: 'quick',
    async run({ work }) {
      const order = await orders.get(work.key ?? '')
      const due = order && findDue(order)
      if (!due) return DONE
      const now = await orders.readTime()
      for (const kind of ['expire', 'remind'] as const) {
        const transitioned = transition(order, { kind }, now)
        if ('refusal' in transitioned) continue
        const auditEvent = createOrderAuditEvent(order, {
          verb: `/cert-order ${kind}`,
          at: now,
          reference: createReference(),
          before: summarizeOrder(order),
          after: summarizeOrder(transitioned.next),
          outcome: 'done',
        })
        // If a concurrent step was saved first, this saves nothing, and that step has already scheduled what is due next.
        await orders.saveStep(transitioned.next, { kind, at: now }, auditEvent)
        return DONE
      }
      return { state: 'waiting', dueInMs: Math.max(due.getTime() - now.getTime(), 1000) }
    },
  }
}
