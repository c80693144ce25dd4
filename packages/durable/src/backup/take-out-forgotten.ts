import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { sealedColumns, type Table } from '../database/declared-table.ts'
import type { Schema } from '../database/schema.ts'
import { tablesOf } from '../database/stored-tables.ts'

type Rows = Kysely<Schema>

/**
 * Deletes what was sealed with a key that was destroyed after the backup, as it was deleted here when its workspace was
 * forgotten; and with it all work and watching of that workspace. Returns how many rows of content it was.
 */
export async function takeOutForgotten(
  { kind, model: { tables } }: Pick<Database, 'kind' | 'model'>,
  rows: Rows,
): Promise<number> {
  let count = 0
  const workspaces = await forgottenIn(rows, tables)
  for (const { table, column, owner } of sealedColumns(tables)) {
    if (owner === undefined) continue
    const isGone = isUnopened(column)
    for (const { name, partOf } of tables)
      if (partOf?.table === table)
        await sql`delete from ${sql.table(name)} where ${sql.ref(partOf.column)} in
        (select id from ${sql.table(table)} where ${isGone})`.execute(rows)
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${isGone}`.execute(rows)
    count += Number(numAffectedRows ?? 0n)
  }
  for (const table of (await tablesOf(rows, kind)).toReversed()) {
    const declared = tables.find(({ name }) => name === table.name)
    if (declared?.owner === undefined || declared.forgotten !== 'deleted') continue
    const { owner } = declared
    for (const workspaceId of workspaces)
      await sql`delete from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId}`.execute(rows)
  }
  return count
}

/** The workspaces whose content is gone since. */
async function forgottenIn(rows: Rows, tables: readonly Table[]): Promise<ReadonlySet<string>> {
  const workspaces = new Set<string>()
  for (const { table, column, owner } of sealedColumns(tables)) {
    if (owner === undefined) continue
    const { rows: found } = await sql<{ id: string }>`
      select distinct ${sql.raw(owner)} as "id" from ${sql.table(table)}
      where ${isUnopened(column)}`.execute(rows)
    for (const { id } of found) workspaces.add(id)
  }
  return workspaces
}

const isUnopened = (column: string): RawBuilder<boolean> => sql`(substr(${sql.ref(column)}, 1, 3) = 'v2.'
  and substr(${sql.ref(column)}, 4, 22) not in (select id from workspace_key where sealed_key is not null))`
