import { createHash } from 'node:crypto'
import { HOUR_MS } from '@signalman/runtime'
import type { OrderRequest } from '../../service/orders.ts'
import type { CsrFacts, Order, OrderContent } from './order.ts'
import type { OrderPolicy } from './policy.ts'
import type { NewOrder } from './rows/row.ts'

/** Makes a new order, which waits for approval. */
export function requested(parts: {
  where: Pick<Order, 'workspaceId' | 'enterpriseId' | 'environment'>
  by: string
  request: OrderRequest
  csr: CsrFacts
  names: OrderContent['names']
  renewed?: OrderContent['renewed']
  bodyHash: string
  policy: OrderPolicy
  now: Date
  follows?: number
}): NewOrder & { content: OrderContent; state: 'awaiting' } {
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
