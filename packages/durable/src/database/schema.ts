import type { InsertObject, Kysely, Selectable, SelectQueryBuilder, UpdateObject } from 'kysely'
import type { RowOf } from './columns.ts'
import type { RowsOf } from './declared-table.ts'
import type {
  AUDIT_CHAIN,
  AUDIT_ENTRY,
  KEY_CHECK,
  OWN_TABLES,
  SETTING,
  WORK,
  WORK_STEP,
  WORKSPACE_KEY,
} from './own-tables.ts'

// What is stored and proved of each is declared with its table (own-tables.ts).

export type SettingRow = RowOf<typeof SETTING.columns>
export type AuditEntryRow = RowOf<typeof AUDIT_ENTRY.columns>
export type AuditOutcome = AuditEntryRow['outcome']
export type AuditChainRow = RowOf<typeof AUDIT_CHAIN.columns>
export type WorkRow = RowOf<typeof WORK.columns>
export type WorkState = WorkRow['state']
export type StepState = RowOf<typeof WORK_STEP.columns>['state']
export type KeyCheckRow = RowOf<typeof KEY_CHECK.columns>
export type WorkspaceKeyRow = RowOf<typeof WORKSPACE_KEY.columns>
export type KeyPurpose = WorkspaceKeyRow['purpose']

/**
 * Rows as both databases return them: times are ISO text in UTC, flags 0 or 1. Whoever owns other tables adds their rows, by
 * `declare module '@signalman/durable/schema'`.
 */
export interface Schema extends RowsOf<typeof OWN_TABLES> {}

export type Rows = Kysely<Schema>

/** A row as it is read. */
type Stored<Name extends keyof Schema> = Selectable<Schema[Name]>
/** Null: the column is empty. */
type Are<Of> = { readonly [Column in keyof Of]?: Of[Column] }

/** Kysely cannot tell what is in a table whose name is not known here; each function below says it of its own table. */
const untyped = (rows: Rows) => rows as unknown as Kysely<Record<string, Record<string, unknown>>>

/**
 * The rows of a table in which these columns have these values: `select * from name where …`, which the caller may narrow further. Only
 * in `mayBe` does an undefined value match everything: elsewhere a key that happened to be undefined would read the rows of everybody.
 */
export const rowsIn = <Name extends keyof Schema>(
  rows: Rows,
  name: Name,
  are: Are<Stored<Name>>,
  mayBe: { readonly [Column in keyof Stored<Name>]?: Stored<Name>[Column] | undefined } = {},
) =>
  untyped(rows)
    .selectFrom<string>(name)
    .selectAll()
    .where((row) => row.and({ ...mayBe, ...are })) as unknown as SelectQueryBuilder<
    Schema,
    Name,
    Stored<Name>
  >

/** Deletes the rows in which these columns have these values. Returns how many. */
export async function deleteIn<Name extends keyof Schema>(
  rows: Rows,
  name: Name,
  are: Are<Stored<Name>>,
): Promise<number> {
  const deleting = untyped(rows).deleteFrom<string>(name)
  return Number((await deleting.where((row) => row.and(are)).executeTakeFirstOrThrow()).numDeletedRows)
}

/** Sets columns in the rows in which these columns have these values. Returns how many rows. */
export async function updateIn<Name extends keyof Schema>(
  rows: Rows,
  name: Name,
  are: Are<Stored<Name>>,
  set: UpdateObject<Schema, Name>,
): Promise<number> {
  const updating = untyped(rows)
    .updateTable<string>(name)
    .set(set as Record<string, unknown>)
  return Number((await updating.where((row) => row.and(are)).executeTakeFirstOrThrow()).numUpdatedRows)
}

/** Writes a row; where one has its key, all of that one, or only what is in `changed`. */
export async function upsertIn<Name extends keyof Schema>(
  rows: Rows,
  name: Name,
  key: readonly (keyof Stored<Name> & string)[],
  row: InsertObject<Schema, Name>,
  changed: UpdateObject<Schema, Name> = row as UpdateObject<Schema, Name>,
): Promise<void> {
  const inserting = untyped(rows)
    .insertInto<string>(name)
    .values(row as Record<string, unknown>)
  await inserting.onConflict((conflict) => conflict.columns(key).doUpdateSet({ ...changed })).execute()
}
