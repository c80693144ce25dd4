import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import { deleteWhere } from '../database/delete-rows.ts'
import { StoreError } from '../database/errors.ts'
import { type AuditEntryRow, rowsIn, type Schema, updateIn } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import type { Chains } from './chain.ts'
import { type AuditEvent, hashOf, unchainedRow } from './row.ts'
import { findRows } from './search.ts'
import { erasure, erasureCheck } from './walk.ts'

/** A person's id, and what else names them: an e-mail address, a name. */
export interface ErasedPerson {
  readonly userId: string
  readonly alsoKnownAs: readonly string[]
}

/**
 * Removes a person from a workspace's log: from the rows of their acts, and from every row that names them. Each row keeps its
 * sequence, hash and verb. Returns how many rows it changed. Throws StoreError `unusable` at a row that was tampered with: erasing
 * it would hide that.
 */
export async function erasePerson(
  database: Database,
  sealer: Sealer,
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<number> {
  const isErased = erasureCheck(sealer)
  const names = [userId, ...alsoKnownAs].map(holdsName)
  const isNamed = (row: AuditEntryRow): boolean =>
    textsOf(row).some((text) => names.some((isHeld) => isHeld(text)))
  let count = 0
  for await (const page of findRows(database, { workspaceId }, 'asc')) {
    const found = page.filter((row) => row.user_id === userId || isNamed(row))
    for (const row of found) {
      if (hashOf(row) !== row.hash && !isErased(row)) {
        throw new StoreError(
          'unusable',
          `Row ${row.sequence} of the audit log of ${workspaceId} was tampered with, so nothing more of it is erased: run audit verify.`,
        )
      }
      const own = { workspace_id: workspaceId, sequence: row.sequence }
      await updateIn(database.rows, 'audit_entry', own, erasure(sealer, row, row.user_id === userId))
      count += 1
    }
  }
  return count
}

/** How many rows each name would take out. The id comes first: a text that only contains it as a part does not name this person. */
export async function countNamed(
  database: Database,
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<ReadonlyMap<string, number>> {
  const names = [userId, ...alsoKnownAs].map((name) => ({ name, isHeld: holdsName(name) }))
  const counts = new Map(names.map(({ name }) => [name, 0]))
  for await (const page of findRows(database, { workspaceId }, 'asc'))
    for (const row of page) {
      const texts = [row.user_id, ...textsOf(row)]
      for (const { name, isHeld } of names)
        if (texts.some(isHeld)) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  return counts
}

/** What a row is about and what it changed, as the texts that they hold: keys and escapes of JSON name nobody. */
const textsOf = ({ object, before, after }: AuditEntryRow): string[] => [
  ...(object === null ? [] : [object]),
  ...[before, after].flatMap((json) => (json === null ? [] : leavesOf(json))),
]

function leavesOf(json: string): string[] {
  const texts: string[] = []
  try {
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
    return texts
  } catch {
    // This program did not write it, so it is searched as it is.
    return [json]
  }
}

/** Texts that Unicode makes equal are the same name: composed or not, in wide letters, in either case. */
export const sameName = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC')

/** Tells whether a text holds a name as a word of its own: `Ann`, and not the end of a channel's name. */
export function holdsName(name: string): (text: string) => boolean {
  const plain = sameName(name.trim())
  const open = (sign: string | undefined) => /^[\p{L}\p{N}\p{M}]$/u.test(sign ?? '')
  const [first, last] = [[...plain][0], [...plain].at(-1)]
  const before = open(first) ? '(?<![\\p{L}\\p{N}\\p{M}])' : ''
  const after = open(last) ? '(?![\\p{L}\\p{N}\\p{M}])' : ''
  const pattern = new RegExp(`${before}${RegExp.escape(plain)}${after}`, 'u')
  return (text) => pattern.test(sameName(text))
}

/**
 * Deletes a workspace's log except for one new row, which records the deletion and continues the chain. After a kill, the same call
 * finishes it. Returns how many rows it deleted.
 */
export async function eraseWorkspaceLog(
  database: Database,
  chains: Chains,
  event: Omit<AuditEvent, 'after'>,
  after: object,
): Promise<number> {
  const { workspaceId } = event
  const first = await database.rows.transaction().execute(async (transaction) => {
    const count = await countOf(transaction, workspaceId)
    const row = unchainedRow({ ...event, after: { ...after, auditRows: count } })
    const [added] = await chains.append(transaction, workspaceId, [row])
    const head = await chains.lock(transaction, workspaceId)
    if (added === undefined || head === undefined) throw new Error('A row was added, and there is no head.')
    const own = { workspace_id: workspaceId, sequence: added.sequence }
    const { previous_hash: hashBefore } = await rowsIn(
      transaction,
      'audit_entry',
      own,
    ).executeTakeFirstOrThrow()
    await chains.save(transaction, workspaceId, { ...head, keptFrom: added.sequence, hashBefore })
    return added.sequence
  })
  const isBefore = sql`workspace_id = ${workspaceId} and sequence < ${first}`
  return await deleteWhere(database, 'audit_entry', isBefore)
}

async function countOf(rows: Transaction<Schema>, workspaceId: string): Promise<number> {
  const { count } = await rows
    .selectFrom('audit_entry')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
