import {
  columns,
  date,
  json,
  maybe,
  number,
  oneOf,
  type RowOf,
  type RowsOf,
  table,
  text,
} from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { environment } from '../../../bot/workspaces/tables.ts'
import type { OrderCards } from '../rules/order.ts'
import { ORDER_STATES } from '../rules/order-states.ts'

/** The columns that a step writes. `version` counts the steps. An update must name the version that it's based on. */
export const ORDER_WITHOUT_CARDS = columns({
  id: text(),
  workspaceId: text(),
  /** Unused. The first migration made it. */
  enterpriseId: maybe(text()),
  number: number(),
  environment: environment(),
  state: oneOf(...ORDER_STATES),
  version: number(),
  requesterId: text(),
  renewsId: maybe(text()),
  /** SHA-256 of the exact request body, base64url. */
  bodyHash: text(),
  /** The key's JWK thumbprint (RFC 7638), base64url. */
  keyHash: text(),
  receivedAt: maybe(date()),
  /** JSON, encrypted for exactly this row. */
  sealedContent: text(),
  createdAt: date(),
  updatedAt: date(),
})

export const CERT_ORDER = columns({ ...ORDER_WITHOUT_CARDS.columns, cards: json<OrderCards>() })

export const ORDER_STEP = columns({
  at: date(),
  /** Null for automatic steps. */
  userId: maybe(text()),
  kind: text(),
  /** The interaction that took the step. Null for automatic steps. */
  reference: maybe(text()),
})
/** Rows are never changed. */
export const CERT_ORDER_EVENT = columns({
  orderId: text(),
  workspaceId: text(),
  /** The order's version after the step. */
  version: number(),
  ...ORDER_STEP.columns,
})

export type CertOrderRow = RowOf<typeof CERT_ORDER.columns>

declare module '@signalman/durable/schema' {
  interface Schema extends RowsOf<typeof ORDER_TABLES> {}
}

/** Far longer than any certificate is valid. */
const RETENTION_MS = 3650 * DAY_MS
/** Keeps the newest order, because its number must not be used again. */
const ENDED_AND_NOT_NEWEST = `state in ('received', 'failed', 'rejected', 'withdrawn', 'expired') and exists (select 1 from cert_order later
  where later.workspace_id = cert_order.workspace_id and later.number > cert_order.number)`

export const CERT_ORDER_TABLE = table('cert_order', {
  columns: CERT_ORDER,
  constraints: ['constraint cert_order_number unique (workspace_id, number)'],
  // Each query in queries.ts uses one of these.
  indexes: {
    by_number: '(workspace_id, number, environment, state, requester_id)',
    by_state: '(workspace_id, state, number, environment, requester_id)',
    by_requester: '(workspace_id, requester_id, number, environment, state)',
    by_renewed: '(workspace_id, renews_id, number)',
    by_key: '(workspace_id, key_hash, number)',
    by_age: '(updated_at)',
  },
  row: 'a certificate order',
  bound: 'deleted 10 years after its last step, if it has ended; the newest one of each workspace is kept',
  swept: [{ at: 'updated_at', afterMs: RETENTION_MS, only: ENDED_AND_NOT_NEWEST }],
  key: ['id'],
  sealed: { sealed_content: { identityColumns: ['workspace_id', 'id'] } },
  restored: { kind: 'order.submit', state: 'submitting', step: 'POST' },
})

export const ORDER_TABLES = [
  CERT_ORDER_TABLE,
  table('cert_order_event', {
    columns: CERT_ORDER_EVENT,
    key: ['order_id', 'version'],
    row: 'a step of an order',
    bound: 'deleted with its order',
    partOf: { table: 'cert_order', column: 'order_id' },
  }),
] as const
