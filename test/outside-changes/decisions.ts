import { sql } from 'kysely'
import type { Obeyed, Scene } from './scene.ts'

/** A change by someone who has the database but no key, what the app obeys afterwards, and the sentences that report it. */
export interface OutsideChange {
  readonly does: string
  readonly how: (scene: Scene) => Promise<unknown>
  readonly leaves?: Partial<Obeyed>
  readonly says: readonly RegExp[]
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
const NO_OPERATOR = { grants: ['approver *'], reaching: 1, cached: 1 }
const WITHOUT_LIMIT = { days: [0, 30], having: ['T2'], with90: [] }
const forgedRow = (table: string, key: string) =>
  new RegExp(
    `^The row of ${table} with .*${key}.* was not written by this program, or was changed later\\. It’s ignored\\.$`,
  )

export const DECISION_CHANGES: readonly OutsideChange[] = [
  {
    does: 'inserts a grant',
    how: runStatements(
      `insert into role_grant ${GRANT} values
        ('T1', 'admin', 'user', 'U9', 'U1', '2026-01-01T00:00:00.000Z', null, '1 hash', null)`,
    ),
    says: [forgedRow('role_grant', 'workspace_id "T1", role "admin", subject_kind "user", subject_id "U9"')],
  },
  {
    does: 'inserts a grant with another grant’s proof',
    how: runStatements(
      `insert into role_grant ${GRANT} select 'T1', 'admin', 'user', 'U9', ${OTHER_COLUMNS}
        from role_grant where role = 'approver'`,
    ),
    says: [forgedRow('role_grant', 'subject_id "U9"')],
  },
  {
    does: 'raises the role of a grant',
    how: runStatements(`update role_grant set role = 'admin' where subject_id = 'U1'`),
    leaves: NO_OPERATOR,
    says: [
      forgedRow('role_grant', 'role "admin", subject_kind "user", subject_id "U1"'),
      /decided the role "operator user U1", which was deleted$/,
    ],
  },
  {
    does: 'gives a grant to another person',
    how: runStatements(`update role_grant set subject_id = 'U9' where subject_id = 'U1'`),
    leaves: NO_OPERATOR,
    says: [forgedRow('role_grant', 'subject_id "U9"')],
  },
  {
    does: 'removes the end of a grant',
    how: runStatements(`update role_grant set ends_at = null where subject_id = 'U1'`),
    leaves: NO_OPERATOR,
    says: [forgedRow('role_grant', 'subject_id "U1"')],
  },
  {
    does: 'sets a missing end to an empty text',
    how: runStatements(`update role_grant set ends_at = '' where subject_id = '*'`),
    leaves: { grants: ['operator U1'], reaching: 1, cached: 1 },
    says: [forgedRow('role_grant', 'subject_id "\\*"')],
  },
  {
    does: 'changes who gave a grant',
    how: runStatements(`update role_grant set granted_by = 'U9' where subject_id = 'U1'`),
    leaves: NO_OPERATOR,
    says: [forgedRow('role_grant', 'subject_id "U1"')],
  },
  {
    does: 'moves a grant to another workspace',
    how: runStatements(
      `insert into role_grant ${GRANT} select 'T2', role, subject_kind, subject_id, ${OTHER_COLUMNS}
        from role_grant where workspace_id = 'T1'`,
    ),
    says: [
      forgedRow('role_grant', 'workspace_id "T2", role "approver"'),
      forgedRow('role_grant', 'workspace_id "T2", role "operator"'),
    ],
  },
  {
    does: 'restores a revoked role',
    how: restoreRow('role_grant', ({ subject_id }) => subject_id === 'U7'),
    says: [/the role "admin user U7" was inserted, or brought back after it was deleted$/],
  },
  {
    does: 'deletes a role',
    how: runStatements(`delete from role_grant where role = 'approver'`),
    leaves: { grants: ['operator U1'], reaching: 1, cached: 1 },
    says: [/decided the role "approver everyone \*", which was deleted$/],
  },
  {
    does: 'changes a setting',
    how: runStatements(
      `update setting set value = '0.00001' where workspace_id = 'T1' and key = 'audit.kept-days'`,
    ),
    leaves: WITHOUT_LIMIT,
    says: [forgedRow('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    does: 'replaces a setting with that of another workspace',
    how: runStatements(
      `delete from setting where workspace_id = 'T1' and key = 'audit.kept-days'`,
      `insert into setting (workspace_id, key, value, decided_by, sealed_proof)
        select 'T1', key, value, decided_by, sealed_proof from setting where workspace_id = 'T2' and key = 'audit.kept-days'`,
    ),
    leaves: WITHOUT_LIMIT,
    says: [forgedRow('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    does: 'copies a setting to another key',
    how: runStatements(
      `insert into setting (workspace_id, key, value, decided_by, sealed_proof)
        select workspace_id, 'other', value, decided_by, sealed_proof from setting where key = 'audit.kept-days'`,
    ),
    says: [forgedRow('setting', 'workspace_id "T1", key "other"')],
  },
  {
    does: 'removes a proof',
    how: runStatements(`update setting set sealed_proof = null where workspace_id = 'T1'`),
    leaves: WITHOUT_LIMIT,
    says: [forgedRow('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    does: 'restores a former setting',
    how: restoreRow('setting', ({ workspace_id, key }) => workspace_id === 'T1' && key === 'audit.kept-days'),
    leaves: WITHOUT_LIMIT,
    says: [/decided the setting "audit\.kept-days", but an earlier decision is stored: it was rolled back$/],
  },
  {
    does: 'deletes a setting',
    how: runStatements(`delete from setting where workspace_id = 'T1' and key = 'audit.kept-days'`),
    leaves: WITHOUT_LIMIT,
    says: [/decided the setting "audit\.kept-days", which was deleted$/],
  },
  {
    does: 'changes the installer',
    how: runStatements(`update installation set installed_by = 'U9'`),
    leaves: { installedBy: undefined },
    says: [forgedRow('installation', 'id "T1"')],
  },
  {
    does: 'changes who stored a connection',
    how: runStatements(`update connection set user_id = 'U9' where environment = 'ote'`),
    leaves: { connections: ['production'], tokens: ['found', 'SealError'] },
    says: [forgedRow('connection', 'workspace_id "T1", environment "ote"')],
  },
  {
    does: 'copies a token to another environment',
    how: runStatements(
      `update connection set sealed_token = (select sealed_token from connection where environment = 'production')
        where environment = 'ote'`,
    ),
    leaves: { tokens: ['found', 'SealError'] },
    says: [/^What is stored does not open: connection T1 ote$/],
  },
  {
    does: 'removes all proofs',
    how: runStatements(`update role_grant set role = 'admin' where subject_id = 'U1'`, ...NO_PROOFS),
    leaves: {
      installedBy: undefined,
      connections: [],
      tokens: ['SealError', 'SealError'],
      grants: [],
      reaching: 0,
      cached: 0,
      days: [0, 0],
      having: [],
      with90: [],
    },
    says: [
      forgedRow('role_grant', 'role "admin", subject_kind "user", subject_id "U1"'),
      forgedRow('setting', '"T1"'),
      forgedRow('setting', '"T2"'),
    ],
  },
]
