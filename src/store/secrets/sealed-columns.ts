/** One column that holds sealed text: the columns that name its row, and for what row the text is sealed. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly key: readonly string[]
  /** The columns of its identity. */
  readonly named: readonly string[]
  /** What stands in front of them in its identity. */
  readonly label: string
}

/** Every one in the database. A test holds it against the tables; check values are no content, and are not in it. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  sealed('installation', 'sealed_token', ['id']),
  sealed('connection', 'sealed_token', ['workspace_id', 'environment']),
  sealed('ephemeral_state', 'sealed_body', ['id'], ['workspace_id', 'id']),
  sealed('cert_order', 'sealed_content', ['id'], ['workspace_id', 'id']),
  sealed('work', 'sealed_body', ['id'], ['workspace_id', 'id'], 'job'),
  sealed('work_step', 'sealed_body', ['id'], ['id'], 'job_step'),
  sealed('work_step', 'sealed_result', ['id'], ['id'], 'work_step_result'),
  sealed('threat_salt', 'sealed_salt', ['workspace_id']),
  sealed('threat_seen', 'sealed_about', ['id'], ['workspace_id', 'id']),
  sealed('threat_case', 'sealed_about', ['id'], ['workspace_id', 'id']),
  sealed('audit_chain', 'sealed_head', ['workspace_id']),
  sealed('audit_entry', 'sealed_erasure', ['workspace_id', 'sequence']),
]

/** The identity is the table and what names the row, in that order, unless it says more. */
function sealed(
  table: string,
  column: string,
  key: readonly string[],
  named: readonly string[] = key,
  label: string = table,
): SealedColumn {
  return { table, column, key, named, label }
}
