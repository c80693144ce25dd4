import {
  type Engine,
  isUnconfirmed,
  RESTORED,
  type Restored,
  type Settings,
  WHOLE_STORE,
} from '@signalman/durable'
import { HOUR_MS } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Api } from '../../service/service.ts'
import { formatAuditObject, summarizeOrder, summarizeRequest } from './order-audit.ts'
import type { StoredOrders } from './rows/orders.ts'
import { type OrderDecision, transition } from './rules/lifecycle.ts'
import {
  type Failed,
  hashRequest,
  type NewOrder,
  type Order,
  type OrderContent,
  type Received,
  type RequestedContent,
} from './rules/order.ts'
import {
  createAccountChangedError,
  createElsewhereError,
  createMaybeSentError,
  createNoSuchOrderError,
  createOrderingStoppedError,
  createOtherAccountError,
  StepRefused,
} from './rules/refusals.ts'
import { ORDER_SETTINGS, type OrderSettings } from './rules/settings.ts'

interface ServiceDeps {
  orders: StoredOrders
  settings: Pick<Settings, 'get'>
  engine: Pick<Engine, 'wake'>
}

/** How often an approver's answer looks whether the order has its outcome. */
const RECHECK_MS = 250

export type RequestedOrder = RequestedContent & Pick<Order, 'environment'>

export type StepContext = Pick<
  CommandContext,
  'workspaceId' | 'environment' | 'userId' | 'reference' | 'api' | 'decide' | 'pause'
>

/** After this time, an order that nobody decided on expires. Buttons of Slack messages work for a week. */
const EXPIRES_AFTER_MS = 72 * HOUR_MS
const REMINDS_AFTER_MS = 24 * HOUR_MS

export function buildNewOrder(
  { environment, ...content }: RequestedOrder,
  {
    now,
    account,
    ...where
  }: Pick<Order, 'workspaceId' | 'requesterId' | 'bodyHash'> & Pick<OrderContent, 'account'> & { now: Date },
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
      account,
      expiresAt: new Date(now.getTime() + EXPIRES_AFTER_MS).toISOString(),
      remindAt: new Date(now.getTime() + REMINDS_AFTER_MS).toISOString(),
    },
    createdAt: now,
  }
}

/** Throws UserError if there is no such order in this environment. */
export async function findOrderOrThrow(
  { orders }: Pick<ServiceDeps, 'orders'>,
  { workspaceId, environment }: Pick<CommandContext, 'workspaceId' | 'environment'>,
  number: number,
): Promise<Order> {
  const order = await orders.find(workspaceId, number)
  if (!order) throw createNoSuchOrderError(String(number))
  if (order.environment !== environment) throw createElsewhereError(order, environment)
  return order
}

/** The order after a step. Throws UserError if it isn't possible. */
export function applyStep(order: Order, step: OrderDecision, now: Date): Order {
  const result = transition(order, step, now)
  if ('refusal' in result) throw new StepRefused(order, result.refusal)
  return result.next
}

/** Throws UserError if the workspace's token isn't one of the account that the order was requested under: it has other products and contacts. */
export function refuseOtherAccount({ number, content }: Order, { account }: Pick<Api, 'account'>): void {
  if (account !== content.account) throw createOtherAccountError(number)
}

/** Throws UserError if this person can't approve the order now. */
export async function refuseUnlessApprovable(
  { orders, settings }: { orders: StoredOrders; settings: Pick<Settings, 'get'> },
  order: Order,
  { userId: by, api }: Pick<CommandContext, 'userId' | 'api'>,
): Promise<void> {
  refuseOtherAccount(order, await api(order.environment))
  refuseIfRestored(order, await settings.get(WHOLE_STORE, RESTORED))
  const { domains, allowsOwn } = await settings.get(order.workspaceId, ORDER_SETTINGS)
  const step = { kind: 'approve', by, hash: order.bodyHash, domains, allowsOwn } as const
  applyStep(order, step, await orders.readTime())
  await orders.refuseDuplicate(order)
}

/**
 * Throws UserError after a restore from a backup, until the operator has confirmed that the orders match the service. After that, only
 * for orders that are older than the restore: nothing here tells which of them the operator found there.
 */
