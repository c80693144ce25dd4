import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import { type Chains, REGISTER } from './chain.ts'
import { type AuditEvent, unchainedRow } from './row.ts'
import { readChain } from './walk.ts'

/** Rows that one transaction verifies and deletes; every other write waits for it. */
const BATCH = 100

/** What is removed, and the row of the log that says of so many rows that they were. */
export type Removal = [olderThan: Date, told?: (removed: number) => AuditEvent]

/**
 * Deletes rows from the start of a chain in batches, so that requests are served in between and a kill loses one batch. Each batch is
 * told in its own transaction: rows that are gone without a word look like tampering.
 */
export async function retain(
  database: Database,
  chains: Chains,
  workspaceId: string,
  ...[olderThan, told]: Removal
): Promise<number> {
  let total = 0
  for (;;) {
    const removed = await shorten(database, chains, workspaceId, { olderThan: olderThan.toISOString(), told })
    total += removed
    if (removed < BATCH) return total
  }
}

/** Deletes one batch and moves the start of the chain, in one transaction. */
function shorten(
  { rows }: Database,
  chains: Chains,
  workspaceId: string,
  { olderThan, told }: { olderThan: string; told: Removal[1] },
): Promise<number> {
  return rows.transaction().execute(async (transaction) => {
    const head = await chains.lock(transaction, workspaceId)
    if (head === undefined) return 0
    const first = await transaction
      .selectFrom('audit_entry')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('sequence', '<=', head.sequence)
      .orderBy('sequence')
      .limit(BATCH)
      .execute()
    const newer = first.findIndex(({ at }) => at >= olderThan)
    const old = newer === -1 ? first : first.slice(0, newer)
    const last = old.at(-1)
    if (last === undefined) return 0
    const chain = readChain(head, chains.isErased)
    const [fault] = old.flatMap((row) => chain.step(row))
    if (fault !== undefined) {
      throw new StoreError(
        'unusable',
        `The audit log of ${workspaceId} was tampered with at ${fault.sequence}, so nothing more of it is removed: run audit verify.`,
      )
    }
    await transaction
      .deleteFrom('audit_entry')
      .where('workspace_id', '=', workspaceId)
      .where('sequence', '<=', last.sequence)
      .execute()
    const rest = { ...head, keptFrom: last.sequence + 1, hashBefore: last.hash }
    await chains.save(transaction, workspaceId, rest)
    if (told) await chains.append(transaction, workspaceId, [unchainedRow(told(old.length))])
    return old.length
  })
}

/** The time of the first row of each chain that has one, by one index lookup each. */
export async function oldestRows(
  { reading }: Pick<Database, 'reading'>,
  workspaceIds: readonly string[],
): Promise<Map<string, Date>> {
  if (workspaceIds.length === 0) return new Map()
  const found = await reading
    .selectFrom('audit_chain')
    .select((eb) => [
      'workspace_id',
      eb
        .selectFrom('audit_entry')
        .select('at')
        .whereRef('audit_entry.workspace_id', '=', 'audit_chain.workspace_id')
        .orderBy('sequence')
        .limit(1)
        .as('oldest'),
    ])
    .where('workspace_id', 'in', workspaceIds)
    .execute()
  return new Map(
    found.flatMap(({ workspace_id, oldest }) => (oldest === null ? [] : [[workspace_id, new Date(oldest)]])),
  )
}

/** Every workspace with rows or a chain, by id; jumps along the index instead of reading all rows. */
export async function workspacesWithRows({ reading }: Pick<Database, 'reading'>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive found (id) as (
      select min(workspace_id) from audit_entry
      union all
      select (select min(workspace_id) from audit_entry where workspace_id > found.id) from found where id is not null
    )
    select id from found where id is not null union select workspace_id from audit_chain`.execute(reading)
  return rows
    .map(({ id }) => id)
    .filter((id) => id !== REGISTER)
    .sort()
}
