import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { SealedColumn } from '../database/declared-table.ts'
import type { Reseal } from './resealing.ts'

/** Whether this key sealed a text. The letters of an id need no escaping in SQL. */
export function isSealedBy(column: string, keyId: string): RawBuilder<boolean> {
  const prefix = `v1.${keyId}.`
  return sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) = ${prefix}`
}

const prefixOf = (column: string): RawBuilder<string> => sql`substr(${sql.ref(column)}, 1, 3)`

/** The id of the workspace's key that a text is sealed with, where it is sealed with one. */
export const workspaceKeyOf = (column: string): RawBuilder<string> => sql`substr(${sql.ref(column)}, 4, 22)`

/** Whether a text must be re-sealed: with the first encryption key, or the key that its workspace uses. */
export function needsResealing(
  { column, owner }: SealedColumn,
  { keyId }: Pick<Reseal, 'keyId'>,
): RawBuilder<boolean> {
  const byRoot = isSealedBy(column, keyId)
  if (owner === undefined) return sql<boolean>`not ${byRoot}`
  // Work that is done has no sealed body.
  return sql<boolean>`(${sql.ref(column)} is not null and case when ${prefixOf(column)} = 'v2.'
    then ${workspaceKeyOf(column)} not in (select id from workspace_key where retired_at is null)
    else not ${byRoot} or ${ownerOf(owner)} <> '' end)`
}

export const ownerOf = (owner: string): RawBuilder<string> => sql`coalesce(${sql.raw(owner)}, '')`

/** The keys of workspaces that the texts of a column are sealed with. */
export async function workspaceKeysUsed(
  { rows }: Pick<Database, 'rows'>,
  { table, column }: SealedColumn,
): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`
    select distinct ${workspaceKeyOf(column)} as "id" from ${sql.table(table)}
    where ${prefixOf(column)} = 'v2.'`.execute(rows)
  return found.map(({ id }) => id)
}

/** Makes the keys that are needed next, before a transaction begins. */
export async function makeKeysFor(reseal: Reseal, column: SealedColumn): Promise<void> {
  if (column.owner === undefined) return
  const { rows } = await sql<{ owner: string }>`
    select distinct ${ownerOf(column.owner)} as "owner" from ${sql.table(column.table)}
    where ${needsResealing(column, reseal)}`.execute(reseal.database.rows)
  for (const { owner } of rows) await reseal.workspaceKeys.sealer(owner)
}
