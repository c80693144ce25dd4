import { LeaseLost, retryUntilAvailable, WorkspaceDeleted, willResume } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { explain } from '../../bot/request/explain.ts'
import type { AuditDetails } from '../../bot/routes/command-context.ts'
import { ApiError } from '../../service/errors.ts'
import { requestOrder } from './new-order.ts'
import { formatAuditObject, summarizeOrder, summarizeRequest } from './order-audit.ts'
import { type Failed, formatOrderTitle, type Order, type Received } from './rules/order.ts'
import { ORDER_POLICY } from './rules/policy.ts'
import { NOTHING_SEEN } from './rules/related.ts'
import {
  findApprovers,
  findIfTaken,
  findOrderOrThrow,
  type OrderDecision,
  type RequestedOrder,
  type RuleDeps,
  type StepContext,
  transitionOrder,
} from './transition-order.ts'

interface ServiceDeps extends RuleDeps {
  /** Sends the POST of an approved order. Returns the order once its outcome is known, or after the maximum wait. */
  submit: (order: Order) => Promise<Order>
  /** Tells the engine that there is new work, such as notifying people. */
  wake: () => void
  /** Logs an error. */
  reportError: (error: unknown, message: string) => void
}

/** A new order. `notSentBecause`: why it wasn't sent right away, if its requester may approve it. */
interface RequestResult {
  order: Order
  notSentBecause?: string
}

/**
 * Everything that people do with orders. Each operation takes effect once per interaction, writes an audit row, and notifies people.
 * Throws UserError if the order's state or the policy doesn't allow it.
 */
export type OrderService = ReturnType<typeof createOrderService>

export function createOrderService(deps: ServiceDeps) {
  /** Stores and audits a decision. `audited`: more for its audit row. */
  async function decide(
    context: StepContext,
    number: number,
    kind: OrderDecision['kind'],
    createDecision: (order: Order) => Promise<OrderDecision> | OrderDecision,
    audited: object = {},
  ): Promise<Order> {
    const before = await context.remember('order', () => findOrderOrThrow(deps, context.workspaceId, number))
    await runStep(deps, context, {
      auditDetails: {
        verb: `/cert-order ${kind}`,
        object: formatAuditObject(before),
        environment: before.environment,
        before: summarizeOrder(before),
      },
      findTaken: () => findIfTaken(deps, context, number, kind),
      take: () => transitionOrder(deps, context, number, { kind, createDecision }),
      after: (order) => ({ ...summarizeOrder(order), ...audited }),
    })
    // Read again: after a crash, others may have changed the order since this step.
    return retryWhileUnavailable(() => findOrderOrThrow(deps, context.workspaceId, number))
  }

  /** `saw`: the related orders that the approver saw. `pagesRead`: how much of the order they read, for the audit log. */
  const approve = (
    context: StepContext,
    number: number,
    { hash, saw }: { hash: string; saw: string },
    pagesRead?: string,
  ): Promise<Order> =>
    decide(
      context,
      number,
      'approve',
      async (order) => {
        // Throws before the approval is stored if there is no token, because the order couldn't be sent.
        await context.api(order.environment)
        const eligibleApprovers = await findApprovers(context, order)
        return { kind: 'approve', by: context.userId, hash, saw, eligibleApprovers }
      },
      pagesRead === undefined ? {} : { read: pagesRead },
    )

  return {
    approve,

    /**
     * Requests an order. If the policy lets this person approve their own orders, the request counts as their approval, unless other
     * orders for its key or names were sent: nobody has shown them those.
     */
    async request(context: StepContext, requested: RequestedOrder): Promise<RequestResult> {
      const { environment, request, csr, claimed } = requested
      const title = formatOrderTitle({ content: { request, csr } })
      const { number } = await runStep(deps, context, {
        // The audit row is begun before the order has a number, so only `after` has the number.
        auditDetails: { verb: '/cert-order', object: `order: ${title}`, environment },
        afterIfNotTaken: {
          ...summarizeRequest({ request, csr }),
          ...(claimed?.productId && { claimedProduct: claimed.productId }),
        },
        findTaken: () => deps.orders.findByReference(context.workspaceId, context.reference),
        take: () => requestOrder(deps, context, requested),
      })
      const order = await findOrderOrThrow(deps, context.workspaceId, number)
      const isApproved = await context.remember('is direct', async () => {
        const { direct } = await deps.settings.get(context.workspaceId, ORDER_POLICY)
        return direct && (await context.hasRole(context.userId, 'approver'))
      })
      return isApproved
        ? approveOrLeaveWaiting(
            deps,
            order,
            approve(context, number, { hash: order.bodyHash, saw: NOTHING_SEEN }),
          )
        : { order }
    },

    reject: (context: StepContext, number: number, reason: string) =>
      decide(context, number, 'reject', () => ({ kind: 'reject', by: context.userId, reason })),

    withdraw: (context: StepContext, number: number) =>
      decide(context, number, 'withdraw', () => ({ kind: 'withdraw', by: context.userId })),

    /** Makes someone else the requester of an open order. Throws UserError if `from` isn't the requester. */
    async handOver(
      context: StepContext,
      number: number,
      { from, to }: { from: string; to: string },
    ): Promise<void> {
      const kind = 'hand-over'
      const order = await findOrderOrThrow(deps, context.workspaceId, number)
      await runStep(deps, context, {
        auditDetails: {
          verb: '/hc handover',
          object: formatAuditObject(order),
          environment: order.environment,
          before: { requestedBy: from },
        },
        findTaken: () => findIfTaken(deps, context, number, kind),
        take: () =>
          transitionOrder(deps, context, number, {
            kind,
            createDecision: () => ({ kind, by: context.userId, from, to }),
          }),
        after: () => ({ requestedBy: to }),
        afterIfNotTaken: { requestedBy: to },
      })
    },

    /** Records what a person found out about an order with an unknown outcome. */
    resolve: (context: StepContext, number: number, outcome: Received | Failed) =>
      decide(context, number, 'resolve', () => ({ kind: 'resolve', by: context.userId, outcome })),
  }
}

