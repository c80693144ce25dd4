import { sql } from 'kysely'
import type { Obeyed, Scene } from './scene.ts'

/** A change by someone with the database but no key: what the app obeys afterwards, and the sentences that report it. */
export interface OutsideChange {
  readonly does: string
  readonly how: (scene: Scene) => Promise<unknown>
  readonly leaves?: Partial<Obeyed>
  readonly says: readonly RegExp[]
}

const run =
  (...statements: string[]) =>
  async ({ raw }: Scene): Promise<void> => {
    for (const one of statements) await sql.raw(one).execute(raw.rows)
  }

const restoreRow =
  (table: 'role_grant' | 'setting', fits: (row: Record<string, unknown>) => boolean) =>
  async ({ raw: { rows }, former }: Scene): Promise<void> => {
    const [row] = (former.get(table) ?? []).filter(fits)
    if (!row) throw new Error('There is no such row.')
    if (table === 'setting')
      await sql`delete from setting where workspace_id = ${row.workspace_id} and key = ${row.key}`.execute(
        rows,
      )
    // The row that was read.
    await rows
      .insertInto(table)
      .values(row as never)
      .execute()
  }

const GRANT =
  '(workspace_id, role, subject_kind, subject_id, granted_by, granted_at, ends_at, decided_by, sealed_proof)'
const REST = 'granted_by, granted_at, ends_at, decided_by, sealed_proof'
const NO_PROOFS = ['connection', 'installation', 'role_grant', 'setting'].map(
  (table) => `update ${table} set sealed_proof = null`,
)
const NO_OPERATOR = { grants: ['approver *'], reaching: 1, cached: 1 }
const WITHOUT_LIMIT = { days: [0, 30], having: ['T2'], with90: [] }
const forged = (table: string, key: string) =>
  new RegExp(
    `^The row of ${table} with .*${key}.* was not written by this program, or was changed later\\. It’s ignored\\.$`,
  )

