import { setTimeout as pause } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Model } from '../database/declared-table.ts'
import { StoreError } from '../database/errors.ts'
import { readSchemaStateFrom } from '../database/migrate.ts'
import { openDatabase } from '../database/open-database.ts'
import type { Rows } from '../database/schema.ts'
import { listTables } from '../database/stored-tables.ts'
import { type FillOptions, fillDatabase } from './fill-database.ts'
import { createRetiredName, findNewerRecords, readFormerDatabase, refuseNotEmpty } from './former-database.ts'
import type { DatabaseRestoration } from './restoration.ts'
import { RETIRED_SCHEMA } from './retired-databases.ts'

/** Builds the database in a new schema and swaps it with the former one, all in one transaction. */
export async function restorePostgres(
  url: string,
  fillOptions: FillOptions,
  isReplacing: boolean,
): Promise<DatabaseRestoration> {
  await using database = await openDatabase(url, fillOptions.model)
  return await database.withExclusiveLock(async (transaction) => {
    await refuseInUse(transaction)
    const tables = (await listTables(transaction, 'postgres')).map(({ name }) => name)
    const appTables = new Set([...fillOptions.header.tables.map(({ name }) => name), 'migration'])
    const hasAppTables = tables.some((name) => appTables.has(name))
    const former = hasAppTables
      ? await readFormerDatabase(transaction, fillOptions.model.tables, {
          kind: 'postgres',
          lineage: fillOptions.header.lineage,
        })
      : undefined
    if (former) refuseNotEmpty(former, { isReplacing })
    const fill = () => fillDatabase(database, transaction, fillOptions, former)
    if (!former)
      return { ...(await fill()), former: undefined, isOther: false, newer: undefined, damage: undefined }
    const retired = `${RETIRED_SCHEMA}${createRetiredName(fillOptions.now, former).toLowerCase().replace('-', '_')}`
    const filled = await swapSchemas(transaction, fillOptions.model, retired, fill)
    return {
      ...filled,
      former: retired,
      isOther: former.isOther,
      newer: await findNewerRecords(former, transaction, fillOptions.model.tables),
      damage: undefined,
    }
  })
}

/** Builds the tables in a separate schema, moves the former ones to the schema `retired`, and then moves the new ones to theirs. */
async function swapSchemas<T>(rows: Rows, model: Model, retired: string, fill: () => Promise<T>): Promise<T> {
  const { rows: found } = await sql<{ name: string }>`select current_schema()::text as name`.execute(rows)
  const currentSchema = found[0]?.name ?? 'public'
  const newSchema = `${retired}_fresh`
  // If a newer version ran here, move everything, because the names of what it added aren't known here.
  const isNewer = (await readSchemaStateFrom(rows, 'postgres', model)).unknown.length > 0
  await sql`create schema ${sql.id(retired)}`.execute(rows)
  await sql`create schema ${sql.id(newSchema)}`.execute(rows)
  await sql`set local search_path to ${sql.id(newSchema)}`.execute(rows)
  const filled = await fill()
  const newObjects = await listObjects(rows, newSchema)
  const names = new Set(newObjects.map(({ name }) => name))
  for (const object of await listObjects(rows, currentSchema))
    if (isNewer || names.has(object.name)) await moveToSchema(rows, object, retired)
  for (const object of newObjects) await moveToSchema(rows, object, currentSchema)
  await sql`set local search_path to ${sql.id(currentSchema)}`.execute(rows)
  await sql`drop schema ${sql.id(newSchema)}`.execute(rows)
  return filled
}

interface StoredObject {
  readonly name: string
  /** The object's kind and qualified name, for ALTER. */
  readonly altered: string
}

const moveToSchema = (rows: Rows, { altered }: StoredObject, schema: string): Promise<unknown> =>
  sql`alter ${sql.raw(altered)} set schema ${sql.id(schema)}`.execute(rows)

/**
 * Everything in a schema that any version of the app may have created: objects that belong to the owner of the tables, and not to
 * an extension. A table's own indexes, sequences, and row type move with it.
 */
async function listObjects(rows: Rows, schema: string): Promise<StoredObject[]> {
  const { rows: found } = await sql<StoredObject>`
    with relation as (
      select c.oid, c.relowner, c.relname::text as own_name,
        -- A partition moves with its table.
        coalesce(p.relname, c.relname)::text as name,
        case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
          when 'f' then 'foreign table' else 'table' end as kind
      from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
      where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and c.relnamespace = ${schema}::regnamespace
        -- A partitioned table depends on itself, and its partitions on it.
        and (c.relispartition or not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass
          and d.objid = c.oid and d.refobjid <> c.oid
          and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')))
    ), owner as (select relowner as id from pg_class where relname = 'migration' and relnamespace = ${schema}::regnamespace)
    select name, format('%s %I.%I', kind, ${schema}::text, own_name) as altered from relation
    where relowner in (select id from owner) and ${belongsToNoExtension('pg_class', 'relation')}
    union all
    select typname::text, format('%s %I.%I', case typtype when 'd' then 'domain' else 'type' end, ${schema}::text, typname)
    from pg_type t where typnamespace = ${schema}::regnamespace and typowner in (select id from owner)
      and (typtype in ('e', 'd', 'r') or (typtype = 'c' and exists (
        select 1 from pg_class c where c.oid = typrelid and relkind = 'c')))
      and ${belongsToNoExtension('pg_type', 't')}
    union all
    select proname::text, format('routine %I.%I(%s)', ${schema}::text, proname, pg_get_function_identity_arguments(p.oid))
    from pg_proc p where pronamespace = ${schema}::regnamespace and proowner in (select id from owner)
      and ${belongsToNoExtension('pg_proc', 'p')}`.execute(rows)
  return found
}

const belongsToNoExtension = (catalog: string, object: string): RawBuilder<boolean> => sql`not exists (
  select 1 from pg_depend e where e.classid = ${sql.lit(catalog)}::regclass and e.objid = ${sql.ref(object)}.oid
    and e.deptype = 'e')`

const CHECK_INTERVAL_MS = 100
const MAX_CHECKS = 20

/**
 * Throws while other connections with the app's name are open. A connection that was just closed may still be listed for a
 * moment.
 */
async function refuseInUse(rows: Rows): Promise<void> {
  for (let check = 1; ; check += 1) {
    const { rows: others } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and application_name = current_setting('application_name')
        and pid <> pg_backend_pid()`.execute(rows)
    if (others.length === 0) return
    if (check === MAX_CHECKS)
      throw new StoreError(
        'bad-value',
        'The database is in use, so nothing was changed. Stop every process that uses it, then try again.',
      )
    await pause(CHECK_INTERVAL_MS)
    // Within a transaction, the list doesn't change after the first read.
    await sql`select pg_stat_clear_snapshot()`.execute(rows)
  }
}
