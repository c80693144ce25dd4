import type { KeyPurpose } from '../database/schema.ts'
import type { StoredTable } from '../database/tables.ts'

/** SQL for the owner of rows in tables without a column `workspace_id`. */
const OTHERWISE: Readonly<Record<string, string>> = {
  installation: 'id',
  cert_order_event: '(select o.workspace_id from cert_order o where o.id = cert_order_event.order_id)',
  work_step: '(select w.workspace_id from work w where w.id = work_step.work_id)',
  watch_card_outage: '(select c.workspace_id from watch_card c where c.id = watch_card_outage.card_id)',
}

/** Tables whose rows belong to no workspace and tell nothing of one. */
export const OF_NO_WORKSPACE: ReadonlySet<string> = new Set([
  'cert_order_move',
  'idempotency_key',
  'key_check',
  'migration',
  'process',
  'threat_case_move',
])

/** Tables that keep the rows of a forgotten workspace: a later installation and a restore find them. */
const OUTLASTS_FORGETTING: ReadonlySet<string> = new Set([
  'audit_chain',
  'audit_entry',
  'channel',
  'role_grant',
  'setting',
])

/** The purpose of the key that seals a workspace's rows of a table in backups: the key that is destroyed when they are deleted. */
export const purposeOf = (table: string): KeyPurpose => (OUTLASTS_FORGETTING.has(table) ? 'rows' : 'content')

/** Not part of backups: with this table and the encryption keys, all of them can be opened. */
export const WORKSPACE_KEYS = 'workspace_key'

/** SQL for the workspace (or organization) of a row; undefined for a table whose rows have none. */
export function ownerOf({ name, columns }: Pick<StoredTable, 'name' | 'columns'>): string | undefined {
  return OTHERWISE[name] ?? (columns.includes('workspace_id') ? 'workspace_id' : undefined)
}
