import { DASHES, INVISIBLE } from '@signalman/runtime'
import { EVENT_ID } from '../../../domain/event-id.ts'
import { writeCommand } from '../../../domain/write-command.ts'

/** An example ID, for messages that explain the format. */
export const EXAMPLE_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

/** The line of a verb about an event; without a verb, the one that shows its card. */
export const writeEventCommand = (
  verb: string,
  id: string,
  parts: Omit<NonNullable<Parameters<typeof writeCommand>[1]>, 'words'> = {},
): string => writeCommand(`/threat ${verb}`.trim(), { ...parts, words: [id] })

export type FoundIds = ReturnType<typeof findIds>

// Not next to a letter or digit, because then it's part of something longer.
const ID = new RegExp(`(?<![\\p{L}\\p{N}])${EVENT_ID}(?![\\p{L}\\p{N}])`, 'giu')
const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu')
const ANY_DASH = new RegExp(`[${DASHES}]`, 'gu')
// Percent-encoded, also more than once: mail filters and portals put the address of an event into the query of their own.
const ENCODED_DASHES = /%(?:25)*2d/gi
const ENCODED = /%(?:25)*[0-7][0-9a-f]/gi
// Limits the search of pasted text. Longer than any address.
const MAX_WORD_LENGTH = 4000

/**
 * Finds the threat event IDs in typed text: in any case, in braces, quotes, brackets, or backticks, inside an address, before
 * punctuation, percent-encoded, with unusual dashes, and with invisible characters. Returns them in lowercase without
 * duplicates, in order. `otherWords` are words without an ID.
 */
export function findIds(words: readonly string[]) {
  const ids = new Set<string>()
  const otherWords: string[] = []
  for (const word of words) {
    const found = matchIds(word)
    for (const id of found) ids.add(id)
    if (found.length === 0 && hasLetterOrDigit(word)) otherWords.push(word)
  }
  return { ids: [...ids], otherWords }
}

function matchIds(word: string): string[] {
  // Skips most words of a long message without checking each character.
  if (word.length < MIN_ID_LENGTH && isAscii(word)) return []
  return (normalizeWord(word).match(ID) ?? []).map(addDashes)
}

const MIN_ID_LENGTH = 32
const isAscii = (word: string): boolean => /^[\0-\x7f]*$/.test(word)

/** Lowercases an ID and adds the dashes that some programs omit. */
const addDashes = (id: string): string =>
  id
    .toLowerCase()
    .replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/, '$1-$2-$3-$4-$5')

function normalizeWord(word: string): string {
  const start = word.slice(0, MAX_WORD_LENGTH)
  const plain = isAscii(start)
    ? start
    : start.normalize('NFKC').replace(INVISIBLES, '').replace(ANY_DASH, '-')
  return plain.replace(ENCODED_DASHES, '-').replace(ENCODED, ' ')
}

const hasLetterOrDigit = (word: string): boolean => /[\p{L}\p{N}]/u.test(word)
