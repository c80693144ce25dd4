import type { Generated, Selectable } from 'kysely'

/** How a column is stored, and the type it has in code. */
export interface Column<Value, Stored> {
  /** Its SQL type, which both databases accept. */
  readonly type: string
  readonly read: (stored: Stored) => Value
  readonly write: (value: Value) => Stored
  /** Its name in the database, if it isn't its key in snake case. */
  readonly column?: string
  /** The only values allowed. The database rejects others. */
  readonly values?: readonly string[]
  /** The migration that adds it to an existing table. */
  readonly since?: string
}

/** A column in a CREATE TABLE or ALTER TABLE statement. */
export interface ColumnDefinition {
  readonly name: string
  /** Its name, type, and constraints in SQL. */
  readonly sql: string
  readonly since: string | undefined
}

/** A loose constraint, so that the specific type of each column is inferred. */
type AnyColumns = Readonly<Record<string, { readonly type: string }>>
type Snake<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ''
// In these types, `One` is a column and `All` are the columns of a table.
type NameOf<Key, One> = One extends { readonly column: infer Name extends string }
  ? Name
  : Snake<Key & string>
type ValueIn<One> = One extends Column<infer Value, infer _> ? Value : never
type StoredIn<One> = One extends Column<infer _, infer Stored> ? Stored : never
type Optional<All> = { [Key in keyof All]: undefined extends ValueIn<All[Key]> ? Key : never }[keyof All]

/** A row as the database returns it. */
export type RowOf<All> = { -readonly [Key in keyof All as NameOf<Key, All[Key]>]: StoredIn<All[Key]> }
/** A row as code uses it. */
type ReadOf<All> = { readonly [Key in keyof All]: ValueIn<All[Key]> }
type WrittenOf<All> = { readonly [Key in Exclude<keyof All, Optional<All>>]: ValueIn<All[Key]> } & {
  readonly [Key in Optional<All>]?: ValueIn<All[Key]>
}

/** Declares all or some columns of a table once. The row type, parsing, formatting, and SQL are derived from it. */
export interface Columns<All> {
  readonly columns: All
  readonly names: readonly (keyof RowOf<All> & string)[]
  /** Column names in the database, by their names in code. */
  readonly named: { readonly [Key in keyof All]: NameOf<Key, All[Key]> & string }
  readonly definitions: readonly ColumnDefinition[]
  /** Parses these columns of a row, which may have others. */
  parse(row: Selectable<RowOf<All>>): ReadOf<All>
  toRow(value: WrittenOf<All>): RowOf<All>
}

export function columns<const All extends AnyColumns>(declared: All): Columns<All> {
  // The types are derived key by key, which TypeScript can't express for a loop.
  const untyped = declared as unknown as Record<string, Column<unknown, unknown>>
  const declaredColumns = Object.entries(untyped).map(([key, column]) => ({
    ...column,
    key,
    name: column.column ?? toSnakeCase(key),
  }))
  const built = {
    columns: declared,
    names: declaredColumns.map(({ name }) => name),
    named: Object.fromEntries(declaredColumns.map(({ key, name }) => [key, name])),
    definitions: declaredColumns.map(({ name, type, values, since }) => ({
      name,
      sql: `"${name}" ${type}${values ? ` check ("${name}" in (${values.map((value) => `'${value}'`).join(', ')}))` : ''}`,
      since,
    })),
    parse(row: Record<string, unknown>) {
      const value: Record<string, unknown> = {}
      for (const { key, name, read } of declaredColumns) value[key] = read(row[name])
      return value
    },
    toRow(value: Record<string, unknown>) {
      const row: Record<string, unknown> = {}
      for (const { key, name, write } of declaredColumns) row[name] = write(value[key])
      return row
    },
  }
  return built as unknown as Columns<All>
}

const toSnakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const identity = <T>(value: T): T => value

export const text = <T extends string = string>(): Column<T, T> => ({
  type: 'text not null',
  read: identity,
  write: identity,
})
export const number = <T extends number = number>(): Column<T, T> => ({
  type: 'integer not null',
  read: identity,
  write: identity,
})
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
/** JSON. Only the app writes it, so the casts are safe. `revive` turns texts back into dates. */
export const json = <T, Parsed = T>(revive?: (parsed: Parsed) => T): Column<T, string> => ({
  type: 'text not null',
  read: (stored) => (revive ? revive(JSON.parse(stored) as Parsed) : (JSON.parse(stored) as T)),
  write: (value) => JSON.stringify(value),
})

/** One of several fixed words. */
export const oneOf = <const T extends string>(...values: readonly T[]): Column<T, T> => ({
  ...text<T>(),
  values,
})
/** A counter that starts at 0. It may be omitted on insert. */
export const counted = (): Column<number, Generated<number>> => ({
  type: 'integer not null default 0',
  read: Number,
  // `Generated` is Kysely's type for a column that may be omitted on insert.
  write: (value) => value as unknown as Generated<number>,
})
/** A number that the database assigns, one higher for each row. It's the primary key, and omitted on insert. */
export const serial = (): Column<number, Generated<number>> => ({ ...counted(), type: SERIAL })
/** In SQLite, this is the row ID. `makeTables` adds what PostgreSQL needs. */
export const SERIAL = 'integer not null generated by default as identity'
/** Added by a later migration. A column that isn't optional needs a default. */
export const since = <const One extends { readonly type: string }>(migration: string, column: One) => ({
  ...column,
  since: migration,
})

/** A nullable column. Null is `undefined` in code. */
export const maybe = <Value, Stored>(
  column: Column<Value, Stored>,
): Column<Value | undefined, Stored | null> => ({
  ...(column.values && { values: column.values }),
  type: column.type.replace(' not null', ''),
  read: (stored) => (stored === null ? undefined : column.read(stored)),
  write: (value) => (value === undefined ? null : column.write(value)),
})

/** A column with another name in the database than in code. */
export const named = <const Name extends string, Value, Stored>(
  name: Name,
  column: Column<Value, Stored>,
): Column<Value, Stored> & { readonly column: Name } => ({ ...column, column: name })
