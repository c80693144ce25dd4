import { sql } from 'kysely'
import type { EffectiveState, Scene } from './scene.ts'

/** A change to the database by someone who has access to it, but no encryption key. */
export interface OutsideChange {
  readonly name: string
  readonly apply: (scene: Scene) => Promise<unknown>
  /** How the change affects the app. By default, the app ignores it. */
  readonly effects?: Partial<EffectiveState>
  /** Matches the lines that report the change. */
  readonly reports: readonly RegExp[]
}

const runStatements =
  (...statements: string[]) =>
  async ({ raw }: Scene): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(raw.rows)
  }

const restoreRow =
  (table: 'role_grant' | 'setting', matches: (row: Record<string, unknown>) => boolean) =>
  async ({ raw: { rows }, former }: Scene): Promise<void> => {
    const [row] = (former.get(table) ?? []).filter(matches)
    if (!row) throw new Error('There is no such row.')
    if (table === 'setting')
      await sql`delete from setting where workspace_id = ${row.workspace_id} and key = ${row.key}`.execute(
        rows,
      )
    // Cast, because the row was read from this table.
    await rows
      .insertInto(table)
      .values(row as never)
      .execute()
  }

const GRANT =
  '(workspace_id, role, subject_kind, subject_id, granted_by, granted_at, ends_at, decided_by, sealed_proof)'
const OTHER_COLUMNS = 'granted_by, granted_at, ends_at, decided_by, sealed_proof'
const NO_PROOFS = ['connection', 'installation', 'role_grant', 'setting'].map(
  (table) => `update ${table} set sealed_proof = null`,
)
const NO_OPERATOR = { grants: ['approver *'], grantsOfU1: 1, cachedGrants: 1 }
const WITHOUT_LIMIT = { retentionDays: [0, 30], workspacesWithRetention: ['T2'], workspacesWith90Days: [] }
const forgedRow = (table: string, key: string) =>
  new RegExp(
    `^The row of ${table} with .*${key}.* was not written by this program, or was changed later\\. It’s ignored\\.$`,
  )

