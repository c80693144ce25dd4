import { runInTurn, tellChanges } from '@signalman/durable'
import { type Kysely, sql } from 'kysely'

/** Makes the tables that tables.ts declares, for the first migration. */
export async function makeBotTables(db: Kysely<unknown>): Promise<void> {
  await runInTurn(db, TABLES)
  for (const table of ['channel', 'connection', 'role_grant']) await tellChanges(db, table)
  await tellChanges(db, 'installation', 'id')
}

const TABLES = [
  sql`create table connection (
    workspace_id text not null,
    environment text not null,
    sealed_token text not null,
    user_id text not null,
    stored_at text not null,
    sealed_proof text,
    constraint connection_key primary key (workspace_id, environment),
    constraint connection_environment check (environment in ('production', 'ote'))
  )`,
  sql`create table channel (
    workspace_id text not null,
    channel_id text not null,
    environment text not null,
    constraint channel_key primary key (workspace_id, channel_id),
    constraint channel_environment check (environment in ('production', 'ote'))
  )`,
  sql`create table installation (
    id text primary key,
    kind text not null,
    enterprise_id text,
    name text not null,
    sealed_token text not null,
    bot_user_id text not null,
    app_id text,
    scopes text not null,
    installed_by text not null,
    installed_at text not null,
    sealed_proof text,
    constraint installation_kind check (kind in ('workspace', 'organization'))
  )`,
  sql`create table role_grant (
    workspace_id text not null,
    role text not null,
    subject_kind text not null,
    subject_id text not null,
    granted_by text not null,
    granted_at text not null,
    ends_at text,
    sealed_proof text,
    constraint role_grant_key primary key (workspace_id, role, subject_kind, subject_id),
    constraint role_grant_role check (role in ('operator', 'approver', 'admin')),
    constraint role_grant_subject check (subject_kind in ('user', 'group', 'everyone'))
  )`,
]
