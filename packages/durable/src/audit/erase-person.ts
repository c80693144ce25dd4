import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import { type AuditEntryRow, selectRows, updateRows } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import type { Chains } from './chain.ts'
import { buildErasure } from './read-chain.ts'
import { deleteLeftovers } from './retention.ts'
import { hashRow } from './row.ts'
import { searchRows } from './search.ts'

/** A person's ID, and other names such as an email address. */
export interface ErasedPerson {
  readonly userId: string
  readonly alsoKnownAs: readonly string[]
}

/**
 * Removes a person from a workspace's log: from the rows of their own actions, and from every row that names them. Each row keeps
 * its sequence, hash, and verb, and the head counts it as erased. Rows that are appended later for the same acts leave the same out
 * (`withoutErased`). Returns the number of changed rows. Throws StoreError `tampered` at a tampered row, because erasing it would
 * hide the tampering.
 */
export async function erasePerson(
  database: Database,
  { chains, sealer }: { chains: Chains; sealer: Sealer },
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<number> {
  await deleteLeftovers(database, chains, workspaceId)
  // An act may end between a pass and the erasure of its first row, so the last pass finds nothing.
  for (let total = 0; ; ) {
    const count = await eraseOnce(database, { chains, sealer }, workspaceId, { userId, alsoKnownAs })
    if (count === 0) return total
    total += count
  }
}

async function eraseOnce(
  database: Database,
  { chains, sealer }: { chains: Chains; sealer: Sealer },
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<number> {
  const matchers = [userId, ...alsoKnownAs].map(createNameMatcher)
  const mentionsPerson = (row: AuditEntryRow): boolean =>
    row.user_id === userId || listTexts(row).some((text) => matchers.some((matches) => matches(text)))
  let count = 0
  for await (const page of searchRows(database, { workspaceId }, 'asc')) {
    const found = page.filter(mentionsPerson).map(({ sequence }) => sequence)
    if (found.length === 0) continue
    count += await database.rows.transaction().execute(async (transaction) => {
      const head = await chains.lock(transaction, workspaceId)
      if (!head) throw tampered(workspaceId, 'Its chain is missing')
      const own = selectRows(transaction, 'audit_entry', { workspace_id: workspaceId })
      // Retention may have removed some of the rows meanwhile, and another erasure may have emptied them.
      const current = (await own.where('sequence', 'in', found).orderBy('sequence').execute())
        .filter(({ sequence }) => sequence >= head.keptFrom)
        .filter(mentionsPerson)
      for (const row of current) {
        refuseTampered(row, chains)
        const key = { workspace_id: workspaceId, sequence: row.sequence }
        await updateRows(transaction, 'audit_entry', key, buildErasure(sealer, row, row.user_id === userId))
      }
      const newlyErased = current.filter(({ sealed_erasure }) => sealed_erasure === null).length
      if (newlyErased > 0)
        await chains.save(transaction, workspaceId, { ...head, erased: head.erased + newlyErased })
      return current.length
    })
  }
  return count
}

function refuseTampered(row: AuditEntryRow, { isErased }: Chains): void {
  if (hashRow(row) === row.hash || isErased(row)) return
  throw tampered(row.workspace_id, `Row ${row.sequence} was changed`)
}

const tampered = (workspaceId: string, what: string): StoreError =>
  new StoreError(
    'tampered',
    `The audit log of ${workspaceId} was tampered with, so the erasure stopped there. ${what}. Verify the audit log.`,
  )

/**
 * Counts the rows that contain each name, starting with the ID. A name that is only part of a longer word doesn't count.
 */
export async function countMentions(
  database: Database,
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<ReadonlyMap<string, number>> {
  const names = [userId, ...alsoKnownAs].map((name) => ({ name, matches: createNameMatcher(name) }))
  const counts = new Map(names.map(({ name }) => [name, 0]))
  for await (const page of searchRows(database, { workspaceId }, 'asc'))
    for (const row of page) {
      const texts = [row.user_id, ...listTexts(row)]
      for (const { name, matches } of names)
        if (texts.some(matches)) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  return counts
}

/** The texts in a row's object and changes. JSON keys and escapes can't name anyone. */
const listTexts = ({ object, before, after }: AuditEntryRow): string[] => [
  ...(object === null ? [] : [object]),
  ...[before, after].flatMap((json) => (json === null ? [] : listLeaves(json))),
]

function listLeaves(json: string): string[] {
  const texts: string[] = []
  try {
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
    return texts
  } catch {
    // Not written by this app, so search it as is.
    return [json]
  }
}

/** Normalizes a name, so that its composed, decomposed, full-width, lower-case, and upper-case forms are equal. */
export const normalizeName = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC')

/** Matches texts that contain a name as a separate word, so that `Ann` doesn't match the end of a channel's name. */
export function createNameMatcher(name: string): (text: string) => boolean {
  const plain = normalizeName(name.trim())
  if (plain === '') throw new RangeError('Every text contains an empty name.')
  const isWordCharacter = (character: string | undefined) => /^[\p{L}\p{N}\p{M}]$/u.test(character ?? '')
  const [first, last] = [[...plain][0], [...plain].at(-1)]
  const before = isWordCharacter(first) ? '(?<![\\p{L}\\p{N}\\p{M}])' : ''
  const after = isWordCharacter(last) ? '(?![\\p{L}\\p{N}\\p{M}])' : ''
  const pattern = new RegExp(`${before}${RegExp.escape(plain)}${after}`, 'u')
  return (text) => pattern.test(normalizeName(text))
}
