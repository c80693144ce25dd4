import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { tablesOf } from '../database/tables.ts'
import { SEALED_COLUMNS } from '../secrets/sealed-columns.ts'
import { ownerOf, WORKSPACE_KEYS } from './owners.ts'

type Rows = Kysely<Schema>

/** Rows that belong to one of another table, and go with it. */
const PARTS = [
  { of: 'work', table: 'work_step', column: 'work_id' },
  { of: 'threat_seen', table: 'threat_trait', column: 'seen_id' },
  { of: 'cert_order', table: 'cert_order_event', column: 'order_id' },
] as const

/**
 * Deletes what was sealed with a key that was destroyed after the backup, as it was deleted here when its workspace was
 * forgotten; and with it all work and watching of that workspace. So it does with what has no key of its workspace yet, where that
 * was forgotten after the backup: an older one holds it in rows that stay. Returns how many rows of content it was.
 */
export async function takeOutForgotten(
  { kind }: Pick<Database, 'kind'>,
  rows: Rows,
  madeAt: string,
): Promise<number> {
  let count = 0
  const workspaces = await forgottenIn(rows, madeAt)
  for (const { table, column, owner } of SEALED_COLUMNS) {
    if (owner === undefined) continue
    const isGone = isGoneIn(column, owner, madeAt)
    for (const part of PARTS.filter(({ of }) => of === table))
      await sql`delete from ${sql.table(part.table)} where ${sql.ref(part.column)} in
        (select id from ${sql.table(table)} where ${isGone})`.execute(rows)
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${isGone}`.execute(rows)
    count += Number(numAffectedRows ?? 0n)
  }
  for (const table of (await tablesOf(rows, kind)).toReversed()) {
    const owner = /^(watch|work|threat)/.test(table.name) ? ownerOf(table) : undefined
    if (owner === undefined || table.name === WORKSPACE_KEYS) continue
    for (const workspaceId of workspaces)
      await sql`delete from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId}`.execute(rows)
  }
  return count
}

/** The workspaces whose content is gone since. */
async function forgottenIn(rows: Rows, madeAt: string): Promise<ReadonlySet<string>> {
  const workspaces = new Set<string>()
  for (const { table, column, owner } of SEALED_COLUMNS) {
    if (owner === undefined) continue
    const { rows: found } = await sql<{ id: string }>`
      select distinct ${sql.raw(owner)} as "id" from ${sql.table(table)}
      where ${isGoneIn(column, owner, madeAt)}`.execute(rows)
    for (const { id } of found) workspaces.add(id)
  }
  return workspaces
}

const isGoneIn = (column: string, owner: string, madeAt: string): RawBuilder<boolean> =>
  sql`(${isUnopened(column)} or (substr(${sql.ref(column)}, 1, 3) = 'v1.' and ${sql.raw(owner)} in
    (select workspace_id from workspace_key where purpose = 'content' and sealed_key is null
      and dropped_at is null and retired_at >= ${madeAt})))`

const isUnopened = (column: string): RawBuilder<boolean> => sql`(substr(${sql.ref(column)}, 1, 3) = 'v2.'
  and substr(${sql.ref(column)}, 4, 22) not in (select id from workspace_key where sealed_key is not null))`
