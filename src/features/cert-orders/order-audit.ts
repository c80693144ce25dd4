import type { AuditEvent } from '@signalman/durable'
import { badgeOf } from '../../domain/environment.ts'
import { nameText } from './rules/csr/names.ts'
import { type Order, type OrderContent, orderTitle } from './rules/order.ts'
import type { OrderState } from './rules/order-states.ts'

export const auditObject = (order: Order): string => `order ${order.number}: ${orderTitle(order)}`

/** What is done to an order by Signalman itself, as a row of the audit log; `by` is in whose name. */
export function orderAuditEvent(
  order: Order,
  auditEvent: Pick<AuditEvent, 'verb' | 'at' | 'outcome' | 'reference' | 'before' | 'after'> & {
    by?: string
  },
): AuditEvent {
  const { by = 'signalman', ...rest } = auditEvent
  const { workspaceId, environment } = order
  const object = `${auditObject(order)}${badgeOf(environment)}`
  return { workspaceId, actor: { userId: by }, object, ...rest }
}

/** With more the audit log would clip the whole row. */
const MOST_NAMES = 50

/** The order as the audit log stores it: everything except the CSR, of which it has the names and key. */
export function askedBrief({ request, csr }: Pick<OrderContent, 'request' | 'csr'>): object {
  const { csr: _, ...asked } = request
  const names = csr.names.slice(0, MOST_NAMES).map(nameText)
  const moreNames = csr.names.length - names.length
  return { ...asked, subject: csr.subject, names, ...(moreNames > 0 && { moreNames }), key: csr.key }
}

/** An order as the audit log keeps it. */
export function summarizeOrder(order: {
  content: OrderContent
  bodyHash: string
  number?: number
  state?: OrderState
}): object {
  const { content, bodyHash, number, state } = order
  const { outcome, ending, approvals } = content
  const placed =
    outcome?.kind === 'placed' ? outcome.placed : outcome?.kind === 'failed' ? outcome.answered : undefined
  return {
    ...(number !== undefined && { number }),
    state,
    ...askedBrief(content),
    bodyHash,
    approvedBy: approvals.map(({ by }) => by),
    ...(ending?.reason && { reason: ending.reason }),
    ...(outcome && { outcome: outcome.kind }),
    ...(outcome && 'corrects' in outcome && { corrects: outcome.corrects }),
    ...(outcome?.kind === 'failed' && outcome.how && { how: outcome.how }),
    // Without the service's answer as it came: that is outside text of any kind.
    ...(placed && {
      placed: { id: placed.id, status: placed.status, certificateId: placed.certificateId },
    }),
  }
}
