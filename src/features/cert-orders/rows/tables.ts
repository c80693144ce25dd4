import { guardMoves, runInTurn, type Table, table } from '@signalman/durable'
import { type Kysely, sql } from 'kysely'
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

/** Makes the tables that tables.ts declares, for the first migration. */
export async function makeOrderTables(db: Kysely<unknown>): Promise<void> {
  await runInTurn(db, TABLES)
  await guardMoves(db, 'cert_order', 'no such step of an order')
}

const TABLES = [
  sql`create table cert_order (
    id text primary key,
    workspace_id text not null,
    enterprise_id text,
    number integer not null,
    environment text not null,
    state text not null,
    version integer not null,
    requester_id text not null,
    certificate_id text,
    body_hash text not null,
    key_hash text,
    sealed_content text not null,
    created_at text not null,
    updated_at text not null,
    wake_at text,
    cards text not null,
    constraint cert_order_number unique (workspace_id, number),
    constraint cert_order_environment check (environment in ('production', 'ote')),
    constraint cert_order_state check (
      state in ('awaiting', 'submitting', 'placed', 'failed', 'unknown', 'rejected', 'withdrawn', 'expired')
    )
  )`,
  // Whatever is asked, a statement looks at what it gives, or at an index only.
  sql`create index cert_order_by_number on cert_order (workspace_id, number, environment, state, requester_id)`,
  sql`create index cert_order_by_state on cert_order (workspace_id, state, number, environment, requester_id)`,
  sql`create index cert_order_by_requester on cert_order (workspace_id, requester_id, number, environment, state)`,
  // The id is the service's, of any length: PostgreSQL refuses a row whose index entry is longer than 2,704 bytes.
  sql`create index cert_order_by_certificate on cert_order (workspace_id, substr(certificate_id, 1, 100), number)`,
  sql`create index cert_order_by_key on cert_order (workspace_id, key_hash, number)`,
  sql`create index cert_order_by_age on cert_order (updated_at, id)`,
  sql`create table cert_order_event (
    order_id text not null references cert_order (id),
    version integer not null,
    at text not null,
    user_id text,
    kind text not null,
    reference text,
    constraint cert_order_event_key primary key (order_id, version)
  )`,
  sql`create index cert_order_event_by_reference on cert_order_event (reference) where reference is not null`,
]
