import { yieldWhenDue } from '@signalman/runtime'
import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { jsonText } from '../database/json.ts'
import type { Rows, Schema } from '../database/schema.ts'
import { type SealError, type TextSealer, tryOpen } from './seal.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** The name of the lock under which a workspace's sealed rows are saved and its secrets deleted. */
export const secretsLockName = (workspaceId: string): string => `forgetting ${workspaceId}`

/** Runs work in a transaction. */
export type InTransaction = <T>(work: (transaction: Transaction<Schema>) => Promise<T>) => Promise<T>

/**
 * Runs work that saves sealed rows in a transaction that locks the workspace's key. Until the transaction ends, nobody can forget the
 * workspace, which destroys the key and would leave rows that nothing opens. The work may run more than once.
 */
export async function withLockedKey<T>(
  inTransaction: InTransaction,
  keys: WorkspaceKeys,
  workspaceId: string,
  save: (transaction: Transaction<Schema>, sealer: TextSealer) => Promise<T>,
): Promise<T> {
  for (;;) {
    const saved = await inTransaction(async (transaction) => {
      const sealer = await keys.findLockedSealer(transaction, workspaceId)
      return sealer && { value: await save(transaction, sealer) }
    })
    if (saved) return saved.value
    // The new key may be retired again immediately, so loop.
    await keys.ensureSealer(workspaceId)
  }
}

/** Like `withLockedKey`, under a lock. By default, that's the workspace's secrets lock. */
export const saveSealed = <T>(
  { withLock }: Pick<Database, 'withLock'>,
  keys: WorkspaceKeys,
  workspaceId: string,
  save: (transaction: Transaction<Schema>, sealer: TextSealer) => Promise<T>,
  lockName = secretsLockName(workspaceId),
): Promise<T> => withLockedKey((work) => withLock(lockName, work), keys, workspaceId, save)

/**
 * Reads and writes rows of a table with one sealed JSON column. `toPlain` picks the unsealed columns, and `parseContent` parses the
 * opened text.
 */
export function sealedRows<Row extends object, Plain extends object, Content extends object>(
  { name, sealed: [declared] }: Table,
  { toPlain, parseContent }: { toPlain: (row: Row) => Plain; parseContent: (text: string) => Content },
) {
  if (!declared) throw new Error(`The table ${name} has no sealed column.`)
  const { column, label, identityColumns } = declared
  const readCell = (row: Row, columnName: string): string => String(Reflect.get(row, columnName))

  async function readAll(
    rows: Rows,
    keys: WorkspaceKeys,
    found: readonly Row[],
  ): Promise<((Plain & Content) | (Plain & { readonly sealError: SealError }))[]> {
    const opener = await keys.createOpener(rows, found, column)
    const read: Awaited<ReturnType<typeof readAll>> = []
    for (const row of found) {
      // A long text takes milliseconds to open.
      await yieldWhenDue()
      const identity = [label, ...identityColumns.map((columnName) => readCell(row, columnName))] as const
      const opened = tryOpen(() => parseContent(opener.open(readCell(row, column), identity)))
      read.push({ ...toPlain(row), ...('value' in opened ? opened.value : opened) })
    }
    return read
  }

  return {
    /** Opens rows. A row that can't be opened has only its plain columns and the error. */
    readAll,
    /** Throws SealError if the row doesn't open. */
    async readOne(
      rows: Rows,
      keys: WorkspaceKeys,
      row: Row | undefined,
    ): Promise<(Plain & Content) | undefined> {
      const [read] = row ? await readAll(rows, keys, [row]) : []
      if (read && 'sealError' in read) throw read.sealError
      return read
    },
    /** Seals JSON for the row with this identity. Throws StoreError if the value isn't JSON. */
    seal: (value: unknown, identity: readonly string[], sealer: TextSealer): string =>
      sealer.seal(jsonText(value, `The sealed content of ${name}`), [label, ...identity]),
  }
}

/** Whether the row's content was decrypted. Filters out rows with a `sealError`. */
export const isDecrypted = <Row extends object>(
  row: Row,
): row is Exclude<Row, { readonly sealError: SealError }> => !('sealError' in row)
