import { asDate, asNumber, asText } from './scalars.ts'

const MAX_PATHS = 100

/**
 * Reads an object whose every part is optional: a part that is missing or null is undefined, and so is one of the wrong
 * type, whose path is noted.
 */
export class Parts {
  readonly #value: Record<string, unknown>
  readonly #path: string
  readonly #unreadable: string[]

  constructor(value: Record<string, unknown>, path: string, unreadable: string[]) {
    this.#value = value
    this.#path = path
    this.#unreadable = unreadable
  }

  text(name: string): string | undefined {
    return this.#take(name, asText)
  }

  number(name: string): number | undefined {
    return this.#take(name, asNumber)
  }

  date(name: string): Date | undefined {
    return this.#take(name, asDate)
  }

  /** The part read as an object. */
  object<T>(name: string, read: (parts: Parts) => T): T | undefined {
    const value = this.#take(name, asRecord)
    return value && read(new Parts(value, this.#pathOf(name), this.#unreadable))
  }

  /** The items that are objects, each read as one. */
  objects<T>(name: string, read: (parts: Parts) => T): T[] | undefined {
    return this.#items(name, asRecord)?.map(({ item, path }) => read(new Parts(item, path, this.#unreadable)))
  }

  texts(name: string): string[] | undefined {
    return this.#items(name, asText)?.map(({ item }) => item)
  }

  #items<T>(name: string, read: (value: unknown) => T | undefined): { item: T; path: string }[] | undefined {
    const list = this.#take(name, (value) => (Array.isArray(value) ? value : undefined))
    return list?.flatMap((value: unknown, index) => {
      const path = `${this.#pathOf(name)}.${index}`
      const item = read(value)
      if (item === undefined) this.#note(path)
      return item === undefined ? [] : [{ item, path }]
    })
  }

  #take<T>(name: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.#value[name]
    if (value === undefined || value === null) return undefined
    const result = read(value)
    if (result === undefined) this.#note(this.#pathOf(name))
    return result
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }

  #note(path: string): void {
    if (this.#unreadable.length < MAX_PATHS) this.#unreadable.push(path)
  }
}

/** A JSON object, or undefined for anything else. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // A JSON object is a record of unknown values by construction.
  return value as Record<string, unknown>
}
