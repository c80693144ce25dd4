import type { Hide } from './hide.ts'
import { asBoolean, asDate, asNumber, asRecord, asText, isTimeLike } from './scalars.ts'
import { oddText, type UnreadParts } from './unread.ts'

/** What goes with every reading of an answer. */
export interface ReadContext {
  readonly hide: Hide
  /** Holds afterwards what could not be read. */
  readonly unread: UnreadParts
}

/**
 * Where a value stands. All parts of an object share one, and so do all items of a list, of which there may be 50,000: a
 * path is put together while its part is read, or never.
 */
export interface Position {
  readonly context: ReadContext
  name: string | number
  readonly parent?: Position | undefined
}

/**
 * Reads the value that stands at one position. A value that is missing or null is undefined. One of the wrong type is
 * undefined too, and is noted. A number or a boolean may be quoted.
 */
export interface ValueReader<T> {
  (value: unknown, at: Position): T
  /** Whether a value is as the interface shows it, so that reading it notes nothing. */
  readonly isPlain?: (value: unknown) => boolean
  /** Its name on the wire, where that is not the name of the shape in snake case. */
  readonly wireName?: string
  /** An object without it is not read at all. */
  readonly isRequired?: boolean
}

type RequiredReader<T> = ValueReader<T | undefined> & { readonly isRequired: true }

/** The top of an answer. */
export const topOf = (context: ReadContext): Position => ({ context, name: '' })

function pathOf({ name, parent }: Position): string {
  const before = parent ? pathOf(parent) : ''
  if (typeof name === 'number') return `${before}[${name}]`
  return before === '' ? name : `${before}.${name}`
}

export function note(value: unknown, at: Position): undefined {
  at.context.unread.note(() => pathOf(at), value, at.context.hide)
}

/** Notes the value, whatever type it is of, and returns it as it came. */
export function noteAndShow(value: unknown, at: Position): string {
  note(value, at)
  return oddText(value, at.context.hide).text
}

const scalar = <T>(
  as: (value: unknown) => T | undefined,
  isPlain: (value: unknown) => boolean,
): ValueReader<T | undefined> =>
  Object.assign(
    (value: unknown, at: Position) =>
      value === undefined || value === null ? undefined : (as(value) ?? note(value, at)),
    { isPlain },
  )

export const number = scalar(asNumber, (value) => value === undefined || Number.isSafeInteger(value))
export const boolean = scalar(asBoolean, (value) => value === undefined || typeof value === 'boolean')
export const date = scalar(
  asDate,
  (value) => value === undefined || (typeof value === 'string' && isTimeLike(value)),
)

const isPlainText = (value: unknown): boolean => value === undefined || typeof value === 'string'
const numberAsText = scalar(asText, isPlainText)

export const text: ValueReader<string | undefined> = Object.assign(
  (value: unknown, at: Position) => {
    if (typeof value === 'string') return at.context.hide(value)
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      at.context.unread.isInexact = true
    return numberAsText(value, at)
  },
  { isPlain: isPlainText },
)

/** The text. A value of another type is noted, and returned as it came. */
export const raw: ValueReader<string | undefined> = (value, at) =>
  value === undefined || value === null || asText(value) !== undefined
    ? text(value, at)
    : noteAndShow(value, at)

/** A text that the object cannot do without, such as its id: noted when it is missing, empty or a number, too. */
export const id: RequiredReader<string> = Object.assign(
  (value: unknown, at: Position) =>
    typeof value === 'string' && value !== '' ? at.context.hide(value) : note(value, at),
  { isPlain: (value: unknown) => typeof value === 'string' && value !== '', isRequired: true as const },
)

/** A whole number of at least 0 that the object cannot do without. */
export const count: RequiredReader<number> = Object.assign(
  (value: unknown, at: Position) => {
    const read = asNumber(value)
    return read !== undefined && read >= 0 && Number.isSafeInteger(read) ? read : note(value, at)
  },
  { isRequired: true as const },
)

/** Any part that the object cannot do without. */
export const required = <T>(part: ValueReader<T>): RequiredReader<Exclude<T, undefined>> =>
  Object.assign(
    (value: unknown, at: Position) =>
      // What is left of T without undefined.
      (part(value, at) ?? (value === undefined || value === null ? note(value, at) : undefined)) as
        | Exclude<T, undefined>
        | undefined,
    { isRequired: true as const },
  )

export const named = <P extends ValueReader<unknown>>(wireName: string, part: P): P =>
  Object.assign((value: unknown, at: Position) => part(value, at), { ...part, wireName }) as P

/** What stands for a value that is missing or cannot be read. */
export const or = <T>(part: ValueReader<T | undefined>, instead: T): ValueReader<T> =>
  Object.assign((value: unknown, at: Position) => part(value, at) ?? instead, part)

/** What comes of a value that was read. */
export const mapped =
  <T, U>(part: ValueReader<T | undefined>, use: (value: T) => U): ValueReader<U | undefined> =>
  (value, at) => {
    const read = part(value, at)
    return read === undefined ? undefined : use(read)
  }

