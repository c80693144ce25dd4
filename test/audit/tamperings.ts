import { hashRow } from '../../packages/durable/src/audit/row.ts'
import type { Database } from '../../packages/durable/src/database/database.ts'
import type { AuditChainRow, AuditEntryRow, SettingRow } from '../../packages/durable/src/database/schema.ts'
import type { RoleGrantRow } from '../../src/bot/workspaces/tables.ts'

/** The tables that someone with access to the database but without a key can change. */
export interface Tables {
  audit_entry: AuditEntryRow[]
  audit_chain: AuditChainRow[]
  setting: SettingRow[]
  role_grant: RoleGrantRow[]
}

const NAMES = ['audit_entry', 'audit_chain', 'setting', 'role_grant'] as const

export async function readTables({ rows }: Database): Promise<Tables> {
  const found: Record<string, unknown[]> = {}
  for (const name of NAMES) found[name] = await rows.selectFrom(name).selectAll().execute()
  const tables = found as unknown as Tables
  tables.audit_entry.sort((a, b) => a.sequence - b.sequence)
  return tables
}

/** The tables of a database that is opened only meanwhile, because a restore needs it for itself. */
export async function readAll(world: { openRaw(): Promise<Database> }): Promise<Tables> {
  await using raw = await world.openRaw()
  return await readTables(raw)
}

export async function writeTables({ rows }: Database, tables: Tables): Promise<void> {
  for (const name of NAMES) {
    await rows.deleteFrom(name).execute()
    const tableRows = tables[name]
    if (tableRows.length > 0)
      await rows
        .insertInto(name)
        .values(tableRows as never)
        .execute()
  }
}

/** Changes the tables. Returns a pattern for the fault that must be reported, or undefined if there was nothing to change. */
export type Tampering = (now: Tables, former: Tables) => RegExp | undefined

const WORKSPACE = 'T1'
const ROW_FAULTS =
  /was changed|doesn’t follow|was deleted|inserted|doesn’t match the sealed end|rolled back|rows should be erased/

/** Creates a tampering that changes the audit rows of T1. It is skipped if there are fewer than `minRows`. */
const changeRows =
  (
    minRows: number,
    change: (rows: AuditEntryRow[], now: Tables) => unknown,
    expected = ROW_FAULTS,
  ): Tampering =>
  (now) => {
    const rowsOfT1 = now.audit_entry.filter((row) => row.workspace_id === WORKSPACE)
    if (rowsOfT1.length < minRows) return undefined
    const before = JSON.stringify(rowsOfT1)
    const result = change(rowsOfT1, now)
    if (result === false) return undefined
    now.audit_entry = [...now.audit_entry.filter((row) => row.workspace_id !== WORKSPACE), ...rowsOfT1]
    return JSON.stringify(rowsOfT1) === before ? undefined : expected
  }

function rebuildChain(rows: AuditEntryRow[], from: number): void {
  for (const [index, row] of rows.entries()) {
    if (index < from) continue
    const before = rows[index - 1]
    if (before) row.previous_hash = before.hash
    if (row.sealed_erasure === null) row.hash = hashRow(row)
  }
}

const middleIndex = (rows: readonly unknown[]): number => Math.floor(rows.length / 2)
const lastIndex = (rows: readonly unknown[]): number => rows.length - 1
const edit = (findIndex: (rows: readonly unknown[]) => number, change: Partial<AuditEntryRow>) =>
  changeRows(
    1,
    (rows) => void Object.assign(rows[findIndex(rows)] ?? {}, change),
    /was changed|doesn’t follow|its content is still there/,
  )

const findChain = (tables: Tables, id = WORKSPACE) =>
  tables.audit_chain.find((row) => row.workspace_id === id)
const changeHead =
  (change: (now: Tables, former: Tables) => unknown, expected: RegExp): Tampering =>
  (now, former) => {
    const before = JSON.stringify(now.audit_chain)
    change(now, former)
    return JSON.stringify(now.audit_chain) === before ? undefined : expected
  }

