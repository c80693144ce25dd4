import { type Kysely, sql } from 'kysely'

/** Work that outlives a request and the process that began it, and its steps. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('sealed_body', 'text', (column) => column.notNull())
    .addColumn('message_channel', 'text')
    .addColumn('message_ts', 'text')
    .addColumn('owner', 'text')
    .addColumn('held_until', 'text')
    .addColumn('wants_stop', 'integer', (column) => column.notNull())
    .addColumn('made_at', 'text', (column) => column.notNull())
    .addColumn('touched_at', 'text', (column) => column.notNull())
    .addCheckConstraint('job_state', sql`state in ('prepared', 'waiting', 'running', 'stopped', 'done')`)
    .execute()
  await db.schema.createIndex('job_by_state').on('job').columns(['state', 'made_at']).execute()
  await db.schema
    .createTable('job_step')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job_id', 'text', (column) => column.notNull().references('job.id').onDelete('cascade'))
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('sealed_body', 'text', (column) => column.notNull())
    .addColumn('begun_at', 'text')
    .addColumn('result', 'text')
    .addUniqueConstraint('job_step_line', ['job_id', 'line'])
    .addCheckConstraint('job_step_state', sql`state in ('ready', 'begun', 'done', 'found', 'refused')`)
    .execute()
  await db.schema
    .createIndex('job_step_by_state')
    .on('job_step')
    .columns(['job_id', 'state', 'line'])
    .execute()
}
