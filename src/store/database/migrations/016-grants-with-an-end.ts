import type { Kysely } from 'kysely'

/** A role may be given for a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('role_grant').addColumn('ends_at', 'text').execute()
}
