import { runInTurn, type Table, table, tellChanges } from '@signalman/durable'
import { type Kysely, sql } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import type { GivenRole, SubjectKind } from '../../domain/roles.ts'

/**
 * A workspace's token for one environment, sealed for exactly this row. Here and below, `sealed_proof` is the proof that this
 * program wrote the row; null where something else has.
 */
export interface ConnectionRow {
  workspace_id: string
  environment: Environment
  sealed_token: string
  user_id: string
  stored_at: string
  sealed_proof: string
}

/** A channel's own settings. */
export interface ChannelRow {
  workspace_id: string
  channel_id: string
  environment: Environment
}

/** A bot's token in one workspace, or in all of one organization, sealed for exactly this row. */
export interface InstallationRow {
  /** The workspace's id, or the organization's. */
  id: string
  kind: InstallationKind
  enterprise_id: string | null
  name: string
  sealed_token: string
  bot_user_id: string
  app_id: string | null
  /** A JSON array of strings. */
  scopes: string
  installed_by: string
  installed_at: string
  sealed_proof: string
}

/** Whether an installation is of one workspace, or of every workspace of an organization. */
export type InstallationKind = 'workspace' | 'organization'

/** One role given to one subject. */
export interface RoleGrantRow {
  workspace_id: string
  role: GivenRole
  subject_kind: SubjectKind
  /** A user's or a group's id; `*` for everyone. */
  subject_id: string
  granted_by: string
  granted_at: string
  ends_at: string | null
  sealed_proof: string
}

declare module '@signalman/durable/schema' {
  interface Schema {
    connection: ConnectionRow
    channel: ChannelRow
    installation: InstallationRow
    role_grant: RoleGrantRow
  }
}

export const BOT_TABLES: readonly Table[] = [
  table('installation', {
    row: 'the app in a workspace or an organization, with its token, sealed',
    bound: 'one for each',
    key: ['id'],
    owner: 'id',
    forgotten: 'apart',
    sealed: { sealed_token: {} },
    proves: 'kind enterprise_id name bot_user_id app_id scopes installed_by installed_at'.split(' '),
  }),
  table('connection', {
    row: "a workspace's token for the service, sealed",
    bound: 'one for each environment of a workspace',
    key: ['workspace_id', 'environment'],
    forgotten: 'apart',
    sealed: { sealed_token: {} },
    proves: ['user_id', 'stored_at'],
    logged: { what: 'connection token was stored', at: 'stored_at', isFirst: false },
  }),
  table('channel', {
    row: 'the environment that somebody has chosen for a channel',
    bound: 'one for each channel',
    forgotten: 'kept',
  }),
  table('role_grant', {
    row: 'a role that was given',
    bound:
      'one for each role and person, group or everyone; one that has ended goes with the next change of roles',
    key: ['workspace_id', 'role', 'subject_kind', 'subject_id'],
    forgotten: 'kept',
    proves: ['granted_by', 'granted_at', 'ends_at'],
  }),
]

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
