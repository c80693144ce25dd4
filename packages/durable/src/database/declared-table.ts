import type { Kysely } from 'kysely'
import type { ColumnDefinition, Columns, RowOf } from './columns.ts'

/** A column with sealed text, the columns that identify its row, and the identity that the text is sealed for. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly key: readonly string[]
  readonly identityColumns: readonly string[]
}

/**
 * What happens to a workspace's rows when the workspace is forgotten: when it stops using the app, its content is deleted, but its
 * settings and audit log stay.
 */
type WhenForgotten =
  /** They're deleted in batches. */
  | 'deleted'
  /** They stay for a later installation or a restore. */
  | 'kept'
  /** The module that declares the table handles them, because a new installation may write rows meanwhile. */
  | 'apart'

/** A table, declared once by the module that owns it. Its SQL, row types, and lifecycle are derived from the declaration. */
export interface Table {
  readonly name: string
  readonly columns: { readonly names: readonly string[]; readonly definitions: readonly ColumnDefinition[] }
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** SQL constraints for its rows. */
  readonly constraints: readonly string[]
  /** By name without the table prefix: the SQL after `on TABLE`. */
  readonly indexes: Readonly<Record<string, string>>
  readonly uniqueIndexes: Readonly<Record<string, string>>
  /**
   * True if rows often change in columns without an index. PostgreSQL then reserves space on pages for updates that don't touch
   * any index.
   */
  readonly isRewritten: boolean
  /** The migration that creates it. Undefined for the first one. */
  readonly since: string | undefined
  /** An SQL expression for the row's workspace (or organization). Undefined if rows don't belong to any. */
  readonly owner: string | undefined
  readonly forgotten: WhenForgotten
  readonly sealed: readonly SealedColumn[]
  /** For documentation: what a row is, in a few words. */
  readonly row: string
  /** For documentation: what limits the number of rows, in a few words. */
  readonly bound: string
  /**
   * The rows that the hourly sweep deletes: those whose column `at` is more than `afterMs` in the past, by the database's clock.
   * `only` is an SQL condition that narrows them.
   */
  readonly swept: readonly { readonly at: string; readonly afterMs: number; readonly only?: string }[]
  /** The column that refers to another table's rows. Deleting those deletes these rows, too (ON DELETE CASCADE). */
  readonly partOf: { readonly table: string; readonly column: string } | undefined
  /**
   * A row that was in this state at the backup may have been sent since. So a restore marks this step of the row's work of this kind as
   * begun, which makes its outcome unknown.
   */
  readonly restored: { readonly kind: string; readonly state: string; readonly step: string } | undefined
}

/** A migration is never edited after its release. Add a new one for each change. */
export interface Migration {
  readonly name: string
  readonly up: (db: Kysely<unknown>) => Promise<void>
}

/** What the app stores: all tables, and the migrations that create them, in order. */
export interface Model {
  /** The app's name for its connections, as listed by PostgreSQL. */
  readonly name: string
  readonly tables: readonly Table[]
  readonly migrations: readonly Migration[]
}

/** Defaults for a table. */
const DEFAULTS = {
  constraints: [],
  indexes: {},
  uniqueIndexes: {},
  isRewritten: false,
  since: undefined,
  swept: [],
  forgotten: 'deleted',
  partOf: undefined,
  restored: undefined,
} satisfies Partial<Table>

interface Declared<Of> extends Partial<Pick<Table, keyof typeof DEFAULTS>> {
  readonly columns: Columns<Of>
  readonly key: readonly (keyof RowOf<Of> & string)[]
  readonly row: string
  readonly bound: string
  readonly owner?: string
  readonly hasNoWorkspace?: boolean
  /** Its sealed columns. By default, a column's identity is the table and the key. */
  readonly sealed?: Readonly<Record<string, { readonly identityColumns?: readonly string[] }>>
}

/** The row types of tables, by table name. */
export type RowsOf<Tables extends readonly Table[]> = {
  [One in Tables[number] as One['name']]: One extends { readonly columns: { readonly columns: infer Of } }
    ? RowOf<Of>
    : never
}

/** Declares a table. By default, rows belong to the workspace in `workspace_id` and are deleted with it. */
export function table<const Name extends string, Of>(
  name: Name,
  declared: Declared<Of>,
): Table & { readonly name: Name; readonly columns: Columns<Of> } {
  const { hasNoWorkspace = false, sealed = {}, ...options } = declared
  const { key } = options
  const owner = hasNoWorkspace ? undefined : (options.owner ?? 'workspace_id')
  const sealedList = Object.entries(sealed).map(
    ([column, { identityColumns = key }]): SealedColumn => ({ table: name, column, key, identityColumns }),
  )
  return { ...DEFAULTS, ...options, name, owner, sealed: sealedList }
}

/** Lists all declared sealed columns. */
export const sealedColumns = (tables: readonly Table[]): readonly SealedColumn[] =>
  tables.flatMap(({ sealed }) => sealed)
