import { type Model, makeTables, OWN_TABLES, type Table } from '@signalman/durable'
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
    { name: '003-heard', up: (db) => makeTables(db, TABLES, '003-heard') },
  ],
}

async function upgradeFirst(db: Kysely<unknown>): Promise<void> {
  await makeTables(db, TABLES, '002-waits')
  // Whether a channel may be posted in was in each of its watches.
  await sql`insert into watch_channel (workspace_id, channel_id, paused_at, pause_reason, agreed_outside_at)
    select workspace_id, channel_id, max(paused_at), max(pause_reason), max(agreed_outside_at) from watch
    where paused_at is not null or agreed_outside_at is not null group by workspace_id, channel_id`.execute(
    db,
  )
}
