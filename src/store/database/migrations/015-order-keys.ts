import type { Kysely } from 'kysely'

/** By which key orders were asked for, so that the same key is found again. Of earlier orders it is not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('cert_order').addColumn('key_hash', 'text').execute()
  await db.schema
    .createIndex('cert_order_by_key')
    .on('cert_order')
    .columns(['workspace_id', 'key_hash', 'number'])
    .execute()
}
