import { type Model, OWN_TABLES } from '@signalman/durable'
import { BOT_TABLES } from '../bot/workspaces/tables.ts'
import { ORDER_TABLES } from '../features/cert-orders/rows/tables.ts'
import { THREAT_TABLES } from '../features/threats/rows/tables.ts'
import { WATCH_TABLES } from '../features/watching/rows/tables.ts'
import { up as first } from './migrations/001-first.ts'

/** All that Signalman stores. A migration that has been released is never edited: a change is a new one, which only adds. */
export const MODEL: Model = {
  tables: [...BOT_TABLES, ...ORDER_TABLES, ...THREAT_TABLES, ...WATCH_TABLES, ...OWN_TABLES],
  migrations: [{ name: '001-first', up: first }],
}
