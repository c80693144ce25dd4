import { guardMoves, runInTurn } from '@signalman/durable'
import { type Kysely, sql } from 'kysely'

/** Makes the tables that tables.ts declares, for the first migration. */
export async function makeThreatTables(db: Kysely<unknown>): Promise<void> {
  await runInTurn(db, [...MEMORY, ...CASES, ...CARDS])
  await guardMoves(db, 'threat_case', 'no such step of a threat case')
}

const MEMORY = [
  sql`create table threat_salt (
    workspace_id text primary key,
    sealed_salt text not null
  )`,
  sql`create table threat_seen (
    id text primary key,
    workspace_id text not null,
    environment text not null,
    event_id text not null,
    sealed_about text not null,
    content_hash text not null,
    read_at text not null,
    constraint threat_seen_event unique (workspace_id, environment, event_id)
  )`,
  sql`create index threat_seen_by_time on threat_seen (workspace_id, read_at)`,
  sql`create index threat_seen_by_age on threat_seen (read_at)`,
  sql`create table threat_trait (
    seen_id text not null references threat_seen (id) on delete cascade,
    trait text not null,
    workspace_id text not null,
    read_at text not null,
    constraint threat_trait_of_seen primary key (seen_id, trait)
  )`,
  sql`create index threat_trait_by_trait on threat_trait (workspace_id, trait, read_at, seen_id)`,
  sql`create table threat_version (
    key text primary key,
    workspace_id text not null,
    content_hash text not null,
    modified_at text not null,
    exported_at text not null
  )`,
  sql`create index threat_version_by_workspace_id on threat_version (workspace_id)`,
  sql`create index threat_version_by_exported_at on threat_version (exported_at)`,
]

const OPEN = sql`state in ('open', 'taken', 'takedown-sent')`

const CASES = [
  sql`create table threat_case (
    id text primary key,
    workspace_id text not null,
    enterprise_id text,
    environment text not null,
    event_id text not null,
    state text not null,
    holder_id text,
    severity integer not null,
    version integer not null,
    opened_at text not null,
    changed_at text not null,
    channel_id text,
    message_ts text,
    thread_ts text,
    shown_version integer not null,
    told_version integer not null,
    sealed_about text not null,
    constraint threat_case_event unique (workspace_id, environment, event_id),
    constraint threat_case_environment check (environment in ('production', 'ote')),
    constraint threat_case_state check (state in ('open', 'taken', 'takedown-sent', 'down', 'false-positive')),
    constraint threat_case_holder check ((state <> 'taken' or holder_id is not null))
  )`,
  // For the queue, the worst and oldest first; for what somebody has; and for the sweep.
  sql`create index threat_case_queue on threat_case (workspace_id, environment, severity, opened_at, id)
    where ${OPEN}`,
  sql`create index threat_case_by_state on threat_case (workspace_id, environment, state, severity, opened_at, id)`,
  sql`create index threat_case_by_holder
    on threat_case (workspace_id, holder_id, environment, state, severity, opened_at, id)`,
  sql`create index threat_case_held on threat_case (workspace_id, holder_id, environment, severity, opened_at, id)
    where ${OPEN}`,
  sql`create index threat_case_by_change on threat_case (state, changed_at)`,
  sql`create table takedown_watch (
    id text primary key,
    workspace_id text not null,
    enterprise_id text,
    environment text not null,
    event_id text not null,
    check_uuid text not null,
    made_at text not null,
    sealed_state text not null,
    constraint takedown_watch_event unique (workspace_id, environment, event_id),
    constraint takedown_watch_environment check (environment in ('production', 'ote'))
  )`,
]

const CARDS = [
  // The newest card of a threat event in each channel that it was shared in.
  sql`create table threat_card (
    workspace_id text not null,
    environment text not null,
    event_id text not null,
    channel_id text not null,
    message_ts text not null,
    thread_ts text,
    shown_version integer not null,
    shared_at text not null,
    constraint threat_card_pk primary key (workspace_id, environment, event_id, channel_id),
    constraint threat_card_environment check (environment in ('production', 'ote'))
  )`,
  sql`create index threat_card_age on threat_card (shared_at)`,
]
