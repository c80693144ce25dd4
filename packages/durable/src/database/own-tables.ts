import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import { type Table, table } from './declared-table.ts'
import { isPostgres, runInTurn, tellChangedRows, tellChanges } from './migrating.ts'

const OF_ITS_WORK = '(select w.workspace_id from work w where w.id = work_step.work_id)'

/**
 * The tables of this package. The encryption keys themselves seal the keys of workspaces, the ends of the audit log and what proves
 * rows: these hold no content, and outlast the workspace.
 */
export const OWN_TABLES: readonly Table[] = [
  table('ephemeral_state', {
    row: 'what a window, a button or an undo must remember and Slack cannot hold, sealed',
    bound: 'swept when it has expired, which is within hours or a week',
    // Its end is by the clock of the app, which may be behind that of the database.
    swept: [{ at: 'expires_at', afterMs: HOUR_MS }],
    key: ['id'],
    sealed: { sealed_body: { named: ['workspace_id', 'id'] } },
  }),
  table('idempotency_key', {
    row: 'something that is done once',
    bound: 'swept after a day',
    swept: [{ at: 'claimed_at', afterMs: DAY_MS }],
    isOfNoWorkspace: true,
  }),
  table('setting', {
    row: 'a setting of a workspace',
    bound: 'one for each setting and workspace',
    key: ['workspace_id', 'key'],
    forgotten: 'kept',
    proves: ['value'],
  }),
  table('audit_entry', {
    row: 'something that somebody did, or was refused',
    bound:
      'swept after the days that an admin has set (in the form of `/hc access`); kept for ever where none has',
    key: ['workspace_id', 'sequence'],
    forgotten: 'kept',
    sealed: { sealed_erasure: { byRoot: true } },
  }),
  table('audit_chain', {
    row: "both ends of a workspace's audit log, sealed",
    bound: 'one for each workspace, and one that counts them',
    key: ['workspace_id'],
    forgotten: 'kept',
    sealed: { sealed_head: { byRoot: true } },
  }),
  table('work', {
    row: 'an act, a job, or what is due',
    bound:
      'acts are swept a day after their end, jobs after 7 days; what waits is one for each thing that is due',
    key: ['id'],
    sealed: { sealed_body: { named: ['workspace_id', 'id'] } },
  }),
  table('work_step', {
    row: 'a step of an act, a line of a job, or who was told of paused watches',
    bound: 'swept with its work',
    key: ['id'],
    owner: OF_ITS_WORK,
    partOf: { table: 'work', column: 'work_id' },
    sealed: { sealed_body: {}, sealed_result: { label: 'work_step_result' } },
  }),
  table('key_check', {
    row: 'the proof of an encryption key',
    bound: 'one for each key in use; `rotate-keys` takes the others out',
    isOfNoWorkspace: true,
  }),
  table('workspace_key', {
    row: 'a key of a workspace, sealed, or the word that it was destroyed',
    bound:
      'two in use for each workspace; one more for each key that was replaced, and one or two for each time that the app was taken out: they stay, so that no restore brings back what was forgotten',
    key: ['id'],
    forgotten: 'apart',
    sealed: { sealed_key: { named: ['workspace_id', 'purpose', 'id'], byRoot: true } },
  }),
  table('post_attempt', {
    row: 'a message that was about to be posted, of unknown outcome',
    bound: 'swept after a day',
    swept: [{ at: 'attempted_at', afterMs: DAY_MS }],
  }),
  table('process', {
    row: 'a process that lives: its number, its host, and which key it seals with',
    bound: 'swept when it has given no sign for 30 s, by the others',
    isOfNoWorkspace: true,
  }),
  table('migration', {
    row: 'a change of the tables that has run',
    bound: 'fixed: one for each',
    isOfNoWorkspace: true,
  }),
]

/** Makes the tables of this package, for the first migration of a program; what each is for stands at its row's type (schema.ts). */
export async function makeOwnTables(db: Kysely<unknown>): Promise<void> {
  await runInTurn(db, [...SMALL, ...AUDIT, ...WORK, ...SECRETS])
  if (isPostgres(db)) await runInTurn(db, TELLING)
  await tellChanges(db, 'setting')
  await tellChangedRows(db, 'workspace_key')
}

