import { LeaseLost, retryUntilAvailable, WorkspaceForgotten, willResume } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { explain } from '../../bot/request/explain.ts'
import type { AuditDetails } from '../../bot/routes/command-context.ts'
import { ApiError } from '../../service/errors.ts'
import { askForOrder } from './new-order.ts'
import { askedBrief, auditObject, summarizeOrder } from './order-audit.ts'
import { type Failed, type Order, orderTitle, type Placed } from './rules/order.ts'
import {
  check,
  findApprovers,
  isTaken,
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
  /** Sends an order that is being submitted, and returns it when that is over or the wait has been long enough. */
  submitted: (order: Order) => Promise<Order>
  /** There is something to do, such as telling people. */
  wake: () => void
  /** Logs an error. */
  report: (error: unknown, words: string) => void
}

/** A new order, and why it waits where it was to be sent at once. */
interface Asked {
  order: Order
  notSentBecause?: string
}

/**
 * All that people do with orders. Each step is taken once for each act, is in the audit log, and is told to those whom it
 * concerns. All of them throw UserError when the step does not fit.
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
    check: (who: Who, order: Order, kind: Parameters<typeof check>[3]) => check(parts, who, order, kind),
    approve,

    /** Asks for an order; it is placed at once where the rules let this person approve their own. */
    async request(who: Who, requested: RequestedOrder): Promise<Asked> {
      const { environment, request, csr } = requested
      const title = orderTitle({ content: { request, csr } })
      const { number } = await changed(parts, who, {
        // Without the number, which isn't known yet when the intent is written; `after` has it.
        what: { verb: '/cert-order', object: `order: ${title}`, environment },
        otherwise: askedBrief({ request, csr }),
        find: () => parts.orders.findAsked(who.workspaceId, who.reference),
        take: () => askForOrder(parts, who, requested),
      })
      const order = await orderOrThrow(parts, who.workspaceId, number)
      const isApprovers = await who.keep('is direct', () => isDirect(parts, who))
      return isApprovers ? orWaiting(parts, order, approve(who, number, order.bodyHash)) : { order }
    },

    reject: (who: Who, number: number, reason: string) =>
      simply(who, number, { kind: 'reject', by: who.userId, reason }),

    withdraw: (who: Who, number: number) => simply(who, number, { kind: 'withdraw', by: who.userId }),

    /** Makes somebody else the requester of an open order. Throws UserError where it isn't `from`'s. */
    async handOver(who: Who, number: number, { from, to }: { from: string; to: string }): Promise<void> {
      const kind = 'hand-over'
      const order = await orderOrThrow(parts, who.workspaceId, number)
      await changed(parts, who, {
        what: {
          verb: '/hc handover',
          object: auditObject(order),
          environment: order.environment,
          before: { requestedBy: from },
        },
        async find() {
          const now = await orderOrThrow(parts, who.workspaceId, number)
          return (await isTaken(parts, who, now, kind)) ? now : undefined
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

/** When that is refused, the order is there all the same and waits; it must not be made again. */
async function orWaiting(parts: ServiceParts, asked: Order, approving: Promise<Order>): Promise<Asked> {
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

/** Whether a request of theirs counts as their approval. */
async function isDirect(parts: RuleParts, who: Who): Promise<boolean> {
  const { direct } = await readPolicy(parts, who.workspaceId)
  return direct && (await who.hasRole(who.userId, 'approver'))
}

/** One decision about an order. `found` is the order as this act has first seen it. */
async function decide(
  parts: ServiceParts,
  who: Who,
  found: Order,
  kind: OrderDecision['kind'],
  of: (order: Order) => Promise<OrderDecision>,
  read?: string,
): Promise<Order> {
  const { number } = found
  await changed(parts, who, {
    what: auditDecision(found, kind),
    async find() {
      const order = await orderOrThrow(parts, who.workspaceId, number)
      return (await isTaken(parts, who, order, kind)) ? order : undefined
    },
    take: () => transitionOrder(parts, who, number, { kind, of }),
    after: (order) => ({ ...summarizeOrder(order), ...(read && { read }) }),
  })
  // As it is now: when the act runs again, that may be another state than the one that the step led to.
  return insistently(() => orderOrThrow(parts, who.workspaceId, number))
}

const auditDecision = (order: Order, kind: OrderDecision['kind']): AuditDetails => ({
  verb: `/cert-order ${kind}`,
  object: auditObject(order),
  environment: order.environment,
  before: summarizeOrder(order),
})

/** What an act keeps of a step that it has taken. */
interface Taken {
  number: number
  after: object
}

/** Takes a step, carries out what follows, including the POST, and audits it. */
async function changed(
  { submitted, wake }: ServiceParts,
  who: Who,
  step: {
    what: AuditDetails
    /** The order of which this act has taken the step. */
    find: () => Promise<Order | undefined>
    take: () => Promise<Order>
    after?: (order: Order) => object
    /** What the audit log says where the step was not taken. */
    otherwise?: object
  },
): Promise<Taken> {
  const { what, find, take, after = summarizeOrder, otherwise } = step
  async function followed(order: Order): Promise<Taken> {
    const settled = order.state === 'submitting' ? await submitted(order) : order
    wake()
    return { number: settled.number, after: after(settled) }
  }
  return who.change<Taken>(
    {
      ...what,
      after: (taken: Taken | undefined) => taken?.after ?? otherwise,
      async lookUp() {
        const order = await find()
        return order ? { outcome: await followed(order) } : 'not-done'
      },
    },
    async () => followed(await insistently(take)),
  )
}

/** How long the database may be unavailable before a step fails. Retries take the step only once. */
const PATIENCE_MS = 30_000

const FINAL = [UserError, ApiError, LeaseLost, WorkspaceForgotten]

const insistently = <T>(work: () => Promise<T>): Promise<T> =>
  retryUntilAvailable(work, {
    forMs: PATIENCE_MS,
    isFinal: (error) => FINAL.some((kind) => error instanceof kind),
  })
