import { setTimeout } from 'node:timers/promises'
import { DONE, type Engine, type Settings, type WorkKind } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import type { FindHolders } from '../../bot/access/holders.ts'
import type { MayPost } from '../../bot/posts/may-post.ts'
import type { Requester, Rights } from '../../bot/routes/command-context.ts'
import type { Stored } from '../../bot/stored.ts'
import { createFindChoices, type FindChoices } from './catalog.ts'
import { type CertificateService, createCertificateService } from './certificate-service.ts'
import type { FindRequester } from './judge-order.ts'
import { createOrderAuditEvent, summarizeOrder } from './order-audit.ts'
import { createOrderNotifier, type NotifierDeps } from './order-notifier.ts'
import { createOrderService, type OrderService } from './order-service.ts'
import { ORDER_TIMES, type OrderTimes } from './prepare-to-place.ts'
import { type LookUpName, readOrderDetails } from './read-order-details.ts'
import { createReminderWork } from './remind-certificates.ts'
import type { Certificates } from './rows/certificates.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import { type OrderRepository, type StoredOrders, toOrderRepository } from './rows/orders.ts'
import { type OrderStep, transition } from './rules/lifecycle.ts'
import { hasRequested, type Order } from './rules/order.ts'
import { listCountedApprovals } from './rules/order-details.ts'
import { createSubmitWork, type SubmitDeps } from './submit-order.ts'
import type { CardReader } from './views/buttons.ts'
import { orderView } from './views/messages.ts'

export interface OrderTimerDeps {
  orders: OrderRepository
  createReference: () => string
}

/** The automatic steps. Signalman takes the first one that is due. */
const AUTOMATIC_STEPS: readonly Extract<OrderStep, { kind: 'expire' | 'remind' }>[] = [
  { kind: 'expire' },
  { kind: 'remind' },
]

/** Expires orders and sends reminders when they are due by the database's clock. */
export function createOrderTimerWork({ orders, createReference }: OrderTimerDeps): WorkKind {
  return {
    kind: ORDER_WORK.due,
    lane: 'quick',
    async run({ work }) {
      const order = await orders.get(work.key ?? '')
      if (!order?.wakeAt) return DONE
      const now = await orders.readTime()
      for (const step of AUTOMATIC_STEPS) {
        const transitioned = transition(order, step, { now })
        if ('refusal' in transitioned) continue
        const { kind } = step
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
      return { state: 'waiting', dueInMs: Math.max(order.wakeAt.getTime() - now.getTime(), 1000) }
    },
  }
}

/** The dependencies of commands and forms. */
export interface CertOrderDeps {
  service: OrderService
  orders: OrderRepository
  certificates: Certificates
  certificateService: CertificateService
  settings: Settings
  mayPost: MayPost
  findChoices: FindChoices
  findHolders: FindHolders
  lookUpName: LookUpName
  findRequester: FindRequester
  /** Renders the order for one person, with their buttons. `notSentBecause`: why the order wasn't sent right away. */
  renderForUser(context: Requester & Rights, order: Order, notSentBecause?: string): Promise<Message>
}

/** The dependencies of the whole feature. */
interface Dependencies
  extends Omit<
    NotifierDeps & SubmitDeps,
    'orders' | 'certificates' | 'settings' | 'steps' | 'journal' | 'settleMs'
  > {
  store: Pick<Stored, 'settings' | 'recordedSteps' | 'outcomeJournal'> & {
    orders: StoredOrders
    certificates: Certificates
  }
  /** The engine that runs `workKinds`. */
  engine: Pick<Engine, 'runNow' | 'wake'>
  times?: Partial<OrderTimes> | undefined
}

/** Builds the feature's service and its durable work. */
export function createCertOrders(dependencies: Dependencies): {
  deps: CertOrderDeps
  workKinds: WorkKind[]
} {
  const { store, mayPost, findHolders, lookUpName, findRequester, engine, now } = dependencies
  const { settleMs, waitMs } = { ...ORDER_TIMES, ...dependencies.times }
  const { settings, recordedSteps: steps, outcomeJournal: journal } = store
  const { certificates } = store
  const orders = toOrderRepository(store.orders)
  const sharedDeps = { ...dependencies, orders, certificates, settings, steps, journal, settleMs }
  const submit = createSubmit(orders, engine.runNow, waitMs)
  const readDetails = (order: Order) =>
    readOrderDetails({ orders, certificates, settings, lookUpName, findRequester }, order)
  const service = createOrderService({ ...sharedDeps, submit, wake: engine.wake })
  return {
    deps: {
      service,
      orders,
      certificates,
      certificateService: createCertificateService({ ...sharedDeps, service }),
      settings,
      mayPost,
      findChoices: createFindChoices(now),
      findHolders,
      lookUpName,
      findRequester,
      async renderForUser(context, order, notSentBecause) {
        const [details, isApprover] = await Promise.all([
          readDetails(order),
          context.hasRole(context.userId, 'approver'),
        ])
        const approvals = listCountedApprovals(order, details.comparison)
        const hasApproved = approvals.some(({ by }) => by === context.userId)
        const reader: CardReader = {
          canApprove: isApprover && (details.policy.direct || !hasRequested(order, context.userId)),
          isRequester: order.requesterId === context.userId,
          hasApproved,
        }
        return orderView(order, { ...details, notSentBecause }, reader)
      },
    },
    workKinds: [
      createSubmitWork(sharedDeps),
      createOrderNotifier(sharedDeps),
      createOrderTimerWork(sharedDeps),
      createReminderWork(sharedDeps),
    ],
  }
}

const POLL_MS = 250

/**
 * Submits an order in this process, or waits for the process that is submitting it. Returns the order once it's no longer being
 * submitted, or as it is after `waitMs`. Never rejects.
 */
function createSubmit(orders: Pick<OrderRepository, 'get'>, runNow: Engine['runNow'], waitMs: number) {
  return async (order: Order): Promise<Order> => {
    const { workspaceId, id: key } = order
    const deadline = performance.now() + waitMs
    const submission = runNow({ workspaceId, kind: ORDER_WORK.submit, key }).catch(() => undefined)
    await Promise.race([submission, setTimeout(waitMs, undefined, { ref: false })])
    let latest = order
    for (;;) {
      latest = (await orders.get(key).catch(() => undefined)) ?? latest
      if (latest.state !== 'submitting' || performance.now() >= deadline) return latest
      await setTimeout(POLL_MS, undefined, { ref: false })
    }
  }
}
