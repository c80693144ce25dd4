import {
  type InsertObject,
  type Kysely,
  PostgresAdapter,
  type Selectable,
  type SelectQueryBuilder,
  type UpdateObject,
} from 'kysely'
import type { RowOf } from './columns.ts'
import type { RowsOf } from './declared-table.ts'
import type { AUDIT_ENTRY, OWN_TABLES, WORK, WORK_STEP } from './own-tables.ts'

// Each table's sealed columns are declared in own-tables.ts.

export type AuditEntryRow = Selectable<RowOf<typeof AUDIT_ENTRY.columns>>
export type AuditOutcome = AuditEntryRow['outcome']
export type WorkRow = RowOf<typeof WORK.columns>
export type WorkStepRow = RowOf<typeof WORK_STEP.columns>
export type WorkState = WorkRow['state']
export type StepState = RowOf<typeof WORK_STEP.columns>['state']

/**
 * Rows as both databases return them: times are ISO text in UTC, flags are 0 or 1. Owners of other tables add their rows with
 * `declare module '@signalman/durable/schema'`.
 */
export interface Schema extends RowsOf<typeof OWN_TABLES> {}

export type Rows = Kysely<Schema>

/** Whether these rows are in PostgreSQL. */
export const isPostgres = (rows: Pick<Kysely<unknown>, 'getExecutor'>): boolean =>
  rows.getExecutor().adapter instanceof PostgresAdapter

/** A row as read from the database. */
type Stored<Name extends keyof Schema> = Selectable<Schema[Name]>
/** Column values to match. Null matches rows in which the column is null. */
type ColumnValues<Of> = { readonly [Column in keyof Of]?: Of[Column] }

/** Kysely can't infer the columns of a table that is a type parameter, so each function below casts to its own table's types. */
const untyped = (rows: Rows) => rows as unknown as Kysely<Record<string, Record<string, unknown>>>

/**
 * Selects the rows with these column values: `select * from name where …`. The caller may add conditions. An undefined value
 * matches everything, but is only allowed in `optional`: elsewhere, an accidental undefined would return everyone's rows.
 */
export const selectRows = <Name extends keyof Schema>(
  rows: Rows,
  name: Name,
  where: ColumnValues<Stored<Name>>,
  optional: { readonly [Column in keyof Stored<Name>]?: Stored<Name>[Column] | undefined } = {},
) =>
  untyped(rows)
    .selectFrom<string>(name)
    .selectAll()
    .where((row) => row.and({ ...optional, ...where })) as unknown as SelectQueryBuilder<
    Schema,
    Name,
    Stored<Name>
  >

/** Deletes the rows with these column values. Returns how many. */
export async function deleteRows<Name extends keyof Schema>(
  rows: Rows,
  name: Name,
  where: ColumnValues<Stored<Name>>,
): Promise<number> {
  const deleting = untyped(rows).deleteFrom<string>(name)
  return Number((await deleting.where((row) => row.and(where)).executeTakeFirstOrThrow()).numDeletedRows)
}

/** Updates the rows with these column values. Returns how many. */
export async function updateRows<Name extends keyof Schema>(
  rows: Rows,
  name: Name,
  where: ColumnValues<Stored<Name>>,
  set: UpdateObject<Schema, Name>,
): Promise<number> {
  const updating = untyped(rows)
    .updateTable<string>(name)
    .set(set as Record<string, unknown>)
  return Number((await updating.where((row) => row.and(where)).executeTakeFirstOrThrow()).numUpdatedRows)
}

/** Inserts a row. If its key exists, replaces the whole row, or only the columns in `changed`. */
export async function upsertRow<Name extends keyof Schema>(
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
