import type { AuditEvent } from '@signalman/durable'
import { environmentSuffix } from '../../domain/environment.ts'
import { formatName } from './rules/csr/names.ts'
import { getMainName, type Order, type OrderContent } from './rules/order.ts'
import { STATE_TEXTS } from './rules/order-states.ts'

/** `order 12: shop.example.com`; the name alone before the order is stored and has a number. */
export const formatAuditObject = ({
  content: { csr },
  number,
}: {
  content: Pick<OrderContent, 'csr'>
  number?: number
}): string => `${number === undefined ? '' : `order ${number}: `}${getMainName(csr) || 'a certificate'}`

/** The audit row of a step that Signalman takes by itself. `by`: the person on whose behalf, if any. */
export function createOrderAuditEvent(
  order: Order,
  auditEvent: Pick<AuditEvent, 'verb' | 'at' | 'outcome' | 'reference' | 'before' | 'after'> & {
    by?: string
  },
): AuditEvent {
  const { by = 'signalman', ...rest } = auditEvent
  const { workspaceId, environment } = order
  const object = `${formatAuditObject(order)}${environmentSuffix(environment)}`
  return { workspaceId, actor: { userId: by }, object, ...rest }
}

/** Keeps the row short, because the audit log cuts off long rows. */
const MAX_NAMES = 50

/** With the names and key of the CSR instead of the CSR itself. */
export function summarizeRequest({ request, csr }: Pick<OrderContent, 'request' | 'csr'>): object {
  const { csr: _, ...fields } = request
  const names = csr.names.slice(0, MAX_NAMES).map(formatName)
  const moreNames = csr.names.length - names.length
  return { ...fields, subject: csr.subject, names, ...(moreNames > 0 && { moreNames }), key: csr.key }
}

/** An order as the audit log stores it, in the words of the screens. Who approved it is the person of that row. */
export function summarizeOrder({
  content,
  bodyHash,
  number,
  state,
}: Pick<Order, 'content' | 'bodyHash' | 'number' | 'state'>): object {
  const { outcome, rejection } = content
  return {
    number,
    status: STATE_TEXTS[state].name.toLowerCase(),
    ...summarizeRequest(content),
    bodyHash,
    ...(rejection && { reason: rejection.reason }),
    ...(outcome && 'corrects' in outcome && { corrects: outcome.corrects }),
    ...(outcome?.kind === 'failed' && outcome.how && { how: outcome.how }),
    // Leaves out the service's raw answer, which could contain anything.
    ...(outcome?.answered?.id && { serviceOrder: outcome.answered.id }),
  }
}
