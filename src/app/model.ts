import { isPostgres, type Model, makeTables, OWN_TABLES, type Table } from '@signalman/durable'
import { type Kysely, sql } from 'kysely'
import type { Feature } from '../bot/feature.ts'
import { BOT_TABLES } from '../bot/workspaces/tables.ts'
import { FEATURES } from './features.ts'

const FEATURE_TABLES: readonly Table[] = FEATURES.flatMap(({ tables = [] }: Feature) => tables)
const TABLES = [...BOT_TABLES, ...FEATURE_TABLES, ...OWN_TABLES]

/**
 * The schema of everything that Signalman stores. Never edit a released migration: `001-first` is, so what a declaration adds names
 * another (`since`), and what is unused stays declared. So an upgraded database and a new one are the same.
 */
export const MODEL: Model = {
  name: 'signalman',
  tables: TABLES,
  migrations: [
    { name: '001-first', up: (db) => makeTables(db, TABLES) },
    { name: '002-waits', up: upgradeFirst },
  ],
}

async function upgradeFirst(db: Kysely<unknown>): Promise<void> {
  await allowNoCard(db)
  await makeTables(db, TABLES, '002-waits')
  // Whether a channel may be posted in was in each of its watches.
  await sql`insert into watch_channel (workspace_id, channel_id, paused_at, pause_reason, agreed_outside_at)
    select workspace_id, channel_id, max(paused_at), max(pause_reason), max(agreed_outside_at) from watch
    where paused_at is not null or agreed_outside_at is not null group by workspace_id, channel_id`.execute(
    db,
  )
}

/** Lets `incident_line.card_id` be null. SQLite, which one process has, can only copy the table for that. */
async function allowNoCard(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db)) {
    await sql`alter table incident_line alter column card_id drop not null`.execute(db)
    return
  }
  await sql`alter table incident_line rename to incident_line_001`.execute(db)
  await sql`drop index incident_line_by_card`.execute(db)
  await makeTables(db, TABLES.filter(({ name }) => name === 'incident_line').map(toNullable))
  await sql`insert into incident_line select * from incident_line_001`.execute(db)
  await sql`drop table incident_line_001`.execute(db)
}

const toNullable = (table: Table): Table => {
  const definitions = table.columns.definitions.map((column) =>
    column.name === 'card_id' ? { ...column, sql: column.sql.replace(' not null', '') } : column,
  )
  return { ...table, columns: { ...table.columns, definitions } }
}
