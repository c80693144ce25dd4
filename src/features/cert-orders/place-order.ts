import { ApiError } from '../../api/errors.ts'
import type { OrderRequest, PlacedOrder } from '../../api/orders.ts'
import type { Message } from '../../blocks/message.ts'
import type { Ask } from '../../slack/ask.ts'
import type { FilledOrder } from './fields.ts'
import { placedView, unknownView } from './views.ts'

/**
 * Sends the order once. When nobody can tell whether it was placed, says so instead of bringing the form back: a form
 * with its button invites the repetition that would order twice. Any other failure throws, and the form returns as typed.
 */
export async function placeOrder(ask: Ask, filled: FilledOrder): Promise<Message> {
  const { orders } = await ask.api()
  try {
    const placed = await ask.change(
      {
        verb: '/cert-order',
        object: `order: ${filled.order.action} ${filled.csr.subject || filled.csr.names.join(', ')}`,
        after: (placed: PlacedOrder | undefined) => ({
          ...told(filled),
          ...(placed && { placed: idsOf(placed) }),
        }),
      },
      () => orders.create(filled.order),
    )
    return placedView(filled, placed, ask.environment)
  } catch (error) {
    if (error instanceof ApiError && error.mayHaveHappened) return unknownView(filled, error, ask)
    throw error
  }
}

/** The order as the audit log keeps it: all of it but the request itself, of which it has names and key. */
function told({ order, csr }: FilledOrder): object {
  const { csr: _, ...asked }: OrderRequest = order
  return { ...asked, subject: csr.subject, names: csr.names, key: csr.key }
}

/** Without the service's answer as it came: that is outside text of any kind. */
const idsOf = ({ id, status, certificateId }: PlacedOrder): object => ({ id, status, certificateId })
