import { type Kysely, sql, type Transaction } from 'kysely'
import type { Schema, StateMoveRow } from './schema.ts'

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
export type WhenForgotten = 'deleted' | 'kept' | 'apart'

/** One table, declared by the room that owns it. Everything that must hold for each table is derived from these. */
export interface Table {
  readonly name: string
  /** In SQL, the workspace (or organization) of a row; undefined where rows belong to none and tell nothing of one. */
  readonly owner: string | undefined
  readonly forgotten: WhenForgotten
  readonly sealed: readonly SealedColumn[]
  /** What a row is and what keeps the table from growing for ever, in a few words. */
  readonly row: string
  readonly bound: string
  /** Rows that the hourly sweep deletes: those whose time lies so far back, by the database's clock; `only`, in SQL, narrows them. */
  readonly swept: readonly { readonly at: string; readonly afterMs: number; readonly only?: string }[]
  /** Its rows go with rows of another table, which this column names. */
  readonly partOf: { readonly table: string; readonly column: string } | undefined
  /** The pairs of states that the program allows, for a table by which the database refuses steps. */
  readonly moves: readonly (readonly [from: string, to: string])[] | undefined
  /** An act that the audit log must have for each row: what it is called, the column with its time, and whether it comes first. */
  readonly logged: { readonly what: string; readonly at: string; readonly isFirst: boolean } | undefined
  /** True for rows with `number`, `version`, `state` and `updated_at`, which a restore compares with those that it replaces. */
  readonly isNumbered: boolean
  /** Work of this kind about a row in this state may have been done after a backup: it is taken up as begun. */
  readonly restored: { readonly kind: string; readonly state: string } | undefined
}

/** A migration that has been released is never edited: a change is a new one. */
export interface Migration {
  readonly name: string
  readonly up: (db: Kysely<unknown>) => Promise<void>
}

/** What a program stores: every table, and the migrations that make them, in the order in which they run. */
export interface Model {
  readonly tables: readonly Table[]
  readonly migrations: readonly Migration[]
}

interface Declared {
  readonly row: string
  readonly bound: string
  readonly swept?: Table['swept']
  /** The columns of the primary key; only where something is sealed. */
  readonly key?: readonly string[]
  readonly owner?: string
  readonly forgotten?: WhenForgotten
  readonly isOfNoWorkspace?: boolean
  /** Each sealed column; its identity is the table and then the key, unless it says otherwise. */
  readonly sealed?: Readonly<
    Record<string, { readonly named?: readonly string[]; readonly label?: string; readonly byRoot?: boolean }>
  >
  /** The columns that a proof covers beside the key. */
  readonly proves?: readonly string[]
  readonly partOf?: Table['partOf']
  readonly moves?: Table['moves']
  readonly logged?: Table['logged']
  readonly isNumbered?: boolean
  readonly restored?: Table['restored']
}

/** Rows of a table belong to the workspace in `workspace_id` and are deleted with it, unless it says otherwise. */
export function table(name: keyof Schema & string, declared: Declared): Table {
  const { key = [], forgotten = 'deleted', isOfNoWorkspace = false, sealed = {}, proves } = declared
  const owner = isOfNoWorkspace ? undefined : (declared.owner ?? 'workspace_id')
  const outlasts = forgotten !== 'deleted'
  return {
    name,
    owner,
    forgotten,
    row: declared.row,
    bound: declared.bound,
    swept: declared.swept ?? [],
    sealed: [
      ...Object.entries(sealed).map(([column, { named = key, label = name, byRoot = false }]) => ({
        ...{ table: name, column, key, named, label, owner: byRoot ? undefined : owner, outlasts },
      })),
      // Sealed apart from the other columns of the row, so that these may be sealed anew.
      ...(proves === undefined
        ? []
        : [
            {
              ...{ table: name, column: PROOF, key, named: [...key, ...proves], label: `${name} row` },
              ...{ owner: undefined, outlasts },
            },
          ]),
    ],
    partOf: declared.partOf,
    moves: declared.moves,
    logged: declared.logged,
    isNumbered: declared.isNumbered ?? false,
    restored: declared.restored,
  }
}

/** Every sealed column; check values are no content, and are left out. */
export const sealedColumns = (tables: readonly Table[]): readonly SealedColumn[] =>
  tables.flatMap(({ sealed }) => sealed)

/** Brings the tables by which the database refuses steps up to date. Writes only differences. */
export async function updateStateGuards(
  transaction: Transaction<Schema>,
  tables: readonly Table[],
): Promise<void> {
  for (const { name, moves } of tables) if (moves) await updateMoves(transaction, name, moves)
}

async function updateMoves(
  rows: Transaction<Schema>,
  name: string,
  moves: readonly (readonly [from: string, to: string])[],
): Promise<void> {
  const { rows: found } =
    await sql<StateMoveRow>`select from_state, to_state from ${sql.table(name)}`.execute(rows)
  const there = new Set(found.map(({ from_state, to_state }) => `${from_state} ${to_state}`))
  const allowed = new Set(moves.map((move) => move.join(' ')))
  for (const { from_state, to_state } of found)
    if (!allowed.has(`${from_state} ${to_state}`))
      await sql`delete from ${sql.table(name)} where from_state = ${from_state} and to_state = ${to_state}`.execute(
        rows,
      )
  for (const move of allowed) {
    if (there.has(move)) continue
    const [from, to] = move.split(' ')
    await sql`insert into ${sql.table(name)} (from_state, to_state) values (${from}, ${to})`.execute(rows)
  }
}