/**
 * Waits for the requester's own approval. If it's refused, returns the order, which still awaits approval: an error would lead people
 * to request it again.
 */
async function approveOrLeaveWaiting(
  deps: ServiceDeps,
  newOrder: Order,
  approval: Promise<Order>,
): Promise<RequestResult> {
  try {
    return { order: await approval }
  } catch (error) {
    if (willResume(error)) throw error
    deps.reportError(error, 'Could not send an order right away.')
    const order = await findOrderOrThrow(deps, newOrder.workspaceId, newOrder.number)
    const { happened, serviceMessages, next } = explain(error)
    return { order, notSentBecause: [happened, ...serviceMessages, next].filter(Boolean).join(' ') }
  }
}

/** The result of a step. Stored, so that a resumed interaction returns the same. */
interface StepResult {
  number: number
  after: object
}

/** Takes a step, sends the order if it's now approved, and audits the step. */
async function runStep(
  { submit, wake }: ServiceDeps,
  context: StepContext,
  step: {
    auditDetails: AuditDetails
    /** Returns the order if this interaction has already taken the step. */
    findTaken: () => Promise<Order | undefined>
    take: () => Promise<Order>
    after?: (order: Order) => object
    /** The audit row's `after` if the step wasn't taken. */
    afterIfNotTaken?: object
  },
): Promise<StepResult> {
  const { auditDetails, findTaken, take, after = summarizeOrder, afterIfNotTaken } = step
  async function finishStep(order: Order): Promise<StepResult> {
    const latest = order.state === 'submitting' ? await submit(order) : order
    wake()
    return { number: latest.number, after: after(latest) }
  }
  return context.change<StepResult>(
    {
      ...auditDetails,
      after: (result: StepResult | undefined) => result?.after ?? afterIfNotTaken,
      async lookUp() {
        const order = await findTaken()
        return order ? { outcome: await finishStep(order) } : 'not-done'
      },
    },
    async () => finishStep(await retryWhileUnavailable(take)),
  )
}

/** How long a step is retried while the database is unavailable. Retries don't repeat a step that was stored. */
const RETRY_FOR_MS = 30_000

const FINAL_ERRORS = [UserError, ApiError, LeaseLost, WorkspaceDeleted]

const retryWhileUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  retryUntilAvailable(work, {
    timeoutMs: RETRY_FOR_MS,
    isFinal: (error) => FINAL_ERRORS.some((errorClass) => error instanceof errorClass),
  })
