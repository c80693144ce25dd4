import { setTimeout } from 'node:timers/promises'
import type { Engine, Settings, WorkKind } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import type { CountHolders } from '../../bot/access/holders.ts'
import type { MayPost } from '../../bot/posts/may-post.ts'
import type { Requester, Rights } from '../../bot/routes/command-context.ts'
import type { Stored } from '../../bot/stored.ts'
import { createFindChoices, type FindChoices } from './catalog.ts'
import { createOrderNotifier, type NotifierDeps } from './order-notifier.ts'
import { createOrderService, type OrderService } from './order-service.ts'
import { createOrderTimerWork } from './order-timer.ts'
import { ORDER_TIMES, type OrderTimes } from './prepare-to-place.ts'
import { type LookUpName, readOrderDetails } from './read-order-details.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import type { StoredOrders } from './rows/orders.ts'
import { hasRequested, type Order } from './rules/order.ts'
import { listCountedApprovals } from './rules/order-details.ts'
import { createSubmitWork, type SubmitDeps } from './submit-order.ts'
import type { RuleDeps } from './transition-order.ts'
import type { CardReader } from './views/buttons.ts'
import { orderView } from './views/messages.ts'

/** The dependencies of commands and forms. */
export interface CertOrderDeps extends RuleDeps {
  service: OrderService
  settings: Settings
  mayPost: MayPost
  findChoices: FindChoices
  countHolders: CountHolders
  lookUpName: LookUpName
  /** Renders the order for one person, with their buttons. `notSentBecause`: why the order wasn't sent right away. */
  renderForUser(reader: Requester & Rights, order: Order, notSentBecause?: string): Promise<Message>
}

/** The dependencies of the whole feature. */
interface Dependencies
  extends Pick<NotifierDeps, 'posting' | 'reachability' | 'findHolders' | 'lookUpName' | 'redrawHomes'>,
    Pick<SubmitDeps, 'getApi' | 'mayApprove' | 'findRequester' | 'now' | 'createReference'>,
    Pick<SubmitDeps, 'stopwatch' | 'pause'> {
  store: Pick<Stored, 'settings' | 'recordedSteps' | 'outcomeJournal'> & {
    orders: StoredOrders
  }
  countHolders: CountHolders
  /** The engine that runs `workKinds`. */
  engine: Pick<Engine, 'runNow' | 'wake'>
  times?: Partial<OrderTimes> | undefined
}

/** Builds the feature's service and its durable work. */
export function createCertOrders(dependencies: Dependencies): {
  deps: CertOrderDeps
  workKinds: WorkKind[]
} {
  const { posting, reachability, engine, findHolders, countHolders, findRequester, lookUpName } = dependencies
  const { redrawHomes, now, createReference, getApi, mayApprove, stopwatch, pause } = dependencies
  const { orders, settings, recordedSteps: steps, outcomeJournal: journal } = dependencies.store
  const { settleMs, waitMs } = { ...ORDER_TIMES, ...dependencies.times }
  const rules: RuleDeps = { orders, settings, findRequester }
  const service = createOrderService({
    ...rules,
    submit: createSubmit(orders, engine.runNow, waitMs),
    wake: engine.wake,
    reportError: posting.reportError,
  })
  const deps: CertOrderDeps = {
    ...rules,
    settings,
    service,
    mayPost: posting.mayPost,
    findChoices: createFindChoices(now),
    countHolders,
    lookUpName,
    async renderForUser(reader, order, notSentBecause) {
      const [details, isApprover] = await Promise.all([
        readOrderDetails({ ...rules, lookUpName }, order),
        reader.hasRole(reader.userId, 'approver'),
      ])
      const approvals = listCountedApprovals(order, details.comparison)
      const cardReader: CardReader = {
        canApprove: isApprover && (details.policy.direct || !hasRequested(order, reader.userId)),
        isRequester: order.requesterId === reader.userId,
        hasApproved: approvals.some(({ by }) => by === reader.userId),
      }
      return orderView(order, { ...details, notSentBecause }, cardReader)
    },
  }
  return {
    deps,
    workKinds: [
      createSubmitWork({
        ...rules,
        steps,
        journal,
        getApi,
        mayApprove,
        settleMs,
        now,
        createReference,
        stopwatch,
        pause,
      }),
      createOrderNotifier({ ...rules, posting, reachability, findHolders, lookUpName, redrawHomes }),
      createOrderTimerWork({ orders, createReference }),
    ],
  }
}

const POLL_MS = 250

/**
 * Submits an order in this process, or waits for the process that is submitting it. Returns the order once it's no longer being
 * submitted, or as it is after `waitMs`. Never rejects.
 */
function createSubmit(orders: Pick<StoredOrders, 'get'>, runNow: Engine['runNow'], waitMs: number) {
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
