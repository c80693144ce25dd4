import { guardMoves, runInTurn } from '@signalman/durable'
import { type Kysely, sql } from 'kysely'

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
