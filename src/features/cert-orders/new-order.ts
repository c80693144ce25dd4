import type { OrderRequest } from '../../api/order-body.ts'
import { HOUR_MS } from '../../domain/durations.ts'
import type { NewOrder } from '../../store/store.ts'
import type { CsrFacts, Order, OrderContent } from './order.ts'
import type { OrderPolicy } from './policy.ts'

/** Makes a new order, which waits for approval. */
export function requested(parts: {
  where: Pick<Order, 'workspaceId' | 'enterpriseId' | 'environment'>
  by: string
  request: OrderRequest
  csr: CsrFacts
  names: OrderContent['names']
  bodyHash: string
  policy: OrderPolicy
  now: Date
  follows?: number
}): NewOrder & { content: OrderContent; state: 'awaiting' } {
  const { where, by, request, csr, names, bodyHash, policy, now, follows } = parts
  const expiresAt = new Date(now.getTime() + policy.expiryHours * HOUR_MS)
  const remindAt =
    policy.reminderHours > 0 && policy.reminderHours < policy.expiryHours
      ? new Date(now.getTime() + policy.reminderHours * HOUR_MS)
      : undefined
  const content: OrderContent = {
    request,
    csr,
    names,
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
    keyHash: csr.keyHash,
    content,
    createdAt: now,
    wakeAt: remindAt ?? expiresAt,
  }
}
