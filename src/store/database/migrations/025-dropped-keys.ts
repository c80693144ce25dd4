import type { Kysely } from 'kysely'

/** When a key of a workspace was destroyed because another one had replaced it, and not because the workspace was forgotten. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('workspace_key').addColumn('dropped_at', 'text').execute()
}
