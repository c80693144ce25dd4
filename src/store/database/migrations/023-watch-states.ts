import type { Kysely } from 'kysely'

/** What changes with every write of a scope's states: while it stays, they need not be read again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('watch_poll').addColumn('states_mark', 'text').execute()
}