export const DECISION_CHANGES: readonly OutsideChange[] = [
  {
    name: 'inserts a grant',
    apply: runStatements(
      `insert into role_grant ${GRANT} values
        ('T1', 'admin', 'user', 'U9', 'U1', '2026-01-01T00:00:00.000Z', null, '1 hash', null)`,
    ),
    reports: [
      forgedRow('role_grant', 'workspace_id "T1", role "admin", subject_kind "user", subject_id "U9"'),
    ],
  },
  {
    name: 'inserts a grant with another grant’s proof',
    apply: runStatements(
      `insert into role_grant ${GRANT} select 'T1', 'admin', 'user', 'U9', ${OTHER_COLUMNS}
        from role_grant where role = 'approver'`,
    ),
    reports: [forgedRow('role_grant', 'subject_id "U9"')],
  },
  {
    name: 'raises the role of a grant',
    apply: runStatements(`update role_grant set role = 'admin' where subject_id = 'U1'`),
    effects: NO_OPERATOR,
    reports: [
      forgedRow('role_grant', 'role "admin", subject_kind "user", subject_id "U1"'),
      /decided the role "operator user U1", which was deleted$/,
    ],
  },
  {
    name: 'gives a grant to another person',
    apply: runStatements(`update role_grant set subject_id = 'U9' where subject_id = 'U1'`),
    effects: NO_OPERATOR,
    reports: [forgedRow('role_grant', 'subject_id "U9"')],
  },
  {
    name: 'removes the end of a grant',
    apply: runStatements(`update role_grant set ends_at = null where subject_id = 'U1'`),
    effects: NO_OPERATOR,
    reports: [forgedRow('role_grant', 'subject_id "U1"')],
  },
  {
    name: 'sets a missing end to an empty text',
    apply: runStatements(`update role_grant set ends_at = '' where subject_id = '*'`),
    effects: { grants: ['operator U1'], grantsOfU1: 1, cachedGrants: 1 },
    reports: [forgedRow('role_grant', 'subject_id "\\*"')],
  },
  {
    name: 'changes who gave a grant',
    apply: runStatements(`update role_grant set granted_by = 'U9' where subject_id = 'U1'`),
    effects: NO_OPERATOR,
    reports: [forgedRow('role_grant', 'subject_id "U1"')],
  },
  {
    name: 'moves a grant to another workspace',
    apply: runStatements(
      `insert into role_grant ${GRANT} select 'T2', role, subject_kind, subject_id, ${OTHER_COLUMNS}
        from role_grant where workspace_id = 'T1'`,
    ),
    reports: [
      forgedRow('role_grant', 'workspace_id "T2", role "approver"'),
      forgedRow('role_grant', 'workspace_id "T2", role "operator"'),
    ],
  },
  {
    name: 'restores a revoked role',
    apply: restoreRow('role_grant', ({ subject_id }) => subject_id === 'U7'),
    reports: [/the role "admin user U7" was inserted, or brought back after it was deleted$/],
  },
  {
    name: 'deletes a role',
    apply: runStatements(`delete from role_grant where role = 'approver'`),
    effects: { grants: ['operator U1'], grantsOfU1: 1, cachedGrants: 1 },
    reports: [/decided the role "approver everyone \*", which was deleted$/],
  },
  {
    name: 'changes a setting',
    apply: runStatements(
      `update setting set value = '0.00001' where workspace_id = 'T1' and key = 'audit.kept-days'`,
    ),
    effects: WITHOUT_LIMIT,
    reports: [forgedRow('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    name: 'replaces a setting with that of another workspace',
    apply: runStatements(
      `delete from setting where workspace_id = 'T1' and key = 'audit.kept-days'`,
      `insert into setting (workspace_id, key, value, decided_by, sealed_proof)
        select 'T1', key, value, decided_by, sealed_proof from setting where workspace_id = 'T2' and key = 'audit.kept-days'`,
    ),
    effects: WITHOUT_LIMIT,
    reports: [forgedRow('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    name: 'copies a setting to another key',
    apply: runStatements(
      `insert into setting (workspace_id, key, value, decided_by, sealed_proof)
        select workspace_id, 'other', value, decided_by, sealed_proof from setting where key = 'audit.kept-days'`,
    ),
    reports: [forgedRow('setting', 'workspace_id "T1", key "other"')],
  },
  {
    name: 'removes a proof',
    apply: runStatements(`update setting set sealed_proof = null where workspace_id = 'T1'`),
    effects: WITHOUT_LIMIT,
    reports: [forgedRow('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    name: 'restores a former setting',
    apply: restoreRow(
      'setting',
      ({ workspace_id, key }) => workspace_id === 'T1' && key === 'audit.kept-days',
    ),
    effects: WITHOUT_LIMIT,
    reports: [
      /decided the setting "audit\.kept-days", but an earlier decision is stored: it was rolled back$/,
    ],
  },
  {
    name: 'deletes a setting',
    apply: runStatements(`delete from setting where workspace_id = 'T1' and key = 'audit.kept-days'`),
    effects: WITHOUT_LIMIT,
    reports: [/decided the setting "audit\.kept-days", which was deleted$/],
  },
  {
    name: 'changes the installer',
    apply: runStatements(`update installation set installed_by = 'U9'`),
    effects: { installedBy: undefined },
    reports: [forgedRow('installation', 'id "T1"')],
  },
  {
    name: 'changes who stored a connection',
    apply: runStatements(`update connection set user_id = 'U9' where environment = 'ote'`),
    effects: { connections: ['production'], tokens: ['found', 'SealError'] },
    reports: [forgedRow('connection', 'workspace_id "T1", environment "ote"')],
  },
  {
    name: 'copies a token to another environment',
    apply: runStatements(
      `update connection set sealed_token = (select sealed_token from connection where environment = 'production')
        where environment = 'ote'`,
    ),
    effects: { tokens: ['found', 'SealError'] },
    reports: [/^What is stored does not open: connection T1 ote$/],
  },
  {
    name: 'removes all proofs',
    apply: runStatements(`update role_grant set role = 'admin' where subject_id = 'U1'`, ...NO_PROOFS),
    effects: {
      installedBy: undefined,
      connections: [],
      tokens: ['SealError', 'SealError'],
      grants: [],
      grantsOfU1: 0,
      cachedGrants: 0,
      retentionDays: [0, 0],
      workspacesWithRetention: [],
      workspacesWith90Days: [],
    },
    reports: [
      forgedRow('role_grant', 'role "admin", subject_kind "user", subject_id "U1"'),
      forgedRow('setting', '"T1"'),
      forgedRow('setting', '"T2"'),
    ],
  },
]
