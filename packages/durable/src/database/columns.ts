import type { Generated, Selectable } from 'kysely'

/** How one column is stored, and what it is where it is used. */
export interface Column<Value, Stored> {
  /** Its type in SQL, which both databases read. */
  readonly type: string
  readonly read: (stored: Stored) => Value
  readonly write: (value: Value) => Stored
  /** What it is called where that is not its key in snake case. */
  readonly column?: string
  /** All that it may hold; the database refuses others. */
  readonly values?: readonly string[]
  /** The migration that adds it to a table that was made before. */
  readonly since?: string
}

/** A column as a statement that makes it has it. */
export interface ColumnDefinition {
  readonly name: string
  /** Its name, its type and what it may hold. */
  readonly sql: string
  readonly since: string | undefined
}

/** No more is asked of them, so that what each is follows from itself. */
type AnyColumns = Readonly<Record<string, { readonly type: string }>>
type Snake<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ''
type NameOf<Key, Of> = Of extends { readonly column: infer Name extends string } ? Name : Snake<Key & string>
type ValueIn<Of> = Of extends Column<infer Value, infer _> ? Value : never
type StoredIn<Of> = Of extends Column<infer _, infer Stored> ? Stored : never
type Optional<Of> = { [Key in keyof Of]: undefined extends ValueIn<Of[Key]> ? Key : never }[keyof Of]

/** A row as the database has it. */
export type RowOf<Of> = { -readonly [Key in keyof Of as NameOf<Key, Of[Key]>]: StoredIn<Of[Key]> }
/** What a row says. */
type ReadOf<Of> = { readonly [Key in keyof Of]: ValueIn<Of[Key]> }
type WrittenOf<Of> = { readonly [Key in Exclude<keyof Of, Optional<Of>>]: ValueIn<Of[Key]> } & {
  readonly [Key in Optional<Of>]?: ValueIn<Of[Key]>
}

/** The columns of a table, or some of them, declared once: the type of a row, its reading, its writing and its SQL follow. */
export interface Columns<Of> {
  readonly columns: Of
  readonly names: readonly (keyof RowOf<Of> & string)[]
  /** By what each is called where it is used, its name in the database. */
  readonly named: { readonly [Key in keyof Of]: NameOf<Key, Of[Key]> & string }
  readonly definitions: readonly ColumnDefinition[]
  /** What these columns of a row say, which may have others. */
  of(row: Selectable<RowOf<Of>>): ReadOf<Of>
  row(value: WrittenOf<Of>): RowOf<Of>
}

export function columns<const Of extends AnyColumns>(declared: Of): Columns<Of> {
  // What the types say follows from `declared` alone, key by key, which no type of a loop can express.
  const untyped = declared as unknown as Record<string, Column<unknown, unknown>>
  const all = Object.entries(untyped).map(([key, one]) => ({ ...one, key, name: one.column ?? snake(key) }))
  const built = {
    columns: declared,
    names: all.map(({ name }) => name),
    named: Object.fromEntries(all.map(({ key, name }) => [key, name])),
    definitions: all.map(({ name, type, values, since }) => ({
      name,
      sql: `"${name}" ${type}${values ? ` check ("${name}" in (${values.map((one) => `'${one}'`).join(', ')}))` : ''}`,
      since,
    })),
    of(row: Record<string, unknown>) {
      const value: Record<string, unknown> = {}
      for (const { key, name, read } of all) value[key] = read(row[name])
      return value
    },
    row(value: Record<string, unknown>) {
      const row: Record<string, unknown> = {}
      for (const { key, name, write } of all) row[name] = write(value[key])
      return row
    },
  }
  return built as unknown as Columns<Of>
}

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const same = <T>(value: T): T => value

export const text = <T extends string = string>(): Column<T, T> => ({
  type: 'text not null',
  read: same,
  write: same,
})
export const number = <T extends number = number>(): Column<T, T> => ({
  type: 'integer not null',
  read: same,
  write: same,
})
/** PostgreSQL gives large numbers as texts. */
export const large = (): Column<number, number> => ({ type: 'bigint not null', read: Number, write: same })
export const flag = (): Column<boolean, number> => ({
  type: 'integer not null',
  read: (stored) => stored === 1,
  write: (value) => (value ? 1 : 0),
})
/** ISO 8601. */
export const date = (): Column<Date, string> => ({
  type: 'text not null',
  read: (stored) => new Date(stored),
  write: (value) => value.toISOString(),
})
/** Written by this program alone, so that it is of this type; `revive` makes dates of what JSON keeps as texts. */
export const json = <T, Parsed = T>(revive?: (parsed: Parsed) => T): Column<T, string> => ({
  type: 'text not null',
  read: (stored) => (revive ? revive(JSON.parse(stored) as Parsed) : (JSON.parse(stored) as T)),
  write: (value) => JSON.stringify(value),
})

/** One of a few words. */
export const oneOf = <const T extends string>(...values: readonly T[]): Column<T, T> => ({
  ...text<T>(),
  values,
})
/** Rows are written without it, or by statements that count it up. */
export const counted = (): Column<number, Generated<number>> => ({
  type: 'integer not null default 0',
  read: Number,
  // `Generated` is Kysely's word for what a row may be written without: what is written is a number.
  write: (value) => value as unknown as Generated<number>,
})
/** The proof that this program wrote the row (`PROOF`); nothing is there where something else has. */
export const proof = (): Column<string, string> & { readonly column: 'sealed_proof' } => ({
  ...text(),
  type: 'text',
  column: 'sealed_proof',
})
/** Added by a migration after the first; a column that is not optional needs a default. */
export const since = <const Of extends { readonly type: string }>(migration: string, column: Of) => ({
  ...column,
  since: migration,
})

export const maybe = <Value, Stored>(
  column: Column<Value, Stored>,
): Column<Value | undefined, Stored | null> => ({
  ...(column.values && { values: column.values }),
  type: column.type.replace(' not null', ''),
  read: (stored) => (stored === null ? undefined : column.read(stored)),
  write: (value) => (value === undefined ? null : column.write(value)),
})

export const named = <const Name extends string, Value, Stored>(
  name: Name,
  column: Column<Value, Stored>,
): Column<Value, Stored> & { readonly column: Name } => ({ ...column, column: name })
