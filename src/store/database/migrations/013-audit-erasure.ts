import type { Kysely } from 'kysely'

/**
 * A row of the audit log gets a salt, without which its hash tells nothing of what was erased from it, and room for the sealed
 * word that something was.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('audit_entry').addColumn('salt', 'text').execute()
  await db.schema.alterTable('audit_entry').addColumn('sealed_erasure', 'text').execute()
}
