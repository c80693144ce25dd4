import type { Kysely } from 'kysely'
import type { ColumnDefinition, Columns, RowOf } from './columns.ts'

/** A column with sealed text, the columns that identify its row, and the identity that the text is sealed for. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly key: readonly string[]
  /** The columns in its identity. */
  readonly identityColumns: readonly string[]
  /** The first part of its identity, before the columns. */
  readonly label: string
  /** An SQL expression for the workspace whose key seals it. Undefined if the encryption keys themselves seal it. */
  readonly owner: string | undefined
  /** True unless the rows are deleted when their workspace is forgotten. */
  readonly outlivesWorkspace: boolean
}

/**
 * The name of the proof column. It contains an empty text, sealed together with the row's protected columns, so it opens only if
 * none of them was changed.
 */
export const PROOF = 'sealed_proof'

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
  /** The changes of the column `state` that the database allows. */
  readonly transitions: Transitions | undefined
  /** For a table with protected rows (see decisions.ts): what a row is called in the list of decisions. */
  readonly decides: string | undefined
  /**
   * True for rows with `number`, `version`, `state`, and `updated_at`. A restore compares them with those of the database that it
   * replaces.
   */
  readonly isNumbered: boolean
  /**
   * A row that was in this state at the backup may have been sent since. So a restore marks the row's work of this kind as begun, which
   * makes its outcome unknown.
   */
  readonly restored: { readonly kind: string; readonly state: string } | undefined
}

export interface Transitions {
  readonly pairs: readonly (readonly [from: string, to: string])[]
  /** The error for any other change. */
  readonly refusal: string
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
  transitions: undefined,
  decides: undefined,
  isNumbered: false,
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
  readonly sealed?: Readonly<
    Record<
      string,
      {
        readonly identityColumns?: readonly string[]
        readonly label?: string
        readonly isSealedByRoot?: boolean
      }
    >
  >
  /** The columns covered by the proof, in addition to the key. */
  readonly provenColumns?: readonly string[]
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
  const { hasNoWorkspace = false, sealed = {}, provenColumns, ...options } = declared
  const { key, forgotten } = { ...DEFAULTS, ...options }
  const owner = hasNoWorkspace ? undefined : (options.owner ?? 'workspace_id')
  const outlivesWorkspace = forgotten !== 'deleted'
  const sealedList = Object.entries(sealed).map(
    ([column, { identityColumns = key, label = name, isSealedByRoot = false }]): SealedColumn => ({
      table: name,
      column,
      key,
      identityColumns,
      label,
      owner: isSealedByRoot ? undefined : owner,
      outlivesWorkspace,
    }),
  )
  // Sealed separately from the row's other columns, so that those can be re-sealed.
  if (provenColumns !== undefined)
    sealedList.push({
      table: name,
      column: PROOF,
      key,
      identityColumns: [...key, ...provenColumns],
      label: `${name} row`,
      owner: undefined,
      outlivesWorkspace,
    })
  return { ...DEFAULTS, ...options, name, owner, sealed: sealedList }
}

/** Lists all declared sealed columns. The check values of keys aren't among them. */
export const sealedColumns = (tables: readonly Table[]): readonly SealedColumn[] =>
  tables.flatMap(({ sealed }) => sealed)
