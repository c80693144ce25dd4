import type { Order, OrderRepository } from './order.ts'

/** How an order stands to the ones before it. */
export interface Comparison {
  /** The newest placed order of the certificate that is renewed or reissued. */
  earlier: Order | undefined
  /** Earlier orders with the very same request, and others with its key. */
  sameCsr: readonly Order[]
  sameKey: readonly Order[]
}

export const NOTHING_EARLIER: Comparison = { earlier: undefined, sameCsr: [], sameKey: [] }

const CONSIDERED = 20

/** Looks the earlier orders up, in the order's own environment. */
export async function compare(orders: Pick<OrderRepository, 'list'>, order: Order): Promise<Comparison> {
  const { workspaceId, environment, certificateId, keyHash, number } = order
  const where = { workspaceId, environment, limit: CONSIDERED }
  const isAbout = order.content.request.certificateId ?? undefined
  const [ofCertificate, ofKey] = await Promise.all([
    isAbout === undefined ? [] : orders.list({ ...where, certificateId: isAbout }),
    keyHash === undefined ? [] : orders.list({ ...where, keyHash }),
  ])
  const before = (other: Order): boolean => other.number < number
  const { csr } = order.content.request
  const [sameCsr, sameKey] = [true, false].map((isSame) =>
    ofKey.filter((other) => before(other) && (other.content.request.csr === csr) === isSame),
  )
  return {
    earlier: ofCertificate.find(
      (other) => before(other) && other.state === 'placed' && other.certificateId === certificateId,
    ),
    sameCsr: sameCsr ?? [],
    sameKey: sameKey ?? [],
  }
}

/** What of the names is new, and what is not asked for any more; capitals are no difference. */
export function nameChanges(before: readonly string[], after: readonly string[]) {
  const were = new Set(before.map((name) => name.toLowerCase()))
  const are = new Set(after.map((name) => name.toLowerCase()))
  return {
    added: after.filter((name) => !were.has(name.toLowerCase())),
    removed: before.filter((name) => !are.has(name.toLowerCase())),
  }
}
