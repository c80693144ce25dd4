import type { Kysely } from 'kysely'

/** When a card, or the reply in its thread, was last tried to be posted without an outcome; and when that is looked into. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['attempted_at', 'look_at'])
    await db.schema.alterTable('watch_card').addColumn(column, 'text').execute()
}