export function refuseIfRestored(
  { number, createdAt }: Pick<Order, 'number' | 'createdAt'>,
  restored: Restored | undefined,
): void {
  if (!restored) return
  const { restoredAt } = restored
  if (isUnconfirmed(restored)) throw createOrderingStoppedError(restoredAt)
  if (createdAt.toISOString() < restoredAt) throw createMaybeSentError(number)
}

export type OrderService = ReturnType<typeof createOrderService>

/**
 * Everything that people do with orders. Each operation is one transaction with its audit row and the work that follows from it, which
 * notifies people. Throws UserError if the order's state doesn't allow it.
 */
export function createOrderService(deps: ServiceDeps) {
  const { orders, settings, engine } = deps

  /** Takes a person's decision. If it approves the order, any process sends it, and this returns it with its outcome. */
  async function decide(
    context: StepContext,
    number: number,
    kind: OrderDecision['kind'],
    createDecision: (settings: OrderSettings) => OrderDecision,
  ): Promise<Order> {
    const { workspaceId, userId, reference } = context
    const found = await findOrderOrThrow(deps, context, number)
    // Throws before the approval is stored if the order couldn't be sent.
    if (kind === 'approve') refuseOtherAccount(found, await context.api(found.environment))
    await context.decide<Change>(
      {
        verb: `/cert-order ${kind}`,
        object: formatAuditObject(found),
        environment: found.environment,
        before: (change: Change | undefined) => change?.before ?? summarizeOrder(found),
        after: (change: Change | undefined) => change?.after,
      },
      async ({ transaction }) => {
        const order = await orders.findLocked(transaction, workspaceId, number)
        if (!order) throw createNoSuchOrderError(String(number))
        const now = await orders.readTime(transaction)
        const decision = createDecision(await settings.get(workspaceId, ORDER_SETTINGS, transaction))
        if (kind === 'approve')
          refuseIfRestored(order, await settings.get(WHOLE_STORE, RESTORED, transaction))
        const next = applyStep(order, decision, now)
        if (kind === 'approve') await orders.refuseDuplicate(order, transaction)
        const saved = await orders.update(transaction, next, { kind, at: now, userId, reference })
        if (!saved) throw new Error(`Order ${number} was changed although it’s locked.`)
        return { before: summarizeOrder(order), after: summarizeOrder(saved) }
      },
    )
    engine.wake()
    for (;;) {
      // Read again: after a crash, others may have changed the order since this step.
      const decided = await findOrderOrThrow(deps, context, number)
      if (decided.state !== 'submitting') return decided
      await context.pause(RECHECK_MS)
    }
  }

  return {
    /** Requests what was chosen from the lists of an account. Throws UserError if the workspace has another one by now. */
    async request(
      context: StepContext,
      { account, ...requested }: RequestedOrder & Pick<OrderContent, 'account'>,
    ): Promise<Order> {
      const { workspaceId, userId, reference } = context
      if ((await context.api(requested.environment)).account !== account) throw createAccountChangedError()
      const bodyHash = hashRequest(requested.request)
      const { number } = await context.decide<Change & Pick<Order, 'number'>>(
        {
          // The order has no number before it's stored, so only `after` has the number.
          verb: '/cert-order',
          object: formatAuditObject({ content: requested }),
          environment: requested.environment,
          after: (change: Change | undefined) => change?.after ?? summarizeRequest(requested),
        },
        async ({ transaction }) => {
          const now = await orders.readTime(transaction)
          const where = { workspaceId, requesterId: userId, bodyHash, account, now }
          const event = { kind: 'request', at: now, userId, reference }
          const order = await orders.insert(transaction, buildNewOrder(requested, where), event)
          return { number: order.number, after: summarizeOrder(order) }
        },
      )
      return findOrderOrThrow(deps, context, number)
    },

    approve: (context: StepContext, number: number, hash: string): Promise<Order> =>
      decide(context, number, 'approve', ({ domains, allowsOwn }) => {
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

interface Change {
  before?: object
  after: object
}
