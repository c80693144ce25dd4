import type { KeyPurpose } from '../database/schema.ts'
import type { StoredTable } from '../database/tables.ts'

/** Of rows that say whose they are in another way than by a column `workspace_id`. */
const OTHERWISE: Readonly<Record<string, string>> = {
  installation: 'id',
  cert_order_event: '(select o.workspace_id from cert_order o where o.id = cert_order_event.order_id)',
  work_step: '(select w.workspace_id from work w where w.id = work_step.work_id)',
  watch_card_outage: '(select c.workspace_id from watch_card c where c.id = watch_card_outage.card_id)',
}

/** Tables whose rows belong to no workspace, and say nothing of one. */
export const OF_NO_WORKSPACE: ReadonlySet<string> = new Set([
  'cert_order_move',
  'idempotency_key',
  'key_check',
  'migration',
  'process',
  'threat_case_move',
])

/** What stays of a workspace that takes the app out: a later installation finds it, and so does a restore. */
const OUTLASTS_FORGETTING: ReadonlySet<string> = new Set([
  'audit_chain',
  'audit_entry',
  'channel',
  'role_grant',
  'setting',
])

/** Which of a workspace's keys seals its rows of the table in backups: the one that is destroyed when they are deleted. */
export const purposeOf = (table: string): KeyPurpose => (OUTLASTS_FORGETTING.has(table) ? 'rows' : 'content')

/** Kept apart from backups: whoever has it and the encryption keys opens all of them. */
export const WORKSPACE_KEYS = 'workspace_key'

/** In SQL, the workspace (or organization) that a row of the table belongs to; undefined where none does. */
export function ownerOf({ name, columns }: Pick<StoredTable, 'name' | 'columns'>): string | undefined {
  return OTHERWISE[name] ?? (columns.includes('workspace_id') ? 'workspace_id' : undefined)
}
