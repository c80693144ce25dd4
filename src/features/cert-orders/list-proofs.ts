import type { Certificates } from './rows/certificates.ts'
import type { Certificate } from './rules/certificate/certificate.ts'
import { mayBeIssuedFor } from './rules/certificate/match.ts'
import type { Order } from './rules/order.ts'

/** Recorded certificates with an order's key that aren't attached to an order. If it was sent, only those that may be for it. */
export async function listUnattached(
  certificates: Pick<Certificates, 'listForKey'>,
  order: Order,
): Promise<readonly Certificate[]> {
  const { submission } = order.content
  const found = await certificates.listForKey(order, order.keyHash)
  if (!submission) return found
  const sentAt = new Date(submission.at)
  return found.filter(({ content }) => mayBeIssuedFor(content.notBefore, sentAt))
}

/** Recorded certificates that show that the service has had a sent order, as far as anyone knows. */
export const listProofs = async (
  certificates: Pick<Certificates, 'listForKey' | 'listForOrders'>,
  order: Order,
): Promise<readonly Certificate[]> => [
  ...(await certificates.listForOrders([order.id])),
  ...(await listUnattached(certificates, order)),
]
