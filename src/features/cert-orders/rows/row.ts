import { type SealError, sealedRows, type TextSealer } from '@signalman/durable'
import { CERT_ORDER, CERT_ORDERS, type CertOrderRow, ORDER, type ORDER_STEP } from './tables.ts'

/** A message about an order, where it stands in Slack. */
export interface OrderCard {
  readonly channelId: string
  readonly ts: string
  /** Whose direct messages it is in; absent in a channel. */
  readonly to?: string | undefined
  /** For a message about one step: what it says and of which version of the order, so that nobody gets it twice. */
  readonly about?: string | undefined
  /** The version of the order that was told of when a card came there. */
  readonly postedFor?: number | undefined
}

/** Where an order's cards stand in Slack, and what was said about the step that is being told of. */
export type OrderCards = readonly OrderCard[]

/** A certificate order as it stands; `content` is any JSON value, sealed at rest. */
export type StoredOrder<Content = unknown> = Omit<Parameters<typeof CERT_ORDER.row>[0], 'sealedContent'> & {
  readonly content: Content
}

/** All that can be told of an order whose content does not open. */
export interface UnopenedOrder extends Omit<StoredOrder, 'content'> {
  readonly unopened: SealError
}

export type NewOrder = Omit<StoredOrder, 'id' | 'number' | 'version' | 'cards' | 'updatedAt'>

export type OrderEvent = Parameters<typeof ORDER_STEP.row>[0]

export const sealedOrders = sealedRows(CERT_ORDERS, {
  plain(row: CertOrderRow) {
    const { sealedContent, ...order } = CERT_ORDER.of(row)
    return order
  },
  content: (text) => ({ content: JSON.parse(text) as unknown }),
})

export const sealedContent = (
  { workspaceId, id }: Pick<StoredOrder, 'workspaceId' | 'id'>,
  content: unknown,
  sealer: TextSealer,
): string => sealedOrders.seal(content, [workspaceId, id], sealer)

export const rowOf = (order: StoredOrder, sealer: TextSealer): Omit<CertOrderRow, 'cards'> =>
  ORDER.row({ ...order, sealedContent: sealedContent(order, order.content, sealer) })
