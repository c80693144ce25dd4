import { sealedRows, type TextSealer } from '@signalman/durable'
import type { StoredOrder } from '../rules/order.ts'
import {
  CERT_ORDER,
  CERT_ORDER_TABLE,
  type CertOrderRow,
  type ORDER_STEP,
  ORDER_WITHOUT_CARDS,
} from './tables.ts'

export type OrderEvent = Parameters<typeof ORDER_STEP.toRow>[0]

export const sealedOrders = sealedRows(CERT_ORDER_TABLE, {
  toPlain(row: CertOrderRow) {
    const { sealedContent, ...order } = CERT_ORDER.parse(row)
    return order
  },
  parseContent: (text) => ({ content: JSON.parse(text) as unknown }),
})

export const sealContent = (
  { workspaceId, id }: Pick<StoredOrder, 'workspaceId' | 'id'>,
  content: unknown,
  sealer: TextSealer,
): string => sealedOrders.seal(content, [workspaceId, id], sealer)

export const toOrderRow = (order: StoredOrder, sealer: TextSealer): Omit<CertOrderRow, 'cards'> =>
  ORDER_WITHOUT_CARDS.toRow({ ...order, sealedContent: sealContent(order, order.content, sealer) })
