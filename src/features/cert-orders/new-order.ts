import { HOUR_MS, UserError } from '@signalman/runtime'
import { judgeOrder } from './judge-order.ts'
import {
  hashNames,
  hashRequest,
  type NewOrder,
  type Order,
  type OrderContent,
  type OrderIn,
} from './rules/order.ts'
import type { OrderPolicy } from './rules/policy.ts'
import {
  findRenewedOrder,
  type RequestedOrder,
  type RuleParts,
  refuseIfMayNotOrder,
  type Who,
} from './transition-order.ts'

/** Creates an order that waits for approval. */
export function createRequest(
  parts: Pick<OrderContent, 'request' | 'csr' | 'names' | 'renewed'> & {
    where: Pick<Order, 'workspaceId' | 'enterpriseId' | 'environment'>
    by: string
    bodyHash: string
    policy: OrderPolicy
    now: Date
  },
): NewOrder & Pick<OrderIn<'awaiting'>, 'content' | 'state' | 'keyHash' | 'namesHash'> {
  const { where, by, request, csr, names, renewed, bodyHash, policy, now } = parts
  const expiresAt = new Date(now.getTime() + policy.expiryHours * HOUR_MS)
  const remindAt =
    policy.reminderHours > 0 && policy.reminderHours < policy.expiryHours
      ? new Date(now.getTime() + policy.reminderHours * HOUR_MS)
      : undefined
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
    certificateId: undefined,
    bodyHash,
    keyHash: csr.keyHash,
    namesHash: hashNames(csr),
    placedAt: undefined,
    validUntil: undefined,
    content,
    createdAt: now,
    wakeAt: remindAt ?? expiresAt,
  }
}

/** Requests an order, once per interaction. Throws UserError if the person isn't allowed to. */
export async function requestOrder(
  parts: RuleParts,
  who: Who,
  { environment, ...asked }: RequestedOrder,
): Promise<Order> {
  await refuseIfMayNotOrder(parts, who)
  const where = { workspaceId: who.workspaceId, environment }
  const renewed = await findRenewedOrder(parts, where, asked.request)
  const { policy, judgement } = await judgeOrder(parts, { ...where, content: { ...asked, renewed } })
  if (judgement.is === 'deny') throw policyRefusal(judgement.because)
  const api = await who.api(environment)
  const now = await parts.orders.time()
  const { enterpriseId, userId, reference } = who
  const bodyHash = hashRequest(asked.request, api.orders)
  const order = createRequest({
    where: { ...where, enterpriseId },
    by: userId,
    ...asked,
    renewed,
    bodyHash,
    policy,
    now,
  })
  return parts.orders.add(order, { kind: 'request', at: now, userId, reference })
}

const policyRefusal = (because: readonly string[]): UserError =>
  new UserError(['The order policy doesn’t allow this order, so it wasn’t requested.', ...because].join('\n'))
