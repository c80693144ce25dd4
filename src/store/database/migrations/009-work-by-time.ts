import type { Kysely } from 'kysely'

/** What is due is found without a look at what is not: each order that waits has a reminder months ahead. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('work_by_time')
    .on('work')
    .columns(['state', 'due_at', 'workspace_id', 'kind'])
    .execute()
}
