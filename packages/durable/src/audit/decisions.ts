import { type Kysely, sql, type Transaction } from 'kysely'
import type { Table } from '../database/declared-table.ts'
import type { Schema } from '../database/schema.ts'
import { type NamedCells, readAllRows, toNamedCells } from '../database/stored-tables.ts'
import type { DecidedBy } from './head.ts'
import type { AuditFault } from './read-chain.ts'

// Settings and roles are protected by the audit log: each row names the audit row that last changed it (`decided_by`), and the chain's
// head seals the list of those audit rows. A row that doesn't match the list was rolled back, inserted, or deleted by someone else.

export const formatDecidedBy = ({ sequence, hash }: { sequence: number; hash: string }): DecidedBy =>
  `${sequence} ${hash}`

export const parseRowNumber = (by: DecidedBy): number => Number.parseInt(by, 10)

/** Identifies a protected row: the name from its table's declaration, then its key within the workspace. */
export const decisionKey = (
  { decides, key }: Pick<Table, 'decides' | 'key'>,
  row: Readonly<Record<string, unknown>>,
): string => [decides, ...key.flatMap((name) => (name === 'workspace_id' ? [] : [row[name]]))].join(' ')

/** The changes to protected rows that one audit row records. They're saved in its transaction. */
export interface Decisions {
  readonly transaction: Transaction<Schema>
  readonly workspaceId: string
  /** Whether a stored row is from the latest decision. */
  isCurrent(key: string, decidedBy: DecidedBy | null): boolean
  /** Saves a row as soon as the audit row has its number and hash. */
  put(key: string, write: (by: DecidedBy) => Promise<unknown>): void
  /** Records that a row was deleted in this transaction. */
  drop(key: string): void
}

export function createDecisions(
  transaction: Transaction<Schema>,
  workspaceId: string,
  before: ReadonlyMap<string, DecidedBy>,
) {
  const writes = new Map<string, ((by: DecidedBy) => Promise<unknown>) | undefined>()
  const decisions: Decisions = {
    transaction,
    workspaceId,
    isCurrent: (key, decidedBy) => decidedBy !== null && before.get(key) === decidedBy,
    put: (key, write) => void writes.set(key, write),
    drop: (key) => void (before.has(key) ? writes.set(key, undefined) : writes.delete(key)),
  }
  return { decisions, writes }
}

/** A stored row that names the audit row that decided it. */
export interface StoredDecision {
  readonly by: DecidedBy
  /** Whether the app wrote the row as it is. */
  readonly isGenuine: boolean
}

/** Whether the app wrote any of these rows. It always writes an audit row with them, so if there is no head, someone deleted the log. */
export const hasGenuine = (stored: ReadonlyMap<string, StoredDecision>): boolean =>
  [...stored.values()].some(({ isGenuine }) => isGenuine)

/** Compares stored rows with the last decisions. */
export function compareDecisions(
  decided: Readonly<Record<string, DecidedBy>>,
  stored: ReadonlyMap<string, StoredDecision>,
): AuditFault[] {
  const found = [...stored].flatMap(([key, { by, isGenuine }]): AuditFault[] => {
    const last = decided[key]
    // Forged rows are reported by the check of row proofs.
    if (!isGenuine) return []
    if (last === undefined)
      return [
        { sequence: 0, description: `${quoteKey(key)} was inserted, or brought back after it was deleted` },
      ]
    return last === by
      ? []
      : [
          {
            sequence: parseRowNumber(last),
            description: `decided ${quoteKey(key)}, but an earlier decision is stored: it was rolled back`,
          },
        ]
  })
  const deletedEntries = Object.entries(decided).filter(([key]) => !stored.has(key))
  return [
    ...found,
    ...deletedEntries.map(([key, by]) => ({
      sequence: parseRowNumber(by),
      description: `decided ${quoteKey(key)}, which was deleted`,
    })),
  ]
}

const quoteKey = (key: string): string => {
  const [kind = '', ...rest] = key.split(' ')
  return `the ${kind} "${rest.join(' ')}"`
}

/** Reads every stored row that names an audit row, by workspace and key. */
export async function readStoredDecisions(
  rows: Kysely<Schema>,
  tables: readonly Table[],
  isGenuine: (table: Table, row: NamedCells) => boolean,
): Promise<Map<string, Map<string, StoredDecision>>> {
  const found = new Map<string, Map<string, StoredDecision>>()
  for (const table of tables.filter(({ decides }) => decides !== undefined)) {
    const {
      name,
      key,
      columns: { names },
    } = table
    for await (const page of readAllRows(rows, { name, key, columns: names }))
      for (const { cells } of page) {
        const row = toNamedCells({ columns: names }, cells)
        if (row.decided_by === null) continue
        const workspaceId = String(row.workspace_id)
        const decisionsByKey = found.get(workspaceId) ?? new Map<string, StoredDecision>()
        decisionsByKey.set(decisionKey(table, row), {
          by: String(row.decided_by),
          isGenuine: isGenuine(table, row),
        })
        found.set(workspaceId, decisionsByKey)
      }
  }
  return found
}

/** Deletes the protected rows of a workspace that is being erased. */
export async function deleteDecided(
  transaction: Transaction<Schema>,
  tables: readonly Table[],
  workspaceId: string,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { name } of tables.filter(({ decides }) => decides !== undefined)) {
    const { numAffectedRows = 0n } =
      await sql`delete from ${sql.table(name)} where workspace_id = ${workspaceId}`.execute(transaction)
    if (numAffectedRows > 0n) counts.set(name, Number(numAffectedRows))
  }
  return counts
}
