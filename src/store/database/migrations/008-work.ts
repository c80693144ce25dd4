import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * One table for everything that outlives a request: acts, jobs, schedules and messages to be sent. Takes over the rows of
 * `job`, and from `cert_order` what was due by itself and what people had not been told yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await makeWork(db)
  await makeSteps(db)
  await takeOverJobs(db)
  await takeOverOrders(db)
  await letAuditRowsSayBegun(db)
  await db.schema.dropTable('job_step').execute()
  await db.schema.dropTable('job').execute()
  await db.schema.dropIndex('cert_order_untold').execute()
  await db.schema.dropIndex('cert_order_by_wake').execute()
  for (const column of ['told_version', 'tell_at', 'tell_attempts'])
    await db.schema.alterTable('cert_order').dropColumn(column).execute()
  await addReferences(db)
  await db.schema.alterTable('claim').renameTo('idempotency_key').execute()
  await db.schema
    .alterTable('idempotency_key')
    .addColumn('claimant', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

async function makeWork(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('work')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('key', 'text')
    .addColumn('person_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('sealed_body', 'text')
    .addColumn('due_at', 'text', (column) => column.notNull())
    .addColumn('owner', 'text')
    .addColumn('held_until', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('wanted_again', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('wants_stop', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('message_channel', 'text')
    .addColumn('message_ts', 'text')
    .addColumn('made_at', 'text', (column) => column.notNull())
    .addColumn('touched_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('work_key', ['workspace_id', 'kind', 'key'])
    .addCheckConstraint('work_state', sql`state in ('prepared', 'waiting', 'running', 'stopped', 'done')`)
    .execute()
  await db.schema.createIndex('work_due').on('work').columns(['state', 'workspace_id', 'due_at']).execute()
  await db.schema.createIndex('work_touched').on('work').columns(['state', 'touched_at']).execute()
}

async function makeSteps(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('work_step')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('work_id', 'text', (column) => column.notNull().references('work.id').onDelete('cascade'))
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('sealed_body', 'text')
    .addColumn('begun_at', 'text')
    .addColumn('result', 'text')
    .addColumn('sealed_result', 'text')
    .addUniqueConstraint('work_step_line', ['work_id', 'line'])
    .addCheckConstraint('work_step_state', sql`state in ('ready', 'begun', 'done', 'found', 'refused')`)
    .execute()
  await db.schema
    .createIndex('work_step_by_state')
    .on('work_step')
    .columns(['work_id', 'state', 'line'])
    .execute()
}

async function takeOverJobs(db: Kysely<unknown>): Promise<void> {
  await sql`insert into work (id, workspace_id, kind, state, sealed_body, due_at, wants_stop, message_channel, message_ts, made_at, touched_at)
    select id, workspace_id, kind, case state when 'running' then 'waiting' else state end, sealed_body, made_at, wants_stop,
      message_channel, message_ts, made_at, touched_at from job`.execute(db)
  await sql`insert into work_step (id, work_id, line, state, sealed_body, begun_at, result)
    select id, job_id, line, state, sealed_body, begun_at, result from job_step`.execute(db)
}

/** The id of such a row is the order's own with the kind in front: one of a kind for an order. */
async function takeOverOrders(db: Kysely<unknown>): Promise<void> {
  await sql`insert into work (id, workspace_id, kind, key, state, due_at, made_at, touched_at)
    select 'due.' || id, workspace_id, 'order.due', id, 'waiting', wake_at, updated_at, updated_at
    from cert_order where wake_at is not null and state <> 'submitting'`.execute(db)
  await sql`insert into work (id, workspace_id, kind, key, state, due_at, made_at, touched_at)
    select 'notice.' || id, workspace_id, 'order.notice', id, 'waiting', updated_at, updated_at, updated_at
    from cert_order where told_version < version`.execute(db)
  await sql`insert into work (id, workspace_id, kind, key, state, due_at, made_at, touched_at)
    select 'submit.' || id, workspace_id, 'order.submit', id, 'waiting', updated_at, updated_at, updated_at
    from cert_order where state = 'submitting'`.execute(db)
  // Its POST may have left before the upgrade: as begun, it is never sent a second time.
  await sql`insert into work_step (id, work_id, line, state, begun_at)
    select 'submit.' || id || '.1', 'submit.' || id, 1, 'begun', updated_at
    from cert_order where state = 'submitting'`.execute(db)
}

const OUTCOMES = sql`outcome in ('begun', 'done', 'refused', 'failed', 'unknown')`

/** An act's intent is a row of its own. SQLite cannot change a constraint, so there the table and its indexes are created again. */
async function letAuditRowsSayBegun(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`alter table audit_entry drop constraint audit_entry_outcome`.execute(db)
    await sql`alter table audit_entry add constraint audit_entry_outcome check (${OUTCOMES})`.execute(db)
    return
  }
  const made = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_master where tbl_name = 'audit_entry' and sql is not null`.execute(db)
  const statement = (type: string): string[] =>
    made.rows.flatMap((row) => (row.type === type ? [row.sql] : []))
  const [table = ''] = statement('table')
  const anew = table
    .replace("outcome in ('done',", "outcome in ('begun', 'done',")
    .replace('audit_entry', 'audit_entry_anew')
  await sql.raw(anew).execute(db)
  await sql`insert into audit_entry_anew select * from audit_entry`.execute(db)
  await sql`drop table audit_entry`.execute(db)
  await sql`alter table audit_entry_anew rename to audit_entry`.execute(db)
  for (const index of statement('index')) await sql.raw(index).execute(db)
}

/** Each step of an order says which act took it. */
async function addReferences(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('cert_order_event').addColumn('reference', 'text').execute()
  await db.schema
    .createIndex('cert_order_event_by_reference')
    .on('cert_order_event')
    .column('reference')
    .where(sql<boolean>`reference is not null`)
    .execute()
}
