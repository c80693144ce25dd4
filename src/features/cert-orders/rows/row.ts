import {
  type Identity,
  jsonText,
  openedOrWhyNot,
  type SealError,
  type TextOpener,
  type TextSealer,
} from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { OrderState } from '../rules/order-states.ts'
import { CERT_ORDER, type CertOrderRow, ORDER } from './tables.ts'

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
export interface StoredOrder<Content = unknown> {
  readonly id: string
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  /** Counts from 1 in each workspace. */
  readonly number: number
  readonly environment: Environment
  readonly state: OrderState
  /** Counts its steps, from 1. */
  readonly version: number
  readonly requesterId: string
  /** The certificate that it is about, or that came of it. */
  readonly certificateId?: string | undefined
  readonly bodyHash: string
  /** SHA-256 of the request's public key, where it is known. */
  readonly keyHash?: string | undefined
  readonly content: Content
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When something is due by itself. */
  readonly wakeAt?: Date | undefined
  /** Where its cards stand in Slack. */
  readonly cards: OrderCards
}

/** All that can be told of an order whose content does not open. */
export interface UnopenedOrder extends Omit<StoredOrder, 'content'> {
  readonly unopened: SealError
}

export type NewOrder = Omit<StoredOrder, 'id' | 'number' | 'version' | 'cards' | 'updatedAt'>

export interface OrderEvent {
  readonly kind: string
  readonly at: Date
  /** Absent for what happens by itself. */
  readonly userId?: string | undefined
  /** The reference of the act that took the step; after a crash the act finds its step by it. */
  readonly reference?: string | undefined
}

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
