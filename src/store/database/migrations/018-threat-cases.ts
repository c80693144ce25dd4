import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * What is done about threat events, and where their cards were shared. The database itself refuses a step that the table of
 * case states does not name; the rows of `threat_case_move` are put there at each start (state-guards.ts).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('threat_case')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('enterprise_id', 'text')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('holder_id', 'text')
    .addColumn('severity', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('opened_at', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text')
    .addColumn('message_ts', 'text')
    .addColumn('thread_ts', 'text')
    .addColumn('shown_version', 'integer', (column) => column.notNull())
    .addColumn('told_version', 'integer', (column) => column.notNull())
    .addColumn('sealed_about', 'text', (column) => column.notNull())
    .addUniqueConstraint('threat_case_event', ['workspace_id', 'environment', 'event_id'])
    .addCheckConstraint('threat_case_environment', sql`environment in ('production', 'ote')`)
    .addCheckConstraint(
      'threat_case_state',
      sql`state in ('open', 'taken', 'takedown-sent', 'down', 'false-positive')`,
    )
    .addCheckConstraint('threat_case_holder', sql`(state <> 'taken' or holder_id is not null)`)
    .execute()
  await makeIndexes(db)
  await db.schema
    .createTable('threat_case_move')
    .addColumn('from_state', 'text', (column) => column.notNull())
    .addColumn('to_state', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('threat_case_move_key', ['from_state', 'to_state'])
    .execute()
  if (db.getExecutor().adapter instanceof PostgresAdapter) await guardPostgres(db)
  else await guardSqlite(db)
  await makeShares(db)
}

/** For the queue, the worst and oldest first; for what somebody has; and for the sweep. */
async function makeIndexes(db: Kysely<unknown>): Promise<void> {
  const order = ['severity', 'opened_at', 'id'] as const
  await db.schema
    .createIndex('threat_case_queue')
    .on('threat_case')
    .columns(['workspace_id', 'environment', ...order])
    .where(sql<boolean>`state in ('open', 'taken', 'takedown-sent')`)
    .execute()
  await db.schema
    .createIndex('threat_case_by_state')
    .on('threat_case')
    .columns(['workspace_id', 'environment', 'state', ...order])
    .execute()
  await db.schema
    .createIndex('threat_case_by_holder')
    .on('threat_case')
    .columns(['workspace_id', 'holder_id', 'environment', 'state', ...order])
    .execute()
  await db.schema
    .createIndex('threat_case_held')
    .on('threat_case')
    .columns(['workspace_id', 'holder_id', 'environment', ...order])
    .where(sql<boolean>`state in ('open', 'taken', 'takedown-sent')`)
    .execute()
  await db.schema
    .createIndex('threat_case_by_change')
    .on('threat_case')
    .columns(['state', 'changed_at'])
    .execute()
}

async function guardPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function threat_case_guard() returns trigger language plpgsql as
    $$ begin
      if not exists (
        select 1 from threat_case_move
        where from_state = old.state and to_state = new.state
      ) then raise exception 'no such step of a threat case'; end if;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger threat_case_guard before update of state on threat_case
    for each row execute function threat_case_guard()`.execute(db)
}

async function guardSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger threat_case_guard before update of state on threat_case
    when not exists (select 1 from threat_case_move where from_state = old.state and to_state = new.state)
    begin select raise(abort, 'no such step of a threat case'); end`.execute(db)
}

async function makeShares(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('threat_share')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('message_ts', 'text', (column) => column.notNull())
    .addColumn('thread_ts', 'text')
    .addColumn('shared_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('threat_share_key', ['workspace_id', 'environment', 'event_id'])
    .execute()
  await db.schema.createIndex('threat_share_by_age').on('threat_share').column('shared_at').execute()
}
