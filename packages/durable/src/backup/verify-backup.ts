import { createChains, REGISTER } from '../audit/chain.ts'
import type { Head } from '../audit/head.ts'
import { type AuditFault, readChain } from '../audit/read-chain.ts'
import { type SealedColumn, sealedColumns, type Table } from '../database/declared-table.ts'
import type { AuditChainRow, AuditEntryRow, WorkspaceKeyRow } from '../database/schema.ts'
import { type Cell, type NamedCells, type StoredTable, toNamedCells } from '../database/stored-tables.ts'
import type { Keyring } from '../secrets/keys.ts'
import { sealIdentity } from '../secrets/row-proofs.ts'
import { createSealer, createWorkspaceOpener, parseWorkspaceKeyId, tryOpen } from '../secrets/seal.ts'
import { type BackupEnd, type BackupHeader, damagedBackupError } from './format.ts'
import { ADD_KEYS, type BackupKeys, createBackupKeys, mergeKeys, requireKeys } from './keys-file.ts'
import { readBackup, requireValidSeal } from './read-backup.ts'

/** What verification found in a backup. None of the faults prevents a restore. */
interface BackupVerdict {
  readonly header: BackupHeader
  readonly end: BackupEnd
  /** False without keys: sealed texts weren't verified. */
  readonly hasVerifiedSeals: boolean
  /** The number of sealed texts that no key opens, by table. */
  readonly undecryptable: ReadonlyMap<string, number>
  readonly faults: readonly string[]
  /** Rows of workspaces that were deleted since, or all sealed rows if the workspace keys aren't available. */
  readonly unreadCount: number
}

/**
 * Reads a backup from start to end and verifies its hash and row count and, if the keys are given, its seal, every sealed text,
 * and every audit chain. Throws StoreError `unusable` if the backup can't be restored, and `wrong-key` if the keys aren't the
 * backup's own.
 */
export async function verifyBackup(
  tables: readonly Table[],
  path: string,
  ring: Keyring | undefined,
  workspaceKeys?: readonly WorkspaceKeyRow[],
): Promise<BackupVerdict> {
  const undecryptable = new Map<string, number>()
  const faults: string[] = []
  const chains = createChainReader(ring, (fault) => faults.push(fault))
  const keys = openBackupKeys(ring, workspaceKeys)
  let unreadCount = 0
  const countUndecryptable = createUndecryptableCounter(sealedColumns(tables), ring, keys, undecryptable)
  const inspect = (table: StoredTable, cells: readonly (readonly Cell[])[]): void => {
    const rows = cells.map((row) => toNamedCells(table, row))
    countUndecryptable(table, rows)
    if (table.name === 'audit_chain') chains.readHeads(rows)
    if (table.name === 'audit_entry') chains.readRows(rows)
  }
  let header: BackupHeader | undefined
  for await (const part of readBackup(path, keys)) {
    if ('header' in part) {
      header = part.header
      if (ring) requireKeys(ring, header.keys, ADD_KEYS)
    } else if ('unreadCount' in part) {
      unreadCount += part.unreadCount
    } else if ('rows' in part) {
      inspect(part.table, part.rows)
    } else if (header !== undefined) {
      chains.end()
      if (ring !== undefined) requireValidSeal(ring, part.end, path)
      return {
        header,
        end: part.end,
        hasVerifiedSeals: ring !== undefined,
        undecryptable,
        faults,
        unreadCount,
      }
    }
  }
  throw damagedBackupError(path, 'it has no end')
}

const openBackupKeys = (
  ring: Keyring | undefined,
  rows: readonly WorkspaceKeyRow[] | undefined,
): BackupKeys | undefined => ring && rows && createBackupKeys(createSealer(ring), mergeKeys(rows))

/** Counts texts that no key opens, except those of destroyed keys. */
function createUndecryptableCounter(
  columns: readonly SealedColumn[],
  ring: Keyring | undefined,
  keys: BackupKeys | undefined,
  undecryptable: Map<string, number>,
) {
  if (ring === undefined) return () => undefined
  const isDestroyed = (text: string): boolean => keys?.get(parseWorkspaceKeyId(text) ?? '') === 'destroyed'
  const get = (id: string) => {
    const key = keys?.get(id)
    return key === 'destroyed' ? undefined : key
  }
  const opener = createWorkspaceOpener({ get }, createSealer(ring))
  const canOpen = (sealed: SealedColumn, row: NamedCells, text: string): boolean =>
    'value' in tryOpen(() => opener.open(text, sealIdentity(sealed, row)))
  return ({ name: table }: StoredTable, rows: readonly NamedCells[]): void => {
    for (const sealed of columns.filter((sealedColumn) => sealedColumn.table === table)) {
      for (const row of rows) {
        const text = row[sealed.column]
        if (typeof text !== 'string' || isDestroyed(text) || canOpen(sealed, row, text)) continue
        undecryptable.set(table, (undecryptable.get(table) ?? 0) + 1)
      }
    }
  }
}

/** Verifies each workspace's chain row by row, up to the end recorded in its sealed head. */
function createChainReader(ring: Keyring | undefined, onFault: (fault: string) => void) {
  const heads = new Map<string, Head>()
  /** Workspaces whose head doesn't open. Those are already counted as undecryptable texts. */
  const undecryptableHeads = new Set<string>()
  const chains = ring && createChains(createSealer(ring))
  let workspace: string | undefined
  let chain: ReturnType<typeof readChain> | undefined
  const report = (faults: readonly AuditFault[]) => {
    for (const { sequence, description } of faults)
      onFault(`${workspace}: ${sequence === 0 ? '' : `row ${sequence} of the audit log `}${description}`)
  }
  function beginChain(workspaceId: string): void {
    report(chain?.end() ?? [])
    workspace = workspaceId
    const head = heads.get(workspaceId)
    heads.delete(workspaceId)
    if (!head && !undecryptableHeads.has(workspaceId))
      onFault(`${workspaceId}: the sealed head of the chain was deleted`)
    chain = head && chains && readChain(head, chains.isErased)
  }
  return {
    /** Heads come before rows, because tables are sorted by name. */
    readHeads(rows: readonly NamedCells[]): void {
      for (const cells of chains ? rows : []) {
        // The table has the same columns in both databases.
        const row = cells as unknown as AuditChainRow
        if (row.workspace_id === REGISTER) continue
        const opened = tryOpen(() => chains?.openHead(row))
        if ('value' in opened && opened.value) heads.set(row.workspace_id, opened.value)
        else undecryptableHeads.add(row.workspace_id)
      }
    },
    readRows(rows: readonly NamedCells[]): void {
      for (const cells of chains ? rows : []) {
        const row = { ...cells, sequence: Number(cells.sequence) } as unknown as AuditEntryRow
        if (row.workspace_id !== workspace) beginChain(row.workspace_id)
        report(chain?.step(row) ?? [])
      }
    },
    end(): void {
      report(chain?.end() ?? [])
      for (const [id, head] of heads)
        if (head.sequence >= head.keptFrom) onFault(`${id}: every row of the audit log is missing`)
    },
  }
}
