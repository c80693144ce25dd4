import type { Settings, WorkEnd, WorkKind } from '@signalman/durable'
import { type OrderStep, transition } from './lifecycle.ts'
import type { OrderRepository } from './order.ts'
import { briefOf, orderAuditEvent } from './order-audit.ts'
import { ORDER_POLICY } from './policy.ts'
import { ORDER_WORK } from './rows/writing.ts'

export interface DueParts {
  orders: OrderRepository
  settings: Pick<Settings, 'get'>
  createReference: () => string
}

/** The steps that come by themselves, in the order in which they are tried. */
const BY_THEMSELVES: readonly Extract<OrderStep, { kind: 'expire' | 'remind' }>[] = [
  { kind: 'expire' },
  { kind: 'remind' },
]

const DONE: WorkEnd = { state: 'done' }

/** Lets orders expire and reminds of them when that is due, by the database's clock. */
export function orderDueWork({ orders, settings, createReference }: DueParts): WorkKind {
  return {
    kind: ORDER_WORK.due,
    lane: 'quick',
    async run({ work }) {
      const order = await orders.get(work.key ?? '')
      if (!order?.wakeAt) return DONE
      const policy = await settings.get(order.workspaceId, ORDER_POLICY)
      const now = await orders.time()
      for (const step of BY_THEMSELVES) {
        const made = transition(order, step, { ...policy, now })
        if ('refusal' in made) continue
        const { kind } = step
        const auditEvent = orderAuditEvent(order, {
          verb: `/cert-order ${kind}`,
          at: now,
          reference: createReference(),
          before: briefOf(order),
          after: briefOf(made.next),
          outcome: 'done',
        })
        // When somebody else was first, their step decides what is due now.
        await orders.move(made.next, { kind, at: now }, auditEvent)
        return DONE
      }
      return { state: 'waiting', dueInMs: Math.max(order.wakeAt.getTime() - now.getTime(), 1000) }
    },
  }
}
