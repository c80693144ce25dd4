import { type Kysely, sql } from 'kysely'

/** Indexes for long tables: whatever is asked, a statement looks at what it gives, or at an index only. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The columns behind the sequence are looked at in the index: most rows that a search passes over are never read.
  await db.schema
    .createIndex('audit_entry_by_sequence')
    .on('audit_entry')
    .columns(['workspace_id', 'sequence', 'verb', 'at'])
    .execute()
  await db.schema.dropIndex('audit_entry_by_user').execute()
  await db.schema
    .createIndex('audit_entry_by_user')
    .on('audit_entry')
    .columns(['workspace_id', 'user_id', 'sequence', 'verb', 'at'])
    .execute()
  await db.schema
    .createIndex('cert_order_by_number')
    .on('cert_order')
    .columns(['workspace_id', 'number', 'environment', 'state', 'requester_id'])
    .execute()
  await db.schema.dropIndex('cert_order_by_state').execute()
  await db.schema
    .createIndex('cert_order_by_state')
    .on('cert_order')
    .columns(['workspace_id', 'state', 'number', 'environment', 'requester_id'])
    .execute()
  await db.schema
    .createIndex('cert_order_by_requester')
    .on('cert_order')
    .columns(['workspace_id', 'requester_id', 'number', 'environment', 'state'])
    .execute()
  // The id is the service's, of any length: PostgreSQL refuses a row whose index entry is longer than 2,704 bytes.
  await db.schema
    .createIndex('cert_order_by_certificate')
    .on('cert_order')
    .expression(sql`workspace_id, substr(certificate_id, 1, 100), number`)
    .execute()
  await db.schema.createIndex('setting_by_key').on('setting').columns(['key', 'workspace_id']).execute()
}
