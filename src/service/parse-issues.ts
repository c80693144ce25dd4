import type { Redact } from './redact.ts'

const MAX_PATHS = 100
const MAX_UNEXPECTED_VALUES = 100

/** The parts of a response that couldn't be parsed: their count, and the paths of the first 100. */
export interface ParseIssues {
  readonly count: number
  /** Such as `data.results[3].port`: only known field names and indexes, nothing that the service sent. */
  readonly paths: readonly string[]
}

/** A part of a response with the wrong type. */
export interface UnexpectedValue {
  /** Such as `comments[3].date`: only known field names and indexes, nothing that the service sent. */
  readonly path: string
  /** At most about 4,000 characters. `…` marks where it was truncated. */
  readonly text: string
}

/** Collects the unreadable parts of one response. */
export class ParseIssueCollector implements ParseIssues {
  count = 0
  #paths: string[] = []
  #unexpected: UnexpectedValue[] | undefined
  /** Set if an integer appeared where a text was expected, and JavaScript rounded it. */
  hasRoundedInteger = false

  get paths(): readonly string[] {
    return this.#paths
  }

  /** Records a part that is missing or has the wrong type. Stores its value only after `collectUnexpectedValues`. */
  add(path: string, value: unknown, redact: Redact): void {
    this.count += 1
    if (this.#paths.length < MAX_PATHS) this.#paths.push(path)
    if (value === undefined || !this.#unexpected || this.#unexpected.length >= MAX_UNEXPECTED_VALUES) return
    const { text, isInexact } = formatUnexpectedValue(value, redact)
    this.hasRoundedInteger ||= isInexact
    this.#unexpected.push({ path, text })
  }

  /**
   * Starts to collect values of the wrong type in the returned list, up to 100. Only for responses without secrets, because people
   * see these values.
   */
  collectUnexpectedValues(): readonly UnexpectedValue[] {
    this.#unexpected = []
    return this.#unexpected
  }

  clear(): void {
    this.count = 0
    this.#paths = []
    this.#unexpected = undefined
    this.hasRoundedInteger = false
  }
}

const MAX_CHARACTERS = 4000
const MAX_VALUES = 100
const MAX_DEPTH = 6
const MORE = '…'

/**
 * Formats a value of any type as text: strings unchanged, anything else as JSON. Stops at the length limit, without reading the
 * rest. `isInexact` is true if the value contains an integer that is too long for a double.
 */
export function formatUnexpectedValue(value: unknown, redact: Redact): { text: string; isInexact: boolean } {
  const budget = { characters: MAX_CHARACTERS, values: MAX_VALUES, isInexact: false }
  const formatted = limitValue(value, redact, budget, MAX_DEPTH)
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

function limitValue(value: unknown, redact: Redact, budget: Budget, depth: number): unknown {
  budget.values -= 1
  if (typeof value === 'string') return limitText(redact(value), budget)
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
      entries.push([limitText(redact(name), budget), limitValue(inner, redact, budget, depth - 1)])
    }
    return Object.fromEntries(entries)
  }
  const items: unknown[] = []
  for (const item of value) {
    if (isUsedUp(budget)) return [...items, MORE]
    items.push(limitValue(item, redact, budget, depth - 1))
  }
  return items
}

const isUsedUp = ({ characters, values }: Budget): boolean => characters <= 0 || values <= 0

function limitText(text: string, budget: Budget): string {
  const maxLength = Math.max(0, budget.characters)
  budget.characters -= text.length
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed() + MORE
}
