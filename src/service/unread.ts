import type { Hide } from './hide.ts'

const MAX_PATHS = 100
const MAX_ODD_PARTS = 100

/** The parts of a response that couldn't be parsed: their count, and the paths of the first 100. */
export interface Unread {
  readonly count: number
  /** Such as `data.results[3].port`: only known field names and indexes, nothing that the service sent. */
  readonly paths: readonly string[]
}

/** A part of a response with the wrong type. */
export interface OddPart {
  /** Such as `comments[3].date`: only known field names and indexes, nothing that the service sent. */
  readonly path: string
  /** At most about 4,000 characters; `…` marks a cut. */
  readonly text: string
}

/** Collects the unreadable parts of one response. */
export class UnreadParts implements Unread {
  count = 0
  #paths: string[] = []
  #odd: OddPart[] | undefined
  /** Set if an integer appeared where a text was expected, and JavaScript rounded it. */
  hasRoundedInteger = false

  get paths(): readonly string[] {
    return this.#paths
  }

  /** Notes a part that is missing or has the wrong type. Its value is kept only after `collectOddParts`. */
  note(path: string, value: unknown, hide: Hide): void {
    this.count += 1
    if (this.#paths.length < MAX_PATHS) this.#paths.push(path)
    if (value === undefined || !this.#odd || this.#odd.length >= MAX_ODD_PARTS) return
    const { text, isInexact } = formatOddValue(value, hide)
    this.hasRoundedInteger ||= isInexact
    this.#odd.push({ path, text })
  }

  /**
   * From now on, adds the first 100 values of the wrong type to the returned list. For responses without secrets, which people
   * must see in full.
   */
  collectOddParts(): readonly OddPart[] {
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
 * Formats a value of any type as text: strings unchanged, anything else as JSON. Reads no more of it than it shows. `isInexact`
 * is true if the value contains an integer that is too long for a double.
 */
export function formatOddValue(value: unknown, hide: Hide): { text: string; isInexact: boolean } {
  const budget = { characters: MAX_CHARACTERS, values: MAX_VALUES, isInexact: false }
  const formatted = limitValue(value, hide, budget, MAX_DEPTH)
  return {
    text: typeof formatted === 'string' ? formatted : JSON.stringify(formatted),
    isInexact: budget.isInexact,
  }
}

interface Budget {
  characters: number
  values: number
  isInexact: boolean
}

function limitValue(value: unknown, hide: Hide, budget: Budget, depth: number): unknown {
  budget.values -= 1
  if (typeof value === 'string') return limitText(hide(value), budget)
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    budget.isInexact = true
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return MORE
  if (!Array.isArray(value)) {
    const entries: [string, unknown][] = []
    for (const name of Object.keys(value)) {
      if (isUsedUp(budget)) return Object.fromEntries([...entries, [MORE, MORE]])
      // Parsed JSON, so every object is a plain record.
      const inner = (value as Record<string, unknown>)[name]
      entries.push([limitText(hide(name), budget), limitValue(inner, hide, budget, depth - 1)])
    }
    return Object.fromEntries(entries)
  }
  const items: unknown[] = []
  for (const item of value) {
    if (isUsedUp(budget)) return [...items, MORE]
    items.push(limitValue(item, hide, budget, depth - 1))
  }
  return items
}

const isUsedUp = ({ characters, values }: Budget): boolean => characters <= 0 || values <= 0

function limitText(text: string, budget: Budget): string {
  const maxLength = Math.max(0, budget.characters)
  budget.characters -= text.length
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed() + MORE
}
