import {
  type Identity,
  jsonText,
  openedOrWhyNot,
  type SealError,
  type TextOpener,
  type TextSealer,
} from '@signalman/durable'
import { CERT_ORDER, type CertOrderRow, ORDER, type ORDER_STEP } from './tables.ts'

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

const orderIdentity = (workspaceId: string, id: string): Identity => ['cert_order', workspaceId, id]

export function rowOf(order: StoredOrder, sealer: TextSealer): Omit<CertOrderRow, 'cards'> {
  const identity = orderIdentity(order.workspaceId, order.id)
  return ORDER.row({
    ...order,
    sealedContent: sealer.seal(jsonText(order.content, 'An order'), identity),
  })
}

/** Throws SealError when its content does not open. */
export function orderOf(row: CertOrderRow, opener: TextOpener): StoredOrder {
  const order = orderOrUnopened(row, opener)
  if ('unopened' in order) throw order.unopened
  return order
}

export function orderOrUnopened(row: CertOrderRow, opener: TextOpener): StoredOrder | UnopenedOrder {
  const opened = openedOrWhyNot(() =>
    opener.open(row.sealed_content, orderIdentity(row.workspace_id, row.id)),
  )
  const { sealedContent, ...order } = CERT_ORDER.of(row)
  return { ...order, ...('value' in opened ? { content: JSON.parse(opened.value) } : opened) }
}
