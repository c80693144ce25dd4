import type { Hide } from './hide.ts'

const MAX_PATHS = 100
const MAX_ODD = 100

/** What couldn't be parsed in one answer: the total count, and the places of the first 100. */
export interface Unread {
  readonly count: number
  /** Such as `data.results[3].port`: only names of the interface and numbers, nothing that the service sent. */
  readonly paths: readonly string[]
}

/** A part of an answer with the wrong type. */
export interface OddPart {
  /** Such as `comments[3].date`: only names of the interface and numbers, nothing that the service sent. */
  readonly path: string
  /** About 4,000 characters at most; `…` marks what was cut. */
  readonly text: string
}

/** Collects the unreadable parts of one answer. */
export class UnreadParts implements Unread {
  count = 0
  #paths: string[] = []
  #odd: OddPart[] | undefined
  /** Set if an integer appeared where a text was expected, and JavaScript rounded it. */
  hasRoundedInteger = false

  get paths(): readonly string[] {
    return this.#paths
  }

  /** Notes a part that is missing or has the wrong type. Its value is kept only after `gatherOdd`. */
  note(path: string, value: unknown, hide: Hide): void {
    this.count += 1
    if (this.#paths.length < MAX_PATHS) this.#paths.push(path)
    if (value === undefined || !this.#odd || this.#odd.length >= MAX_ODD) return
    const { text, isInexact } = oddText(value, hide)
    this.hasRoundedInteger ||= isInexact
    this.#odd.push({ path, text })
  }

  /**
   * From now on, keeps the first 100 values of the wrong type in the returned list. For answers without secrets whose reader must
   * see everything.
   */
  gatherOdd(): readonly OddPart[] {
    this.#odd = []
    return this.#odd
  }

  clear(): void {
    this.count = 0
    this.#paths = []
    this.#odd = undefined
    this.hasRoundedInteger = false
  }
}

const MAX_CHARACTERS = 4000
const MAX_VALUES = 100
const MAX_DEPTH = 6
const MORE = '…'

/**
 * A value of any type as text: strings unchanged, anything else as JSON, of which no more is read than is shown. `isInexact` is
 * true if it contains an integer that is too long for a double.
 */
export function oddText(value: unknown, hide: Hide): { text: string; isInexact: boolean } {
  const left = { characters: MAX_CHARACTERS, values: MAX_VALUES, isInexact: false }
  const kept = bounded(value, hide, left, MAX_DEPTH)
  return { text: typeof kept === 'string' ? kept : JSON.stringify(kept), isInexact: left.isInexact }
}

interface Left {
  characters: number
  values: number
  isInexact: boolean
}

function bounded(value: unknown, hide: Hide, left: Left, depth: number): unknown {
  left.values -= 1
  if (typeof value === 'string') return shortened(hide(value), left)
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    left.isInexact = true
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return MORE
  if (!Array.isArray(value)) {
    const entries: [string, unknown][] = []
    for (const name of Object.keys(value)) {
      if (isSpent(left)) return Object.fromEntries([...entries, [MORE, MORE]])
      // Parsed JSON, so every object is a plain record.
      const inner = (value as Record<string, unknown>)[name]
      entries.push([shortened(hide(name), left), bounded(inner, hide, left, depth - 1)])
    }
    return Object.fromEntries(entries)
  }
  const items: unknown[] = []
  for (const item of value) {
    if (isSpent(left)) return [...items, MORE]
    items.push(bounded(item, hide, left, depth - 1))
  }
  return items
}

const isSpent = ({ characters, values }: Left): boolean => characters <= 0 || values <= 0

function shortened(text: string, left: Left): string {
  const room = Math.max(0, left.characters)
  left.characters -= text.length
  return text.length <= room ? text : text.slice(0, room).toWellFormed() + MORE
}
