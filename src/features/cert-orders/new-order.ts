import { createHash } from 'node:crypto'
import { HOUR_MS, UserError } from '@signalman/runtime'
import { transition } from './lifecycle.ts'
import { hashOf, type Order, type OrderContent } from './order.ts'
import type { OrderPolicy } from './policy.ts'
import { refusalOf } from './refusals.ts'
import type { NewOrder } from './rows/row.ts'
import { policyFor, ruledOf } from './rules/rules.ts'
import {
  nextOf,
  orderOrThrow,
  type RequestedOrder,
  type RuleParts,
  refuseDenied,
  refuseIfMayNotOrder,
  refuseWhileRestored,
  renewedIn,
  rulesOf,
  type Who,
} from './transition-order.ts'

/** Makes a new order, which waits for approval. */
export function requested(
  parts: Pick<OrderContent, 'request' | 'csr' | 'names' | 'renewed' | 'follows'> & {
    where: Pick<Order, 'workspaceId' | 'enterpriseId' | 'environment'>
    by: string
    bodyHash: string
    policy: OrderPolicy
    now: Date
  },
): NewOrder & { content: OrderContent; state: 'awaiting' } {
  const { where, by, request, csr, names, renewed, bodyHash, policy, now, follows } = parts
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
    changes: [],
    ...(follows !== undefined && { follows }),
  }
  return {
    ...where,
    state: 'awaiting',
    requesterId: by,
    certificateId: request.certificateId,
    bodyHash,
    keyHash: csr.keyHash ?? createHash('sha256').update(request.csr).digest('base64url'),
    content,
    createdAt: now,
    wakeAt: remindAt ?? expiresAt,
  }
}

/** Requests an order, once for this act. Throws UserError when the person may not. */
export async function askForOrder(
  parts: RuleParts,
  who: Who,
  { environment, ...asked }: RequestedOrder,
): Promise<Order> {
  const policy = await refuseIfMayNotOrder(parts, who)
  const renewed = await renewedIn(parts, { workspaceId: who.workspaceId, environment }, asked.request)
  refuseDenied(policyFor(policy, { environment, ...asked, renewed }))
  const api = await who.api(environment)
  const now = await parts.orders.time()
  const { workspaceId, enterpriseId, userId, reference } = who
  const where = { workspaceId, enterpriseId, environment }
  const bodyHash = hashOf(asked.request, api.orders)
  const order = requested({ where, by: userId, ...asked, renewed, bodyHash, policy, now })
  return parts.orders.add(order, { kind: 'request', at: now, userId, reference })
}

/**
 * Takes an order of unknown outcome for failed and puts a new one in its place, once for this act. Of two at once, one does
 * it. `how`: in the person's words, how they know that nothing is under way.
 */
export async function replaceOrder(parts: RuleParts, who: Who, number: number, how?: string): Promise<Order> {
  const { orders } = parts
  const { workspaceId, userId, reference } = who
  const made = await orders.findAsked(workspaceId, reference)
  if (made) return made
  await refuseWhileRestored(parts)
  const order = await orderOrThrow(parts, workspaceId, number)
  // Asked for first, as before every step that may send.
  await who.api(order.environment)
  const policy = await rulesOf(parts, workspaceId, ruledOf(order))
  refuseDenied(policy)
  if (order.content.request.csr === '') throw new UserError(emptied(number))
  const { now } = policy
  const outcome = { kind: 'failed' as const, why: NOT_THERE, said: [], by: userId, ...(how && { how }) }
  const next = nextOf(order, transition(order, { kind: 'resolve', by: userId, outcome }, policy))
  // The same state with the same parts, and one more: hence of this type.
  const replacedBy = (followedBy: number) => ({ ...next, content: { ...next.content, followedBy } }) as Order
  const { enterpriseId, environment, requesterId, bodyHash, content } = order
  const where = { workspaceId, enterpriseId, environment }
  const asked = { by: requesterId, ...content, bodyHash, policy, now, follows: number }
  const event = { kind: 'again', at: now, userId, reference }
  const replaced = await orders.replace(replacedBy, event, requested({ where, ...asked }))
  if (!replaced) throw refusalOf(await orderOrThrow(parts, workspaceId, number), 'not-unknown')
  return replaced
}

const emptied = (number: number): string =>
  `What order ${number} asked for was deleted when Signalman was taken out of the workspace, so it cannot be placed again. Say what became of it, and ask for the certificate anew.`

const NOT_THERE = 'Somebody looked at the service and found that it does not have the order.'
