import type { Kysely } from 'kysely'

/** The key that an order was requested with, so that the same key is found again; unknown for earlier orders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('cert_order').addColumn('key_hash', 'text').execute()
  await db.schema
    .createIndex('cert_order_by_key')
    .on('cert_order')
    .columns(['workspace_id', 'key_hash', 'number'])
    .execute()
}
