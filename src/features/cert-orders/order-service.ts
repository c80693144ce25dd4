import {
  isUnconfirmed,
  LeaseLost,
  RESTORED,
  retryUntilAvailable,
  type Settings,
  WHOLE_STORE,
  WorkspaceDeleted,
} from '@signalman/durable'
import { HOUR_MS, UserError } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import { ApiError } from '../../service/errors.ts'
import { formatAuditObject, summarizeOrder, summarizeRequest } from './order-audit.ts'
import type { StoredOrders } from './rows/orders.ts'
import { type OrderDecision, transition } from './rules/lifecycle.ts'
import {
  type Failed,
  formatOrderTitle,
  hashRequest,
  type NewOrder,
  type Order,
  type OrderContent,
  type Received,
} from './rules/order.ts'
import { createNoSuchOrderError, createOrderingStoppedError, StepRefused } from './rules/refusals.ts'
import { ORDER_SETTINGS, type OrderSettings } from './rules/settings.ts'

export interface ServiceDeps {
  orders: StoredOrders
  settings: Pick<Settings, 'get'>
  /** Sends the POST of an approved order. Returns the order once its outcome is known, or after the maximum wait. */
  submit: (order: Order) => Promise<Order>
  /** Tells the engine that there is new work, such as notifying people. */
  wake: () => void
}

/** A new order as submitted in the form. */
export interface RequestedOrder extends Pick<OrderContent, 'request' | 'csr' | 'names'> {
  environment: Environment
}

/** The parts of the command context that a step uses. */
export type StepContext = Pick<
  CommandContext,
  'workspaceId' | 'enterpriseId' | 'environment' | 'userId' | 'reference' | 'api' | 'change' | 'once'
>

/** After this time, an order that nobody decided on expires. Buttons of Slack messages work for a week. */
const EXPIRES_AFTER_MS = 72 * HOUR_MS
const REMINDS_AFTER_MS = 24 * HOUR_MS

/** Builds an order that awaits approval. */
export function buildNewOrder(
  { environment, ...content }: RequestedOrder,
  { now, ...where }: Pick<Order, 'workspaceId' | 'enterpriseId' | 'requesterId' | 'bodyHash'> & { now: Date },
): NewOrder & Pick<Order, 'content'> {
  return {
    ...where,
    environment,
    state: 'awaiting',
    // The service may write an ID in either case, and two orders for one certificate cost twice.
    renewsId: content.request.certificateId?.toLowerCase(),
    keyHash: content.csr.keyHash,
    receivedAt: undefined,
    content: {
      ...content,
      expiresAt: new Date(now.getTime() + EXPIRES_AFTER_MS).toISOString(),
      remindAt: new Date(now.getTime() + REMINDS_AFTER_MS).toISOString(),
    },
    createdAt: now,
  }
}

/** Throws UserError if there is no such order. */
export async function findOrderOrThrow(
  { orders }: Pick<ServiceDeps, 'orders'>,
  workspaceId: string,
  number: number,
): Promise<Order> {
  const order = await orders.find(workspaceId, number)
  if (!order) throw createNoSuchOrderError(String(number))
  return order
}

/** The order after a step. Throws UserError if it isn't possible. */
export function applyStep(order: Order, step: OrderDecision, now: Date): Order {
  const result = transition(order, step, now)
  if ('refusal' in result) throw new StepRefused(order, result.refusal)
  return result.next
}

/** Throws UserError if this person can't approve the order now. */
export async function refuseUnlessApprovable(
  { orders, settings }: Pick<ServiceDeps, 'orders' | 'settings'>,
  order: Order,
  by: string,
): Promise<void> {
  await refuseUntilRestoreConfirmed(settings)
  const { domains, allowsOwn } = await settings.get(order.workspaceId, ORDER_SETTINGS)
  const step = { kind: 'approve', by, hash: order.bodyHash, domains, allowsOwn } as const
  applyStep(order, step, await orders.readTime())
  await orders.refuseDuplicate(order)
}

/** Throws UserError after a restore from a backup, until the operator has confirmed that the orders match the service. */
async function refuseUntilRestoreConfirmed(settings: ServiceDeps['settings']): Promise<void> {
  const restored = await settings.get(WHOLE_STORE, RESTORED)
  if (isUnconfirmed(restored)) throw createOrderingStoppedError(restored.restoredAt)
}

export type OrderService = ReturnType<typeof createOrderService>

/**
 * Everything that people do with orders. Each operation takes effect once per interaction, writes an audit row, and notifies people.
 * Throws UserError if the order's state doesn't allow it.
 */