export const DECISION_CHANGES: readonly OutsideChange[] = [
  {
    does: 'puts in a grant',
    how: run(
      `insert into role_grant ${GRANT} values
        ('T1', 'admin', 'user', 'U9', 'U1', '2026-01-01T00:00:00.000Z', null, '1 hash', null)`,
    ),
    says: [forged('role_grant', 'workspace_id "T1", role "admin", subject_kind "user", subject_id "U9"')],
  },
  {
    does: 'puts in a grant with the proof of another one',
    how: run(
      `insert into role_grant ${GRANT} select 'T1', 'admin', 'user', 'U9', ${REST}
        from role_grant where role = 'approver'`,
    ),
    says: [forged('role_grant', 'subject_id "U9"')],
  },
  {
    does: 'makes a grant a higher one',
    how: run(`update role_grant set role = 'admin' where subject_id = 'U1'`),
    leaves: NO_OPERATOR,
    says: [
      forged('role_grant', 'role "admin", subject_kind "user", subject_id "U1"'),
      /decided the role "operator user U1", which was deleted$/,
    ],
  },
  {
    does: 'gives a grant to another person',
    how: run(`update role_grant set subject_id = 'U9' where subject_id = 'U1'`),
    leaves: NO_OPERATOR,
    says: [forged('role_grant', 'subject_id "U9"')],
  },
  {
    does: 'takes the end from a grant',
    how: run(`update role_grant set ends_at = null where subject_id = 'U1'`),
    leaves: NO_OPERATOR,
    says: [forged('role_grant', 'subject_id "U1"')],
  },
  {
    does: 'changes an end that there was none of to an empty one',
    how: run(`update role_grant set ends_at = '' where subject_id = '*'`),
    leaves: { grants: ['operator U1'], reaching: 1, cached: 1 },
    says: [forged('role_grant', 'subject_id "\\*"')],
  },
  {
    does: 'gives a grant another giver',
    how: run(`update role_grant set granted_by = 'U9' where subject_id = 'U1'`),
    leaves: NO_OPERATOR,
    says: [forged('role_grant', 'subject_id "U1"')],
  },
  {
    does: 'moves a grant to another workspace',
    how: run(
      `insert into role_grant ${GRANT} select 'T2', role, subject_kind, subject_id, ${REST}
        from role_grant where workspace_id = 'T1'`,
    ),
    says: [
      forged('role_grant', 'workspace_id "T2", role "approver"'),
      forged('role_grant', 'workspace_id "T2", role "operator"'),
    ],
  },
  {
    does: 'puts a role back that was taken',
    how: restoreRow('role_grant', ({ subject_id }) => subject_id === 'U7'),
    says: [/the role "admin user U7" was inserted, or brought back after it was deleted$/],
  },
  {
    does: 'takes a role away',
    how: run(`delete from role_grant where role = 'approver'`),
    leaves: { grants: ['operator U1'], reaching: 1, cached: 1 },
    says: [/decided the role "approver everyone \*", which was deleted$/],
  },
  {
    does: 'changes a setting',
    how: run(`update setting set value = '0.00001' where workspace_id = 'T1' and key = 'audit.kept-days'`),
    leaves: WITHOUT_LIMIT,
    says: [forged('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    does: 'puts the setting of another workspace in',
    how: run(
      `delete from setting where workspace_id = 'T1' and key = 'audit.kept-days'`,
      `insert into setting (workspace_id, key, value, decided_by, sealed_proof)
        select 'T1', key, value, decided_by, sealed_proof from setting where workspace_id = 'T2' and key = 'audit.kept-days'`,
    ),
    leaves: WITHOUT_LIMIT,
    says: [forged('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    does: 'puts a setting of another key in',
    how: run(
      `insert into setting (workspace_id, key, value, decided_by, sealed_proof)
        select workspace_id, 'other', value, decided_by, sealed_proof from setting where key = 'audit.kept-days'`,
    ),
    says: [forged('setting', 'workspace_id "T1", key "other"')],
  },
  {
    does: 'takes a proof away',
    how: run(`update setting set sealed_proof = null where workspace_id = 'T1'`),
    leaves: WITHOUT_LIMIT,
    says: [forged('setting', 'workspace_id "T1", key "audit.kept-days"')],
  },
  {
    does: 'puts a setting back',
    how: restoreRow('setting', ({ workspace_id, key }) => workspace_id === 'T1' && key === 'audit.kept-days'),
    leaves: WITHOUT_LIMIT,
    says: [/decided the setting "audit\.kept-days", but an earlier decision is stored: it was rolled back$/],
  },
  {
    does: 'deletes a setting',
    how: run(`delete from setting where workspace_id = 'T1' and key = 'audit.kept-days'`),
    leaves: WITHOUT_LIMIT,
    says: [/decided the setting "audit\.kept-days", which was deleted$/],
  },
  {
    does: 'makes somebody else the installer',
    how: run(`update installation set installed_by = 'U9'`),
    leaves: { installedBy: undefined },
    says: [forged('installation', 'id "T1"')],
  },
  {
    does: 'gives a connection another person who stored it',
    how: run(`update connection set user_id = 'U9' where environment = 'ote'`),
    leaves: { connections: ['production'], tokens: ['found', 'SealError'] },
    says: [forged('connection', 'workspace_id "T1", environment "ote"')],
  },
  {
    does: 'puts the token of one environment in place of another one’s',
    how: run(
      `update connection set sealed_token = (select sealed_token from connection where environment = 'production')
        where environment = 'ote'`,
    ),
    leaves: { tokens: ['found', 'SealError'] },
    says: [/^What is stored does not open: connection T1 ote$/],
  },
  {
    does: 'takes all proofs away',
    how: run(`update role_grant set role = 'admin' where subject_id = 'U1'`, ...NO_PROOFS),
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
      forged('role_grant', 'role "admin", subject_kind "user", subject_id "U1"'),
      forged('setting', '"T1"'),
      forged('setting', '"T2"'),
    ],
  },
]
