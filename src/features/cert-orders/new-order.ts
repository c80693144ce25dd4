import { HOUR_MS, UserError } from '@signalman/runtime'
import type { OrderRequest } from '../../service/orders.ts'
import { judgeOrder } from './judge-order.ts'
import { listCertificateNames } from './rules/host-names.ts'
import {
  hashRequest,
  type NewOrder,
  type Order,
  type OrderContent,
  type OrderInState,
} from './rules/order.ts'
import { hasReminder, type OrderPolicy } from './rules/policy.ts'
import {
  type RequestedOrder,
  type RuleDeps,
  requireRequesterRole,
  type StepContext,
} from './transition-order.ts'

/** Builds an order that awaits approval. */
export function buildNewOrder(
  details: Pick<OrderContent, 'request' | 'csr' | 'names' | 'renewed'> & {
    where: Pick<Order, 'workspaceId' | 'enterpriseId' | 'environment'>
    by: string
    bodyHash: string
    policy: OrderPolicy
    now: Date
  },
): NewOrder & Pick<OrderInState<'awaiting'>, 'content' | 'state' | 'keyHash'> {
  const { where, by, request, csr, names, renewed, bodyHash, policy, now } = details
  const expiresAt = new Date(now.getTime() + policy.expiryHours * HOUR_MS)
  const remindAt = hasReminder(policy) ? new Date(now.getTime() + policy.reminderHours * HOUR_MS) : undefined
  const content: OrderContent = {
    request,
    csr,
    names,
    ...(renewed && { renewed }),
    expiresAt: expiresAt.toISOString(),
    ...(remindAt && { remindAt: remindAt.toISOString() }),
    approvals: [],
  }
  return {
    ...where,
    state: 'awaiting',
    requesterId: by,
    renewsId: request.certificateId,
    bodyHash,
    keyHash: csr.keyHash,
    names: listCertificateNames(csr).map(({ text }) => text),
    receivedAt: undefined,
    content,
    createdAt: now,
    wakeAt: remindAt ?? expiresAt,
  }
}

/** Adds an order, once per interaction. Throws UserError if the person may not request it or the policy doesn't allow it. */
export async function requestOrder(
  deps: RuleDeps,
  context: StepContext,
  { environment, claimed, ...requested }: RequestedOrder,
): Promise<Order> {
  await requireRequesterRole(deps, context)
  const where = { workspaceId: context.workspaceId, environment }
  const known = await findRenewedOrder(deps, where, requested.request)
  const renewed = known ?? (claimed?.productId ? { ...claimed, saidBy: 'requester' as const } : undefined)
  const { policy, judgment } = await judgeOrder(deps, {
    ...where,
    content: { ...requested, renewed },
  })
  if (judgment.decision === 'deny') throw createPolicyRefusal(judgment.reasons)
  const api = await context.api(environment)
  const now = await deps.orders.readTime()
  const { enterpriseId, userId, reference } = context
  const bodyHash = hashRequest(requested.request, api.orders)
  const order = buildNewOrder({
    where: { ...where, enterpriseId },
    by: userId,
    ...requested,
    renewed,
    bodyHash,
    policy,
    now,
  })
  return deps.orders.add(order, { kind: 'request', at: now, userId, reference })
}

const MAX_ORDERS_SEARCHED = 5

/** Finds the product of a renewed or reissued certificate in the earlier orders for it; undefined if there are none. */
export async function findRenewedOrder(
  { orders }: Pick<RuleDeps, 'orders'>,
  { workspaceId, environment }: Pick<Order, 'workspaceId' | 'environment'>,
  { certificateId }: OrderRequest,
): Promise<OrderContent['renewed']> {
  if (certificateId === undefined) return undefined
  const where = { workspaceId, environment, states: ['received'] as const, limit: MAX_ORDERS_SEARCHED }
  const renewals = await orders.list({ ...where, renewsId: certificateId })
  return renewals
    .map(({ content }) => content.renewed)
    .find((renewed) => renewed?.productId !== undefined)
}

const createPolicyRefusal = (reasons: readonly string[]): UserError =>
  new UserError(['The order policy doesn’t allow this order, so it wasn’t requested.', ...reasons].join('\n'))
