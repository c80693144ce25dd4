import type { Kysely } from 'kysely'
import type { ColumnDefinition, Columns, RowOf } from './columns.ts'

/** One column that holds sealed text: the columns that name its row, and for what row the text is sealed. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly key: readonly string[]
  /** The columns of its identity. */
  readonly named: readonly string[]
  /** The first part of its identity, before them. */
  readonly label: string
  /** In SQL, the workspace whose key seals it; undefined for what the encryption keys themselves seal. */
  readonly owner: string | undefined
  /** True where rows stay when the workspace is forgotten, or where a new installation may write them meanwhile. */
  readonly outlasts: boolean
}

/** Its text is empty: that it opens proves the columns that are named for it, which are all those that decide something. */
export const PROOF = 'sealed_proof'

/**
 * What becomes of a workspace's rows when it is forgotten. Deleted: all of them, some at a time. Kept: a later installation and a
 * restore find them. Apart: whoever owns the table sees to it, since a new installation may write rows meanwhile.
 */
type WhenForgotten = 'deleted' | 'kept' | 'apart'

/** One table, declared by the room that owns it. The statements that make it, and all that must hold for each table, follow. */
export interface Table {
  readonly name: string
  readonly columns: { readonly names: readonly string[]; readonly definitions: readonly ColumnDefinition[] }
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** In SQL, what else must hold for its rows. */
  readonly constraints: readonly string[]
  /** By their names without that of the table: what stands behind `on TABLE`, in SQL. */
  readonly indexes: Readonly<Record<string, string>>
  readonly uniqueIndexes: Readonly<Record<string, string>>
  /** True where rows change often in columns that no index has: PostgreSQL keeps room on their pages, and then touches no index. */
  readonly isRewritten: boolean
  /** The migration that makes it; undefined for the first. */
  readonly since: string | undefined
  /** In SQL, the workspace (or organization) of a row; undefined where rows belong to none and tell nothing of one. */
  readonly owner: string | undefined
  readonly forgotten: WhenForgotten
  readonly sealed: readonly SealedColumn[]
  /** What a row is and what keeps the table from growing for ever, in a few words. */
  readonly row: string
  readonly bound: string
  /** Rows that the hourly sweep deletes: those whose time lies so far back, by the database's clock; `only`, in SQL, narrows them. */
  readonly swept: readonly { readonly at: string; readonly afterMs: number; readonly only?: string }[]
  /** Its rows go with rows of another table, which this column refers to: the database sees to it. */
  readonly partOf: { readonly table: string; readonly column: string } | undefined
  /** Which changes of its column `state` the database itself allows. */
  readonly transitions: Transitions | undefined
  /** What its rows are called where audit rows decide them: those that name one in `decided_by` must be the last that it decided. */
  readonly decides: string | undefined
  /** True for rows with `number`, `version`, `state` and `updated_at`, which a restore compares with those that it replaces. */
  readonly isNumbered: boolean
  /** Work of this kind about a row in this state may have been done after a backup: it is taken up as begun. */
  readonly restored: { readonly kind: string; readonly state: string } | undefined
}

export interface Transitions {
  readonly pairs: readonly (readonly [from: string, to: string])[]
  /** The error for any other change. */
  readonly refusal: string
}

/** A migration that has been released is never edited: a change is a new one. */
export interface Migration {
  readonly name: string
  readonly up: (db: Kysely<unknown>) => Promise<void>
}

/** What a program stores: every table, and the migrations that make them, in the order in which they run. */
export interface Model {
  /** The program's name for its connections, as PostgreSQL lists them. */
  readonly name: string
  readonly tables: readonly Table[]
  readonly migrations: readonly Migration[]
}

/** What a table has unless it says otherwise. */
const USUAL = {
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

interface Declared<Of> extends Partial<Pick<Table, keyof typeof USUAL>> {
  readonly columns: Columns<Of>
  readonly key: readonly (keyof RowOf<Of> & string)[]
  readonly row: string
  readonly bound: string
  readonly owner?: string
  readonly isOfNoWorkspace?: boolean
  /** Each sealed column; its identity is the table and then the key, unless it says otherwise. */
  readonly sealed?: Readonly<
    Record<string, { readonly named?: readonly string[]; readonly label?: string; readonly byRoot?: boolean }>
  >
  /** The columns that a proof covers beside the key. */
  readonly proves?: readonly string[]
}

/** The types of the rows of some tables, by their names. */
export type RowsOf<Tables extends readonly Table[]> = {
  [One in Tables[number] as One['name']]: One extends { readonly columns: { readonly columns: infer Of } }
    ? RowOf<Of>
    : never
}

/** Rows of a table belong to the workspace in `workspace_id` and are deleted with it, unless it says otherwise. */
export function table<const Name extends string, Of>(
  name: Name,
  declared: Declared<Of>,
): Table & { readonly name: Name; readonly columns: Columns<Of> } {
  const { isOfNoWorkspace = false, sealed = {}, proves, ...said } = declared
  const { key, forgotten } = { ...USUAL, ...said }
  const owner = isOfNoWorkspace ? undefined : (said.owner ?? 'workspace_id')
  const outlasts = forgotten !== 'deleted'
  const columnsOf = Object.entries(sealed).map(
    ([column, { named = key, label = name, byRoot = false }]): SealedColumn => ({
      table: name,
      column,
      key,
      named,
      label,
      owner: byRoot ? undefined : owner,
      outlasts,
    }),
  )
  // Sealed apart from the other columns of the row, so that these may be sealed anew.
  if (proves !== undefined)
    columnsOf.push({
      table: name,
      column: PROOF,
      key,
      named: [...key, ...proves],
      label: `${name} row`,
      owner: undefined,
      outlasts,
    })
  return { ...USUAL, ...said, name, owner, sealed: columnsOf }
}

/** Every sealed column; check values are no content, and are left out. */
export const sealedColumns = (tables: readonly Table[]): readonly SealedColumn[] =>
  tables.flatMap(({ sealed }) => sealed)