const SMALL = [
  sql`create table ephemeral_state (
    id text primary key,
    workspace_id text not null,
    sealed_body text not null,
    expires_at text not null
  )`,
  sql`create index ephemeral_state_by_expires_at on ephemeral_state (expires_at)`,
  sql`create index ephemeral_state_by_workspace_id on ephemeral_state (workspace_id)`,
  sql`create table idempotency_key (
    key text primary key,
    claimed_at text not null,
    claimant text not null default ''
  )`,
  sql`create index idempotency_key_by_time on idempotency_key (claimed_at)`,
  sql`create table setting (
    workspace_id text not null,
    key text not null,
    value text not null,
    sealed_proof text,
    constraint setting_key primary key (workspace_id, key)
  )`,
  sql`create index setting_by_key on setting (key, workspace_id)`,
  sql`create table post_attempt (
    workspace_id text not null,
    key text not null,
    mark text not null,
    version integer not null,
    attempted_at text not null,
    constraint post_attempt_pk primary key (workspace_id, key)
  )`,
  sql`create index post_attempt_age on post_attempt (attempted_at)`,
  sql`create table process (
    id text primary key,
    seen_at text not null,
    key_id text,
    about text
  )`,
]

const AUDIT = [
  sql`create table audit_entry (
    workspace_id text not null,
    sequence integer not null,
    previous_hash text not null,
    hash text not null,
    at text not null,
    user_id text not null,
    team_id text,
    channel_id text,
    verb text not null,
    object text,
    before text,
    after text,
    outcome text not null,
    reference text not null,
    salt text,
    sealed_erasure text,
    constraint audit_entry_key primary key (workspace_id, sequence),
    constraint audit_entry_outcome check (outcome in ('begun', 'done', 'refused', 'failed', 'unknown'))
  )`,
  // The columns behind the sequence are looked at in the index: most rows that a search passes over are never read.
  sql`create index audit_entry_by_sequence on audit_entry (workspace_id, sequence, verb, at)`,
  sql`create index audit_entry_by_user on audit_entry (workspace_id, user_id, sequence, verb, at)`,
  sql`create table audit_chain (
    workspace_id text primary key,
    sealed_head text not null
  )`,
]

const WORK = [
  sql`create table work (
    id text primary key,
    workspace_id text not null,
    kind text not null,
    key text,
    person_id text,
    state text not null,
    sealed_body text,
    due_at text not null,
    owner text,
    held_until text,
    attempts integer not null default 0,
    wanted_again integer not null default 0,
    wants_stop integer not null default 0,
    message_channel text,
    message_ts text,
    made_at text not null,
    touched_at text not null,
    reference text,
    traceparent text,
    constraint work_key unique (workspace_id, kind, key),
    constraint work_state check (state in ('prepared', 'waiting', 'running', 'stopped', 'done'))
  )`,
  sql`create index work_due on work (state, workspace_id, due_at)`,
  // What is due is found without a look at what is not: each order that waits has a reminder months ahead.
  sql`create index work_by_time on work (state, due_at, workspace_id, kind)`,
  sql`create index work_touched on work (state, touched_at)`,
  sql`create table work_step (
    id text primary key,
    work_id text not null references work (id) on delete cascade,
    line integer not null,
    name text,
    state text not null,
    sealed_body text,
    begun_at text,
    begun_by text,
    result text,
    sealed_result text,
    constraint work_step_line unique (work_id, line),
    constraint work_step_state check (state in ('ready', 'begun', 'done', 'found', 'refused'))
  )`,
  sql`create index work_step_by_state on work_step (work_id, state, line)`,
]

const SECRETS = [
  sql`create table key_check (
    key_id text primary key,
    sealed text not null,
    made_at text not null
  )`,
  // Of each workspace and purpose one key at most seals; the others open what they have sealed, until they are destroyed.
  sql`create table workspace_key (
    id text primary key,
    workspace_id text not null,
    purpose text not null,
    sealed_key text,
    made_at text not null,
    retired_at text,
    dropped_at text,
    constraint workspace_key_purpose check (purpose in ('content', 'rows'))
  )`,
  sql`create unique index workspace_key_in_use on workspace_key (workspace_id, purpose) where retired_at is null`,
  sql`create index workspace_key_by_workspace_id on workspace_key (workspace_id)`,
]

const TELLING = [
  sql`
    create function rows_changed() returns trigger language plpgsql as
    $$ begin perform pg_notify('rows_changed', ''); return null; end $$`,
  sql`
    create function rows_changed_of() returns trigger language plpgsql as
    $$ begin
      if tg_op <> 'INSERT' then perform pg_notify('rows_changed', to_jsonb(old) ->> tg_argv[0]); end if;
      if tg_op <> 'DELETE' then perform pg_notify('rows_changed', to_jsonb(new) ->> tg_argv[0]); end if;
      return null;
    end $$`,
]
