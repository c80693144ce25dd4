import { sealedRows, type TextSealer } from '@signalman/durable'
import type { StoredOrder } from '../rules/order.ts'
import { CERT_ORDER, CERT_ORDERS, type CertOrderRow, ORDER, type ORDER_STEP } from './tables.ts'

export type OrderEvent = Parameters<typeof ORDER_STEP.toRow>[0]

export const sealedOrders = sealedRows(CERT_ORDERS, {
  plain(row: CertOrderRow) {
    const { sealedContent, ...order } = CERT_ORDER.parse(row)
    return order
  },
  content: (text) => ({ content: JSON.parse(text) as unknown }),
})

export const sealedContent = (
  { workspaceId, id }: Pick<StoredOrder, 'workspaceId' | 'id'>,
  content: unknown,
  sealer: TextSealer,
): string => sealedOrders.seal(content, [workspaceId, id], sealer)

export const toOrderRow = (order: StoredOrder, sealer: TextSealer): Omit<CertOrderRow, 'cards'> =>
  ORDER.toRow({ ...order, sealedContent: sealedContent(order, order.content, sealer) })
