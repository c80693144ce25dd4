import type { Database } from '../database/database.ts'
import { type AuditEntryRow, updateRows } from '../database/schema.ts'
import { searchRows } from './search.ts'

/** A person's ID, and other names such as an email address. */
export interface ErasedPerson {
  readonly userId: string
  readonly alsoKnownAs: readonly string[]
}

/** The placeholder for an erased person's ID. */
export const ERASED = 'erased'

/** What is left out of the rows of what an erased person did. */
export const ERASED_COLUMNS = {
  ...{ user_id: ERASED, team_id: null, channel_id: null },
  ...{ object: null, before: null, after: null },
} as const

/** What is left out of the other rows that name an erased person. */
export const ERASED_MENTION = { object: ERASED, before: null, after: null } as const

/**
 * Removes a person from a workspace's log: from the rows of their own actions, and from every row that names them. Each row keeps
 * its number, time, and verb. Returns the number of changed rows.
 */
export async function erasePerson(
  database: Pick<Database, 'kind' | 'rows'>,
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<number> {
  const matchers = [userId, ...alsoKnownAs].map(createNameMatcher)
  let count = 0
  for await (const page of searchRows(database, { workspaceId, withIntents: true }, 'asc'))
    for (const row of page) {
      const isOwn = row.user_id === userId
      if (!isOwn && !listTexts(row).some((text) => matchers.some((matches) => matches(text)))) continue
      count += await updateRows(
        database.rows,
        'audit_entry',
        { sequence: row.sequence },
        isOwn ? ERASED_COLUMNS : ERASED_MENTION,
      )
    }
  return count
}

/**
 * Counts the rows that contain each name, starting with the ID. A name that is only part of a longer word doesn't count.
 */
export async function countMentions(
  database: Pick<Database, 'kind' | 'rows'>,
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<ReadonlyMap<string, number>> {
  const names = [userId, ...alsoKnownAs].map((name) => ({ name, matches: createNameMatcher(name) }))
  const counts = new Map(names.map(({ name }) => [name, 0]))
  for await (const page of searchRows(database, { workspaceId, withIntents: true }, 'asc'))
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
