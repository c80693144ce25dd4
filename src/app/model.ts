import { type Model, makeTables, OWN_TABLES, type Table } from '@signalman/durable'
import type { Feature } from '../bot/feature.ts'
import { BOT_TABLES } from '../bot/workspaces/tables.ts'
import { FEATURES } from './features.ts'

const FEATURE_TABLES: readonly Table[] = FEATURES.flatMap(({ tables = [] }: Feature) => tables)
const TABLES = [...BOT_TABLES, ...FEATURE_TABLES, ...OWN_TABLES]

/**
 * The schema of everything that Signalman stores. Never edit a released migration. Later migrations only add tables and columns,
 * which name their migration in their declaration (`since`), so that an upgraded database and a new one are the same.
 */
export const MODEL: Model = {
  name: 'signalman',
  tables: TABLES,
  migrations: [
    { name: '001-first', up: (db) => makeTables(db, TABLES) },
    { name: '002-waits', up: (db) => makeTables(db, TABLES, '002-waits') },
  ],
}
