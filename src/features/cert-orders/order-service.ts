import { LeaseLost, retryUntilAvailable, WorkspaceForgotten, willResume } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { explain } from '../../bot/request/explain.ts'
import type { AuditDetails } from '../../bot/routes/command-context.ts'
import { ApiError } from '../../service/errors.ts'
import { requestOrder } from './new-order.ts'
import { auditObject, summarizeOrder, summarizeRequest } from './order-audit.ts'
import { type Failed, type Order, orderTitle, type Placed } from './rules/order.ts'
import {
  computeStep,
  findApprovers,
  hasTakenStep,
  type OrderDecision,
  orderOrThrow,
  type RequestedOrder,
  type RuleParts,
  readPolicy,
  refuseIfMayNotOrder,
  transitionOrder,
  type Who,
} from './transition-order.ts'

interface ServiceParts extends RuleParts {
  /** Sends an order that is being submitted. Returns it once that is over, or after the longest wait. */
  submitted: (order: Order) => Promise<Order>
  /** Called when there is work to do, such as notifying people. */
  wake: () => void
  /** Logs an error. */
  report: (error: unknown, words: string) => void
}

/** A new order, and why it waits if it was to be sent at once. */
interface RequestResult {
  order: Order
  notSentBecause?: string
}

/**
 * All operations on orders. Each takes its step once per interaction, is audited, and notifies those concerned. Throws UserError
 * if the step doesn't apply.
 */
export type OrderService = ReturnType<typeof createOrderService>

export function createOrderService(parts: ServiceParts) {
  const before = (who: Who, number: number): Promise<Order> =>
    who.keep('order', () => orderOrThrow(parts, who.workspaceId, number))

  const simply = async (who: Who, number: number, step: OrderDecision): Promise<Order> =>
    decide(parts, who, await before(who, number), step.kind, async () => step)

  /** `read`: which pages of the order they read, for the audit log. */
  async function approve(who: Who, number: number, hash: string, read?: string): Promise<Order> {
    return decide(
      parts,
      who,
      await before(who, number),
      'approve',
      async (order) => {
        // Checked first: without a token the order can't be sent.
        await who.api(order.environment)
        return { kind: 'approve', by: who.userId, hash, holders: await findApprovers(who, order) }
      },
      read,
    )
  }

  return {
    orderOrThrow: (workspaceId: string, number: number) => orderOrThrow(parts, workspaceId, number),
    policyOf: (workspaceId: string) => readPolicy(parts, workspaceId),
    refuseIfMayNotOrder: (who: Parameters<typeof refuseIfMayNotOrder>[1]) => refuseIfMayNotOrder(parts, who),
    check: (who: Who, order: Order, kind: Parameters<typeof computeStep>[3]) =>
      computeStep(parts, who, order, kind),
    approve,

    /** Requests an order. It is placed at once if the policy lets this person approve their own. */
    async request(who: Who, requested: RequestedOrder): Promise<RequestResult> {
      const { environment, request, csr } = requested
      const title = orderTitle({ content: { request, csr } })
      const { number } = await runStep(parts, who, {
        // Without the number, which isn't known when the intent is stored; `after` has it.
        what: { verb: '/cert-order', object: `order: ${title}`, environment },
        otherwise: summarizeRequest({ request, csr }),
        find: () => parts.orders.findByReference(who.workspaceId, who.reference),
        take: () => requestOrder(parts, who, requested),
      })
      const order = await orderOrThrow(parts, who.workspaceId, number)
      const isApprovers = await who.keep('is direct', () => isDirect(parts, who))
      return isApprovers
        ? approveOrLeaveWaiting(parts, order, approve(who, number, order.bodyHash))
        : { order }
    },

    reject: (who: Who, number: number, reason: string) =>
      simply(who, number, { kind: 'reject', by: who.userId, reason }),

    withdraw: (who: Who, number: number) => simply(who, number, { kind: 'withdraw', by: who.userId }),

    /** Makes somebody else the requester of an open order. Throws UserError if `from` isn't the requester. */
    async handOver(who: Who, number: number, { from, to }: { from: string; to: string }): Promise<void> {
      const kind = 'hand-over'
      const order = await orderOrThrow(parts, who.workspaceId, number)
      await runStep(parts, who, {
        what: {
          verb: '/hc handover',
          object: auditObject(order),
          environment: order.environment,
          before: { requestedBy: from },
        },
        async find() {
          const now = await orderOrThrow(parts, who.workspaceId, number)
          return (await hasTakenStep(parts, who, now, kind)) ? now : undefined
        },
        take: () =>
          transitionOrder(parts, who, number, { kind, of: async () => ({ kind, by: who.userId, from, to }) }),
        after: () => ({ requestedBy: to }),
        otherwise: { requestedBy: to },
      })
    },

    /** Records the outcome of an order whose outcome was unknown. */
    resolve: (who: Who, number: number, outcome: Placed | Failed) =>
      simply(who, number, { kind: 'resolve', by: who.userId, outcome }),
  }
}