type Parts = Record<string, ValueReader<unknown>>
type ValueOf<P> = P extends { isRequired: true; (value: unknown, at: Position): infer T }
  ? Exclude<T, undefined>
  : P extends ValueReader<infer T>
    ? T
    : never
type Needed<P extends Parts> = { [K in keyof P]: undefined extends ValueOf<P[K]> ? never : K }[keyof P]

/** An object as its shape reads it: what may be missing is optional. */
export type Shaped<P extends Parts> = { readonly [K in Needed<P>]: ValueOf<P[K]> } & {
  readonly [K in Exclude<keyof P, Needed<P>>]?: ValueOf<P[K]> | undefined
}

/** What a shape reads. */
export type ReadBy<S> = S extends ValueReader<infer T> ? Exclude<T, undefined> : never

interface Field {
  readonly key: string
  readonly wireName: string
  readonly part: ValueReader<unknown>
}

export interface Shape<T> extends ValueReader<T | undefined> {
  readonly fields: readonly Field[]
}

/** Reads an object by the parts that it may have, in their order. Names that are none of them are not looked at. */
export function shape<const P extends Parts>(parts: P): Shape<Shaped<P>> {
  const fields = Object.entries(parts).map(([key, part]) => ({
    key,
    part,
    wireName: part.wireName ?? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  }))
  const read = (value: unknown, at: Position): Shaped<P> | undefined => {
    if (value === undefined || value === null) return undefined
    const record = asRecord(value)
    if (!record) return note(value, at)
    const made: Record<string, unknown> = {}
    const inner: Position = { context: at.context, name: '', parent: at }
    for (const { key, wireName, part } of fields) {
      inner.name = wireName
      made[key] = part(record[wireName], inner)
      if (part.isRequired && made[key] === undefined) return undefined
    }
    // Each part has put its own value under its own key.
    return made as Shaped<P>
  }
  return Object.assign(read, { fields })
}

/**
 * The same for an object among hundreds of a list, of which little is shown: where every part is plain, all but the required
 * ones are read when they are asked for, and are no own properties, so that it is not to be copied by spreading.
 */
export function lazily<T extends object>(whole: Shape<T>): ValueReader<T | undefined> {
  const { fields } = whole
  const now = fields.filter(({ part }) => part.isRequired)
  class Row {
    [key: string]: unknown
    readonly #record: Record<string, unknown>
    readonly #at: Position

    constructor(record: Record<string, unknown>, at: Position) {
      this.#record = record
      this.#at = at
      for (const { key, wireName, part } of now) this[key] = part(record[wireName], at)
    }

    static {
      for (const { key, wireName, part } of fields.filter((field) => !now.includes(field)))
        Object.defineProperty(Row.prototype, key, {
          get(this: Row) {
            return part(this.#record[wireName], this.#at)
          },
        })
    }
  }
  // Each on its own, in a plain loop: a page asks 7,000 times.
  const names = fields.map(({ wireName }) => wireName)
  const checks = fields.map(({ part }) => part.isPlain ?? (() => false))
  const isPlain = (record: Record<string, unknown>): boolean => {
    for (let at = 0; at < names.length; at += 1) if (!checks[at]?.(record[names[at] ?? ''])) return false
    return true
  }
  return (value, at) => {
    const record = asRecord(value)
    // It has every part of the shape.
    return record && isPlain(record) ? (new Row(record, at) as T) : whole(value, at)
  }
}

/** What cannot be read is noted, if only as a whole. */
function readOrNoted<T>(item: ValueReader<T | undefined>, value: unknown, at: Position): T | undefined {
  const { unread } = at.context
  const noted = unread.count
  return item(value, at) ?? (unread.count === noted ? note(value, at) : undefined)
}

/** The items of a list that can be read, and how many cannot; those that are not wanted are passed over unread. */
export const rows =
  <T>(
    item: ValueReader<T | undefined>,
    isWanted?: (one: unknown) => boolean,
  ): ValueReader<{ items: T[]; lost: number; passed: number } | undefined> =>
  (value, at) => {
    if (value === undefined || value === null) return undefined
    if (!Array.isArray(value)) return note(value, at)
    const { context } = at
    const inner = { context, name: 0, parent: at }
    const items: T[] = []
    let passed = 0
    for (const one of value as readonly unknown[]) {
      if (isWanted?.(one) === false) passed += 1
      else {
        const read = readOrNoted(item, one, inner)
        if (read !== undefined) items.push(read)
      }
      inner.name += 1
    }
    return { items, lost: value.length - items.length - passed, passed }
  }

/** The items of a list that can be read. */
export const many = <T>(item: ValueReader<T | undefined>): ValueReader<T[] | undefined> =>
  mapped(rows(item), ({ items }) => items)

const exactText: ValueReader<string | undefined> = (value, at) =>
  typeof value === 'string' ? at.context.hide(value) : undefined
const listOfTexts = many(exactText)

/** A list of texts; one text alone is a list of one. */
export const texts: ValueReader<string[] | undefined> = (value, at) =>
  typeof value === 'string' ? [at.context.hide(value)] : listOfTexts(value, at)