const filterWorkspace = <Row extends { workspace_id: string }>(rows: readonly Row[]): Row[] =>
  rows.filter((row) => row.workspace_id === WORKSPACE)
const RETENTION_KEY = 'audit.kept-days'
const isRetentionSetting = (row: SettingRow) => row.workspace_id === WORKSPACE && row.key === RETENTION_KEY

export const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'edits the verb of a row': edit(middleIndex, { verb: 'nothing' }),
  'edits who did it': edit(() => 0, { user_id: 'U9' }),
  'edits the time of a row': edit(middleIndex, { at: '2020-01-01T00:00:00.000Z' }),
  'edits what a row is about': edit(() => 0, { object: 'something else' }),
  'edits the new value': edit(middleIndex, { after: '{}' }),
  'edits the outcome': edit(middleIndex, { outcome: 'refused' }),
  'edits the reference': edit(lastIndex, { reference: 'other' }),
  'edits the channel': edit(lastIndex, { channel_id: 'C9' }),
  'edits the home of the person': edit(lastIndex, { team_id: 'T9' }),
  'edits the former value': edit(lastIndex, { before: '{"edited":true}' }),
  'edits the salt': edit(lastIndex, { salt: 'A'.repeat(22) }),
  'gives a row another number': changeRows(1, (rows) => {
    const row = rows.at(-1)
    if (row) row.sequence += 5
  }),
  'gives a row to another workspace': (now) => {
    const row = now.audit_entry.findLast(({ workspace_id }) => workspace_id === WORKSPACE)
    if (!row) return undefined
    row.workspace_id = 'T2'
    row.sequence += 1000
    return /was deleted/
  },
  'edits a stored hash': edit(middleIndex, { hash: 'A'.repeat(43) }),
  'edits the stored hash of the previous row': edit(middleIndex, { previous_hash: 'A'.repeat(43) }),
  'marks a row as erased': edit(middleIndex, { sealed_erasure: 'v1.a.AAAA' }),
  'edits a row and updates its hash': changeRows(2, (rows) => {
    const row = rows[0]
    if (!row) return
    row.verb = 'nothing'
    row.hash = hashRow(row)
  }),
  'edits a row and recomputes all later hashes': changeRows(2, (rows) => {
    if (rows.some(({ sealed_erasure }) => sealed_erasure !== null)) return false
    Object.assign(rows[0] ?? {}, { user_id: 'U9' })
    rebuildChain(rows, 0)
    return true
  }),
  'deletes a row': changeRows(3, (rows) => rows.splice(middleIndex(rows), 1), /was deleted/),
  'deletes the first row': changeRows(2, (rows) => rows.splice(0, 1), /was deleted/),
  'deletes the last row': changeRows(1, (rows) => rows.pop(), /was deleted/),
  'deletes all rows': changeRows(1, (rows) => rows.splice(0), /was deleted/),
  'deletes a row and closes the gap': changeRows(3, (rows) => {
    rows.splice(1, 1)
    for (const [index, row] of rows.entries()) if (index >= 1) row.sequence -= 1
    rebuildChain(rows, 1)
  }),
  'adds a row at the end': changeRows(
    1,
    (rows) => {
      const last = rows.at(-1)
      if (!last) return
      const row = {
        ...last,
        sequence: last.sequence + 1,
        previous_hash: last.hash,
        sealed_erasure: null,
        salt: 's',
      }
      rows.push({ ...row, hash: hashRow(row) })
    },
    /was inserted after the last row/,
  ),
  'adds a row before the start': changeRows(
    1,
    (rows) => {
      const [first] = rows
      if (first) rows.unshift({ ...first, sequence: first.sequence - 1 })
    },
    /was inserted before the oldest remaining row/,
  ),
  'inserts a row between two': changeRows(2, (rows) => {
    const [first] = rows
    if (!first) return
    for (const row of rows.slice(1)) row.sequence += 1
    rows.splice(1, 0, { ...first, sequence: first.sequence + 1 })
    rebuildChain(rows, 1)
  }),
  'swaps two rows': changeRows(3, (rows) => {
    const [, a, b] = rows
    if (!a || !b) return
    const { sequence } = a
    a.sequence = b.sequence
    b.sequence = sequence
    rows.sort((x, y) => x.sequence - y.sequence)
  }),
  'copies a row from another workspace': changeRows(1, (rows, now) => {
    const other = now.audit_entry.findLast((row) => row.workspace_id === 'T2')
    const last = rows.at(-1)
    if (other && last) rows[rows.length - 1] = { ...other, workspace_id: WORKSPACE, sequence: last.sequence }
  }),
  'restores former rows': (now, former) => {
    const rows = filterWorkspace(former.audit_entry)
    const current = filterWorkspace(now.audit_entry)
    const [first] = current
    // Removed rows that lead to the oldest remaining one look like those of a killed process. The next cleanup deletes them.
    const remaining = rows.filter(({ sequence }) => sequence >= (first?.sequence ?? 0))
    if (JSON.stringify(remaining) === JSON.stringify(current)) return undefined
    now.audit_entry = [...now.audit_entry.filter(({ workspace_id }) => workspace_id !== WORKSPACE), ...rows]
    return ROW_FAULTS
  },
  'restores an erased row': (now, former) => {
    const erased = now.audit_entry.find(
      (row) => row.workspace_id === WORKSPACE && row.sealed_erasure !== null,
    )
    const complete = filterWorkspace(former.audit_entry).find(({ hash }) => hash === erased?.hash)
    if (!erased || !complete || complete.sealed_erasure !== null) return undefined
    Object.assign(erased, complete)
    return /rows should be erased/
  },
  'removes the mark from an erased row': changeRows(1, (rows) => {
    const erased = rows.find(({ sealed_erasure }) => sealed_erasure !== null)
    if (erased) erased.sealed_erasure = null
  }),
  'deletes the head of a chain': changeHead((now) => {
    now.audit_chain = now.audit_chain.filter(({ workspace_id }) => workspace_id !== WORKSPACE)
  }, /head of the chain was deleted/),
  'replaces a head with that of another workspace': changeHead((now) => {
    Object.assign(findChain(now) ?? {}, { sealed_head: findChain(now, 'T2')?.sealed_head })
  }, /head of the chain can’t be decrypted/),
  'edits the head of a chain': changeHead((now) => {
    const head = findChain(now)
    if (head)
      head.sealed_head = head.sealed_head.replace(
        /.(.{9})$/,
        (end) => `${end[0] === 'A' ? 'B' : 'A'}${end.slice(1)}`,
      )
  }, /head of the chain can’t be decrypted/),
  'replaces a head with the register': changeHead((now) => {
    Object.assign(findChain(now) ?? {}, { sealed_head: findChain(now, '')?.sealed_head })
  }, /head of the chain can’t be decrypted/),
  'restores a former head': changeHead((now, former) => {
    Object.assign(findChain(now) ?? {}, { sealed_head: findChain(former)?.sealed_head })
  }, /inserted|was deleted|doesn’t match the sealed end|rolled back|can’t be decrypted|doesn’t follow/),
  'restores a former head, rows, settings, and roles': (now, former) => {
    const [head] = filterWorkspace(former.audit_chain)
    if (!head || head.sealed_head === findChain(now)?.sealed_head) return undefined
    for (const name of NAMES)
      Object.assign(now, {
        [name]: [
          ...now[name].filter((row) => row.workspace_id !== WORKSPACE),
          ...filterWorkspace(former[name] as { workspace_id: string }[]),
        ],
      })
    return /rolled back|can’t be decrypted/
  },
  'deletes a whole log': (now) => {
    for (const name of NAMES)
      Object.assign(now, { [name]: now[name].filter((row) => row.workspace_id !== WORKSPACE) })
    return /head of the chain was deleted/
  },
  'deletes the register': changeHead((now) => {
    now.audit_chain = now.audit_chain.filter(({ workspace_id }) => workspace_id !== '')
  }, /list of audit logs was deleted/),
  'replaces the register with a head': changeHead((now) => {
    Object.assign(findChain(now, '') ?? {}, { sealed_head: findChain(now)?.sealed_head })
  }, /list of audit logs was changed/),
  'deletes all logs and their register': (now) => {
    now.audit_chain = []
    now.audit_entry = []
    return now.setting.some(isRetentionSetting) ? /list of audit logs was deleted/ : undefined
  },
  'edits a setting': (now) => {
    const setting = now.setting.find(isRetentionSetting)
    if (!setting) return undefined
    setting.value = '1'
    return /row of setting with .*audit\.kept-days.* was not written by this program/
  },
  'copies a setting from another workspace': (now) => {
    const setting = now.setting.find(
      ({ workspace_id, key }) => workspace_id === 'T2' && key === RETENTION_KEY,
    )
    if (!setting) return undefined
    now.setting = [
      ...now.setting.filter((row) => !isRetentionSetting(row)),
      { ...setting, workspace_id: WORKSPACE },
    ]
    return /row of setting with .*audit\.kept-days.* was not written by this program/
  },
  'copies a role from another workspace': (now) => {
    const role = now.role_grant.find(({ workspace_id }) => workspace_id === 'T2')
    if (!role) return undefined
    const others = now.role_grant.filter(
      ({ workspace_id, subject_id }) => workspace_id !== WORKSPACE || subject_id !== role.subject_id,
    )
    now.role_grant = [...others, { ...role, workspace_id: WORKSPACE }]
    return /row of role_grant with .* was not written by this program/
  },
  'deletes a setting': (now) => {
    if (!now.setting.some(isRetentionSetting)) return undefined
    now.setting = now.setting.filter((row) => !isRetentionSetting(row))
    return /decided the setting "audit\.kept-days", which was deleted/
  },
  'restores a former setting': (now, former) => {
    const [earlier, setting] = [former.setting.find(isRetentionSetting), now.setting.find(isRetentionSetting)]
    if (!earlier || earlier.decided_by === setting?.decided_by) return undefined
    now.setting = [...now.setting.filter((row) => !isRetentionSetting(row)), earlier]
    return /decided the setting "audit\.kept-days", but an earlier decision is stored|the setting "audit\.kept-days" was inserted, or brought back|was not written by this program/
  },
  'unlinks a setting from the row that decided it': (now) => {
    const setting = now.setting.find(isRetentionSetting)
    if (!setting) return undefined
    setting.decided_by = null
    return /row of setting with .* was not written by this program/
  },
  'inserts a role': (now) => {
    const [role] = filterWorkspace(now.role_grant)
    if (!role) return undefined
    now.role_grant.push({ ...role, subject_id: 'U9' })
    return /row of role_grant with .*U9.* was not written by this program/
  },
  'deletes a role': (now) => {
    if (filterWorkspace(now.role_grant).length === 0) return undefined
    now.role_grant = now.role_grant.filter(({ workspace_id }) => workspace_id !== WORKSPACE)
    return /decided the role ".*", which was deleted/
  },
  'restores a former role': (now, former) => {
    const [formerRole, role] = [filterWorkspace(former.role_grant)[0], filterWorkspace(now.role_grant)[0]]
    if (!formerRole || formerRole.decided_by === role?.decided_by) return undefined
    now.role_grant = [...now.role_grant.filter(({ workspace_id }) => workspace_id !== WORKSPACE), formerRole]
    return /decided the role ".*", but an earlier decision is stored|the role ".*" was inserted, or brought back|was not written by this program/
  },
  'deletes the list of decisions': changeHead((now) => {
    Object.assign(findChain(now) ?? {}, { sealed_decided: null })
  }, /sealed list of decisions is from another row/),
  'restores a former list of decisions': changeHead((now, former) => {
    Object.assign(findChain(now) ?? {}, { sealed_decided: findChain(former)?.sealed_decided })
  }, /sealed list of decisions (is from another row|can’t be decrypted)/),
  'replaces the list of decisions with a head': changeHead((now) => {
    Object.assign(findChain(now) ?? {}, { sealed_decided: findChain(now)?.sealed_head })
  }, /sealed list of decisions can’t be decrypted/),
}
