/** One column that holds sealed text: the columns that name its row, and for what row the text is sealed. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly key: readonly string[]
  /** The columns of its identity. */
  readonly named: readonly string[]
  /** The first part of its identity, before them. */
  readonly label: string
  /** In SQL, the workspace whose key seals it; undefined for what the encryption keys themselves seal. */
  readonly owner: string | undefined
  /** True where rows stay when the workspace is forgotten, or where a new installation may write them meanwhile. */
  readonly outlasts: boolean
}

const WORKSPACE = 'workspace_id'
const OF_ITS_WORK = `(select w.workspace_id from work w where w.id = work_step.work_id)`

/**
 * Every sealed column. A test compares this with the tables; check values are no content, and are left out. The encryption keys
 * themselves seal the ends of the audit log: these hold no content, and outlast the workspace.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  sealed('workspace_key', 'sealed_key', ['id'], { named: ['workspace_id', 'purpose', 'id'] }),
  sealed('installation', 'sealed_token', ['id'], { owner: 'id', outlasts: true }),
  sealed('connection', 'sealed_token', ['workspace_id', 'environment'], { owner: WORKSPACE, outlasts: true }),
  sealed('ephemeral_state', 'sealed_body', ['id'], { named: ['workspace_id', 'id'], owner: WORKSPACE }),
  sealed('cert_order', 'sealed_content', ['id'], {
    named: ['workspace_id', 'id'],
    owner: WORKSPACE,
    outlasts: true,
  }),
  sealed('work', 'sealed_body', ['id'], { named: ['workspace_id', 'id'], label: 'job', owner: WORKSPACE }),
  sealed('work_step', 'sealed_body', ['id'], { label: 'job_step', owner: OF_ITS_WORK }),
  sealed('work_step', 'sealed_result', ['id'], { label: 'work_step_result', owner: OF_ITS_WORK }),
  sealed('threat_salt', 'sealed_salt', ['workspace_id'], { owner: WORKSPACE }),
  sealed('threat_seen', 'sealed_about', ['id'], { named: ['workspace_id', 'id'], owner: WORKSPACE }),
  sealed('threat_case', 'sealed_about', ['id'], { named: ['workspace_id', 'id'], owner: WORKSPACE }),
  sealed('takedown_watch', 'sealed_state', ['id'], { named: ['workspace_id', 'id'], owner: WORKSPACE }),
  sealed('audit_chain', 'sealed_head', ['workspace_id']),
  sealed('audit_entry', 'sealed_erasure', ['workspace_id', 'sequence']),
]

/** The identity is the table and then what names the row, unless `label` says otherwise. */
function sealed(
  table: string,
  column: string,
  key: readonly string[],
  {
    named = key,
    label = table,
    owner,
    outlasts = false,
  }: Partial<Pick<SealedColumn, 'named' | 'label' | 'owner' | 'outlasts'>> = {},
): SealedColumn {
  return { table, column, key, named, label, owner, outlasts }
}
