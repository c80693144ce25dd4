import { type Kysely, sql } from 'kysely'

/** Installations, roles and settings of workspaces, and the way to a workspace's drafts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('installation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('enterprise_id', 'text')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('sealed_token', 'text', (column) => column.notNull())
    .addColumn('bot_user_id', 'text', (column) => column.notNull())
    .addColumn('app_id', 'text')
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('installed_by', 'text', (column) => column.notNull())
    .addColumn('installed_at', 'text', (column) => column.notNull())
    .addCheckConstraint('installation_kind', sql`kind in ('workspace', 'organization')`)
    .execute()
  await db.schema
    .createTable('role_grant')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('subject_kind', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('granted_by', 'text', (column) => column.notNull())
    .addColumn('granted_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('role_grant_key', ['workspace_id', 'role', 'subject_kind', 'subject_id'])
    .addCheckConstraint('role_grant_role', sql`role in ('operator', 'approver', 'admin')`)
    .addCheckConstraint('role_grant_subject', sql`subject_kind in ('user', 'group', 'everyone')`)
    .execute()
  await db.schema
    .createTable('setting')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('setting_key', ['workspace_id', 'key'])
    .execute()
  await db.schema.createIndex('draft_by_workspace').on('draft').column('workspace_id').execute()
}