export function createOrderService(deps: ServiceDeps) {
  const { orders, settings, submit, wake } = deps

  /** Sends the order if it's approved, and says what to audit. */
  async function finish(order: Order): Promise<StepResult> {
    const latest = order.state === 'submitting' ? await submit(order) : order
    wake()
    return { number: latest.number, after: summarizeOrder(latest) }
  }

  /** Takes a person's decision, and audits it. */
  async function decide(
    context: StepContext,
    number: number,
    kind: OrderDecision['kind'],
    createDecision: (settings: OrderSettings, order: Order) => OrderDecision | Promise<OrderDecision>,
  ): Promise<Order> {
    const find = () => findOrderOrThrow(deps, context.workspaceId, number)
    const hasTaken = async (order: Order): Promise<boolean> =>
      (await orders.listEvents(order)).some(
        (event) => event.reference === context.reference && event.kind === kind,
      )
    async function take(): Promise<Order> {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const order = await find()
        if (await hasTaken(order)) return order
        const decision = await createDecision(await settings.get(order.workspaceId, ORDER_SETTINGS), order)
        const now = await orders.readTime()
        const event = { kind, at: now, userId: context.userId, reference: context.reference }
        const next = applyStep(order, decision, now)
        const saved = await (kind === 'approve' ? orders.approve(next, event) : orders.saveStep(next, event))
        if (saved) return saved
      }
      throw new UserError(`Order ${number} is being changed right now. Try again in a moment.`)
    }
    const before = await context.once('order', find)
    await context.change<StepResult>(
      {
        verb: `/cert-order ${kind}`,
        object: formatAuditObject(before),
        environment: before.environment,
        before: summarizeOrder(before),
        after: (result: StepResult | undefined) => result?.after,
        async lookUp() {
          const order = await find()
          return (await hasTaken(order)) ? { outcome: await finish(order) } : 'not-done'
        },
      },
      async () => finish(await retryWhileUnavailable(take)),
    )
    // Read again: after a crash, others may have changed the order since this step.
    return retryWhileUnavailable(find)
  }

  return {
    async request(context: StepContext, requested: RequestedOrder): Promise<Order> {
      const { workspaceId, enterpriseId, userId, reference } = context
      async function add(): Promise<Order> {
        const api = await context.api(requested.environment)
        const now = await orders.readTime()
        const bodyHash = hashRequest(requested.request, api.orders)
        const order = buildNewOrder(requested, {
          ...{ workspaceId, enterpriseId, requesterId: userId, bodyHash, now },
        })
        return orders.add(order, { kind: 'request', at: now, userId, reference })
      }
      const { number } = await context.change<StepResult>(
        {
          // The audit row is begun before the order has a number, so only `after` has the number.
          verb: '/cert-order',
          object: `order: ${formatOrderTitle({ content: requested })}`,
          environment: requested.environment,
          after: (result: StepResult | undefined) => result?.after ?? summarizeRequest(requested),
          async lookUp() {
            const order = await orders.findByReference(workspaceId, reference)
            return order ? { outcome: await finish(order) } : 'not-done'
          },
        },
        async () => finish(await retryWhileUnavailable(add)),
      )
      return findOrderOrThrow(deps, workspaceId, number)
    },

    /** Approves the body with this hash, and sends it. */
    approve: (context: StepContext, number: number, hash: string): Promise<Order> =>
      decide(context, number, 'approve', async ({ domains, allowsOwn }, { environment }) => {
        await refuseUntilRestoreConfirmed(settings)
        // Throws before the approval is stored if there is no token, because the order couldn't be sent.
        await context.api(environment)
        return { kind: 'approve', by: context.userId, hash, domains, allowsOwn }
      }),

    reject: (context: StepContext, number: number, reason: string): Promise<Order> =>
      decide(context, number, 'reject', ({ allowsOwn }) => {
        return { kind: 'reject', by: context.userId, reason, allowsOwn }
      }),

    withdraw: (context: StepContext, number: number): Promise<Order> =>
      decide(context, number, 'withdraw', () => ({ kind: 'withdraw', by: context.userId })),

    /** Records what a person found out about an order that was sent. */
    resolve: (context: StepContext, number: number, outcome: Received | Failed): Promise<Order> =>
      decide(context, number, 'resolve', ({ allowsOwn }) => {
        return { kind: 'resolve', by: context.userId, outcome, allowsOwn }
      }),
  }
}

/** The result of a step. Stored, so that a resumed interaction returns the same. */
interface StepResult {
  number: number
  after: object
}

const MAX_TRIES = 20
/** How long a step is retried while the database is unavailable. Retries don't repeat a step that was stored. */
const RETRY_FOR_MS = 30_000

const retryWhileUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  retryUntilAvailable(work, {
    timeoutMs: RETRY_FOR_MS,
    isFinal: (error) =>
      [UserError, ApiError, LeaseLost, WorkspaceDeleted].some((errorClass) => error instanceof errorClass),
  })
