import { type Table, table } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import { type OrderState, orderMoves } from '../rules/order-states.ts'

/** A certificate order. `version` counts its steps; a change must name the version that it read. */
export interface CertOrderRow {
  id: string
  workspace_id: string
  enterprise_id: string | null
  number: number
  environment: Environment
  state: OrderState
  version: number
  requester_id: string
  /** The certificate that the order is about, or that it created. */
  certificate_id: string | null
  /** SHA-256 of the exact request body, base64url. */
  body_hash: string
  /** SHA-256 of the request's public key, base64url; null where it is not known. */
  key_hash: string | null
  /** JSON, sealed for exactly this row. */
  sealed_content: string
  created_at: string
  updated_at: string
  /** When an expiry or a reminder is due. */
  wake_at: string | null
  /** A JSON array: its cards in Slack. */
  cards: string
}

/** One step of an order. Rows are added and never changed. */
export interface CertOrderEventRow {
  order_id: string
  /** The order's version that the step led to. */
  version: number
  at: string
  /** Null when no person took the step. */
  user_id: string | null
  kind: string
  /** The reference of the act that took the step; null without an act. */
  reference: string | null
}

declare module '@signalman/durable/schema' {
  interface Schema {
    cert_order: CertOrderRow
    cert_order_event: CertOrderEventRow
    cert_order_move: StateMoveRow
  }
}

/** A forgotten workspace's orders are ended and emptied, and their rows stay. */
export const ORDER_TABLES: readonly Table[] = [
  table('cert_order', {
    row: 'a certificate order',
    bound: "swept 10 years after its last step, once it is over; a workspace's newest one stays",
    key: ['id'],
    forgotten: 'apart',
    sealed: { sealed_content: { named: ['workspace_id', 'id'] } },
    logged: { what: 'certificate order was asked for', at: 'created_at', isFirst: true },
    isNumbered: true,
    restored: { kind: 'order.submit', state: 'submitting' },
  }),
  table('cert_order_event', {
    row: 'a step of an order',
    bound: 'swept with its order',
    owner: '(select o.workspace_id from cert_order o where o.id = cert_order_event.order_id)',
    forgotten: 'apart',
    partOf: { table: 'cert_order', column: 'order_id' },
  }),
  table('cert_order_move', {
    row: 'a step that an order may take',
    bound: 'fixed: the table of states',
    isOfNoWorkspace: true,
    moves: orderMoves.map(({ from, to }) => [from, to]),
  }),
]
