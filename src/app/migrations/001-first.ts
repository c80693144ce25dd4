import { makeOwnTables } from '@signalman/durable'
import type { Kysely } from 'kysely'
import { makeBotTables } from '../../bot/workspaces/tables.ts'
import { makeOrderTables } from '../../features/cert-orders/rows/tables.ts'
import { makeThreatTables } from '../../features/threats/rows/first-tables.ts'
import { makeWatchTables } from '../../features/watching/rows/first-tables.ts'

/** All tables of the first release. Each stands beside its declaration: never edit one that has been released. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await makeOwnTables(db)
  await makeBotTables(db)
  await makeOrderTables(db)
  await makeThreatTables(db)
  await makeWatchTables(db)
}
