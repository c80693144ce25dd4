import { type Model, makeTables, OWN_TABLES } from '@signalman/durable'
import { BOT_TABLES } from '../bot/workspaces/tables.ts'
import { ORDER_TABLES } from '../features/cert-orders/rows/tables.ts'
import { THREAT_TABLES } from '../features/threats/rows/tables.ts'
import { WATCH_TABLES } from '../features/watching/rows/tables.ts'

const TABLES = [...BOT_TABLES, ...ORDER_TABLES, ...THREAT_TABLES, ...WATCH_TABLES, ...OWN_TABLES]

/**
 * All that Signalman stores. What a released migration makes is never edited: a later one only adds, and a table or column that is
 * new says at its declaration with which (`since`), so that a database from before and an empty one come to the same.
 */
export const MODEL: Model = {
  tables: TABLES,
  migrations: [{ name: '001-first', up: (db) => makeTables(db, TABLES) }],
}
