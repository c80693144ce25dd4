import { asDate, asNumber, asText } from './scalars.ts'

const MAX_PATHS = 100

/** Where a value stands; its path is put together only when there is something to say of it. */
interface Place {
  readonly name: string | number
  readonly within?: Place | undefined
}

/**
 * Reads an object whose every part is optional: a part that is missing or null is undefined, and so is one of the wrong
 * type, whose path is noted.
 */
export class Parts {
  readonly #value: Record<string, unknown>
  readonly #unreadable: string[]
  readonly #place: Place | undefined

  constructor(value: Record<string, unknown>, unreadable: string[], place?: Place) {
    this.#value = value
    this.#unreadable = unreadable
    this.#place = place
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
    return value && read(new Parts(value, this.#unreadable, { name, within: this.#place }))
  }

  /** The items that are objects, each read as one. */
  objects<T>(name: string, read: (parts: Parts) => T): T[] | undefined {
    return this.#items(name, asRecord, (item, place) => read(new Parts(item, this.#unreadable, place)))
  }

  texts(name: string): string[] | undefined {
    return this.#items(name, asText, (item) => item)
  }

  #items<I, T>(
    name: string,
    read: (value: unknown) => I | undefined,
    made: (item: I, place: Place) => T,
  ): T[] | undefined {
    const list = this.#take(name, (value) => (Array.isArray(value) ? value : undefined))
    if (list === undefined) return undefined
    const within: Place = { name, within: this.#place }
    // One for all items, of which there may be 50,000: a path is put together while its item is read, or never.
    const place: { name: number; within: Place } = { name: 0, within }
    const items: T[] = []
    for (const value of list) {
      const item = read(value)
      if (item === undefined) this.#note(place)
      else items.push(made(item, place))
      place.name += 1
    }
    return items
  }

  #take<T>(name: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.#value[name]
    if (value === undefined || value === null) return undefined
    const result = read(value)
    if (result === undefined) this.#note({ name, within: this.#place })
    return result
  }

  #note(place: Place): void {
    if (this.#unreadable.length < MAX_PATHS) this.#unreadable.push(pathOf(place))
  }
}

const pathOf = ({ name, within }: Place): string => (within ? `${pathOf(within)}.${name}` : String(name))

/** A JSON object, or undefined for anything else. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // A JSON object is a record of unknown values by construction.
  return value as Record<string, unknown>
}
