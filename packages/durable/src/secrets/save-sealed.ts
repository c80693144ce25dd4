import { yieldWhenDue } from '@signalman/runtime'
import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { jsonText } from '../database/json.ts'
import type { Rows, Schema } from '../database/schema.ts'
import { type SealError, type TextSealer, tryOpen } from './seal.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** The turn in which a workspace's sealed rows are saved, and its secrets deleted. */
export const secretsTurn = (workspaceId: string): string => `forgetting ${workspaceId}`

export type InTransaction = <T>(work: (transaction: Transaction<Schema>) => Promise<T>) => Promise<T>

/**
 * Runs work that saves sealed rows in a transaction that holds the workspace's key, so that a forgetting comes wholly before or after
 * it. In between, it would destroy the key and leave rows that nothing opens. The work may run more than once.
 */
export async function whileKeyIsHeld<T>(
  inTransaction: InTransaction,
  keys: WorkspaceKeys,
  workspaceId: string,
  save: (transaction: Transaction<Schema>, sealer: TextSealer) => Promise<T>,
): Promise<T> {
  for (;;) {
    const saved = await inTransaction(async (transaction) => {
      const sealer = await keys.heldSealerIn(transaction, workspaceId)
      return sealer && { value: await save(transaction, sealer) }
    })
    if (saved) return saved.value
    // A forgetting may retire the new key at once.
    await keys.sealer(workspaceId)
  }
}

/** The same in a turn: that of the workspace's secrets unless given, for rows that are deleted in it. */
export const saveSealed = <T>(
  { inTurn }: Pick<Database, 'inTurn'>,
  keys: WorkspaceKeys,
  workspaceId: string,
  save: (transaction: Transaction<Schema>, sealer: TextSealer) => Promise<T>,
  turn = secretsTurn(workspaceId),
): Promise<T> => whileKeyIsHeld((work) => inTurn(turn, work), keys, workspaceId, save)

/**
 * Rows of a table whose one sealed column holds JSON, as the program has them: the columns that are `plain`, and the `content` that is
 * read from that text.
 */
export function sealedRows<Row extends object, Plain extends object, Content extends object>(
  { name, sealed: [declared] }: Table,
  { plain, content }: { plain: (row: Row) => Plain; content: (text: string) => Content },
) {
  if (!declared) throw new Error(`Nothing is sealed in ${name}.`)
  const { column, label, named } = declared
  const cell = (row: Row, of: string): string => String(Reflect.get(row, of))

  async function all(
    rows: Rows,
    keys: WorkspaceKeys,
    found: readonly Row[],
  ): Promise<((Plain & Content) | (Plain & { readonly unopened: SealError }))[]> {
    const opener = await keys.opener(rows, found, column)
    const read: Awaited<ReturnType<typeof all>> = []
    for (const row of found) {
      // A long one takes milliseconds to open.
      await yieldWhenDue()
      const identity = [label, ...named.map((of) => cell(row, of))] as const
      const opened = tryOpen(() => content(opener.open(cell(row, column), identity)))
      read.push({ ...plain(row), ...('value' in opened ? opened.value : opened) })
    }
    return read
  }

  return {
    /** With all that can be told of those that do not open. */
    all,
    /** Throws SealError where it does not open. */
    async one(rows: Rows, keys: WorkspaceKeys, row: Row | undefined): Promise<(Plain & Content) | undefined> {
      const [read] = row ? await all(rows, keys, [row]) : []
      if (read && 'unopened' in read) throw read.unopened
      return read
    },
    /** Seals for the row of this identity. Throws StoreError for what JSON cannot hold. */
    seal: (value: unknown, identity: readonly string[], sealer: TextSealer): string =>
      sealer.seal(jsonText(value, `What ${name} seals`), [label, ...identity]),
  }
}

/** Of rows that were read, those that open. */
export const isOpened = <One extends object>(
  one: One,
): one is Exclude<One, { readonly unopened: SealError }> => !('unopened' in one)
