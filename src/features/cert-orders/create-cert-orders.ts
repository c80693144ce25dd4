import { setTimeout } from 'node:timers/promises'
import { DONE, type Engine, type Settings, type WorkKind } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import type { FindHolders } from '../../bot/access/holders.ts'
import type { MayPost } from '../../bot/posts/may-post.ts'
import type { Requester, Rights } from '../../bot/routes/command-context.ts'
import type { Stored } from '../../bot/stored.ts'
import { createFindChoices, type FindChoices } from './catalog.ts'
import { orderAuditEvent, summarizeOrder } from './order-audit.ts'
import { type NotifierParts, orderNotifier } from './order-notifier.ts'
import { createOrderService, type OrderService } from './order-service.ts'
import { ORDER_TIMES, type OrderTimes } from './ready-to-place.ts'
import { type OrderRepository, orderRepository, type StoredOrders } from './rows/orders.ts'
import { ORDER_WORK } from './rows/writing.ts'
import { type OrderStep, transition } from './rules/lifecycle.ts'
import { hasRequested, type Order } from './rules/order.ts'
import { ORDER_POLICY } from './rules/policy.ts'
import { type NameOf, readShown } from './shown-order.ts'
import { type SubmitParts, submitWork } from './submit-order.ts'
import { shownView } from './views/messages.ts'

export interface DueParts {
  orders: OrderRepository
  settings: Pick<Settings, 'get'>
  createReference: () => string
}

/** The automatic steps, in the order in which they are tried. */
const AUTOMATIC_STEPS: readonly Extract<OrderStep, { kind: 'expire' | 'remind' }>[] = [
  { kind: 'expire' },
  { kind: 'remind' },
]

/** Automatic steps never need approvals. */
const NO_APPROVALS = { is: 'allow', approvals: 1, because: [] } as const

/** Expires orders and sends reminders when they are due by the database's clock. */
export function orderDueWork({ orders, settings, createReference }: DueParts): WorkKind {
  return {
    kind: ORDER_WORK.due,
    lane: 'quick',
    async run({ work }) {
      const order = await orders.get(work.key ?? '')
      if (!order?.wakeAt) return DONE
      const policy = await settings.get(order.workspaceId, ORDER_POLICY)
      const now = await orders.time()
      for (const step of AUTOMATIC_STEPS) {
        const made = transition(order, step, { direct: policy.direct, judgement: NO_APPROVALS, now })
        if ('refusal' in made) continue
        const { kind } = step
        const auditEvent = orderAuditEvent(order, {
          verb: `/cert-order ${kind}`,
          at: now,
          reference: createReference(),
          before: summarizeOrder(order),
          after: summarizeOrder(made.next),
          outcome: 'done',
        })
        // If someone else was first, their step decides what is due next.
        await orders.move(made.next, { kind, at: now }, auditEvent)
        return DONE
      }
      return { state: 'waiting', dueInMs: Math.max(order.wakeAt.getTime() - now.getTime(), 1000) }
    },
  }
}

/** What commands and forms work with. */
export interface CertOrderParts {
  service: OrderService
  orders: OrderRepository
  settings: Settings
  mayPost: MayPost
  findOffered: FindChoices
  findHolders: FindHolders
  nameOf: NameOf
  /** The order as this person sees it after a step, and why it wasn't sent at once. */
  show(context: Requester & Rights, order: Order, notSentBecause?: string): Promise<Message>
  /** The same for everyone in a channel. It looks like an approver's card, because each click is checked. */
  showAll(order: Order): Promise<Message>
}

/** Dependencies that aren't built from the store here. */
interface Dependencies
  extends Omit<NotifierParts & SubmitParts, 'orders' | 'settings' | 'steps' | 'journal' | 'settleMs'> {
  store: Pick<Stored, 'settings' | 'recordedSteps' | 'outcomeJournal'> & { orders: StoredOrders }
  /** The engine that does `workKinds`. */
  engine: Pick<Engine, 'runNow' | 'wake'>
  times?: Partial<OrderTimes> | undefined
}

/** Wires the feature; `workKinds` is the durable work of orders. */
export function createCertOrders(given: Dependencies): { parts: CertOrderParts; workKinds: WorkKind[] } {
  const { store, mayPost, findHolders, nameOf, engine, now } = given
  const { settleMs, waitMs } = { ...ORDER_TIMES, ...given.times }
  const { settings, recordedSteps: steps, outcomeJournal: journal } = store
  const orders = orderRepository(store.orders)
  const made = { ...given, orders, settings, steps, journal, settleMs }
  const submitted = createSubmission(orders, (what) => engine.runNow(what), waitMs)
  const shown = (order: Order) => readShown({ orders, settings, nameOf }, order)
  return {
    parts: {
      service: createOrderService({ ...made, submitted, wake: () => engine.wake() }),
      orders,
      settings,
      mayPost,
      findOffered: createFindChoices(now),
      findHolders,
      nameOf,
      async show(context, order, notSentBecause) {
        const [said, decides] = await Promise.all([shown(order), context.hasRole(context.userId, 'approver')])
        const owns = order.requesterId === context.userId
        const hasApproved = order.content.approvals.some(({ by }) => by === context.userId)
        const reader = {
          decides: decides && (said.policy.direct || !hasRequested(order, context.userId)),
          owns,
          hasApproved,
        }
        return shownView(order, { ...said, notSentBecause }, reader)
      },
      showAll: async (order) => shownView(order, await shown(order), { decides: true }),
    },
    workKinds: [submitWork(made), orderNotifier(made), orderDueWork(made)],
  }
}

const POLL_MS = 250

/**
 * Sends an order that is being submitted, in this process, or waits for the process that sends it. Returns the order afterwards,
 * or its last seen state after `waitMs`. Never rejects.
 */
function createSubmission(orders: Pick<OrderRepository, 'get'>, runNow: Engine['runNow'], waitMs: number) {
  return async (order: Order): Promise<Order> => {
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