/** If it is refused, the order exists nevertheless and waits, so it must not be created again. */
async function approveOrLeaveWaiting(
  parts: ServiceParts,
  asked: Order,
  approving: Promise<Order>,
): Promise<RequestResult> {
  try {
    return { order: await approving }
  } catch (error) {
    if (willResume(error)) throw error
    parts.report(error, 'Could not send an order right away.')
    const order = await orderOrThrow(parts, asked.workspaceId, asked.number)
    const { happened, said, next } = explain(error)
    return { order, notSentBecause: [happened, ...said, next].filter(Boolean).join(' ') }
  }
}

/** Whether their request counts as their approval. */
async function isDirect(parts: RuleParts, who: Who): Promise<boolean> {
  const { direct } = await readPolicy(parts, who.workspaceId)
  return direct && (await who.hasRole(who.userId, 'approver'))
}

/** A decision about an order. `found` is the order as this interaction first read it. */
async function decide(
  parts: ServiceParts,
  who: Who,
  found: Order,
  kind: OrderDecision['kind'],
  of: (order: Order) => Promise<OrderDecision>,
  read?: string,
): Promise<Order> {
  const { number } = found
  await runStep(parts, who, {
    what: auditDecision(found, kind),
    async find() {
      const order = await orderOrThrow(parts, who.workspaceId, number)
      return (await hasTakenStep(parts, who, order, kind)) ? order : undefined
    },
    take: () => transitionOrder(parts, who, number, { kind, of }),
    after: (order) => ({ ...summarizeOrder(order), ...(read && { read }) }),
  })
  // The current state. After a crash, it may differ from the one that the step led to.
  return retryWhileUnavailable(() => orderOrThrow(parts, who.workspaceId, number))
}

const auditDecision = (order: Order, kind: OrderDecision['kind']): AuditDetails => ({
  verb: `/cert-order ${kind}`,
  object: auditObject(order),
  environment: order.environment,
  before: summarizeOrder(order),
})

/** What is stored about a step that was taken. */
interface TakenStep {
  number: number
  after: object
}

/** Takes a step, carries out what follows, including the POST, and audits it. */
async function runStep(
  { submitted, wake }: ServiceParts,
  who: Who,
  step: {
    what: AuditDetails
    /** The order whose step this interaction has taken. */
    find: () => Promise<Order | undefined>
    take: () => Promise<Order>
    after?: (order: Order) => object
    /** What the audit log records if the step wasn't taken. */
    otherwise?: object
  },
): Promise<TakenStep> {
  const { what, find, take, after = summarizeOrder, otherwise } = step
  async function followed(order: Order): Promise<TakenStep> {
    const settled = order.state === 'submitting' ? await submitted(order) : order
    wake()
    return { number: settled.number, after: after(settled) }
  }
  return who.change<TakenStep>(
    {
      ...what,
      after: (taken: TakenStep | undefined) => taken?.after ?? otherwise,
      async lookUp() {
        const order = await find()
        return order ? { outcome: await followed(order) } : 'not-done'
      },
    },
    async () => followed(await retryWhileUnavailable(take)),
  )
}

/** How long a step retries while the database is unavailable. It is taken only once. */
const RETRY_FOR_MS = 30_000

const FINAL_ERRORS = [UserError, ApiError, LeaseLost, WorkspaceForgotten]

const retryWhileUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  retryUntilAvailable(work, {
    forMs: RETRY_FOR_MS,
    isFinal: (error) => FINAL_ERRORS.some((kind) => error instanceof kind),
  })
