import { type Kysely, sql } from 'kysely'
import { STORM_MS } from '../../domain/watching/storm.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchCardRow } from '../database/watch-rows.ts'
import type { ScopeOf } from './channel-view.ts'

/** Card of a storm that may take something up → when the last check fell that was new to it. */
export async function lastNewInStorms(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  cards: readonly WatchCardRow[],
  at: Date,
): Promise<Map<string, Date>> {
  const since = new Date(at.getTime() - STORM_MS).toISOString()
  const found = new Map<string, Date>()
  for (const { id, kind, opened_at } of cards) {
    if (kind !== 'storm' || opened_at < since) continue
    const last = await lastNewIn(rows, scope, id)
    if (last) found.set(id, new Date(last))
  }
  return found
}

/** From the newest outage on, the first that fits is the answer: most outages of a large storm are never looked at. */
async function lastNewIn(
  rows: Kysely<Schema>,
  { workspaceId, environment }: ScopeOf,
  cardId: string,
): Promise<string | undefined> {
  const { rows: found } = await sql<{ started_at: string }>`select started_at from watch_outage as fallen
    where workspace_id = ${workspaceId} and environment = ${environment}
      and exists (select 1 from watch_card_outage as link
        where link.card_id = ${cardId} and link.outage_id = fallen.id)
      and not exists (select 1 from watch_outage as earlier
        join watch_card_outage as link on link.outage_id = earlier.id
        where link.card_id = ${cardId} and earlier.workspace_id = fallen.workspace_id
          and earlier.environment = fallen.environment and earlier.uuid = fallen.uuid
          and earlier.status = fallen.status and earlier.started_at < fallen.started_at)
    order by started_at desc limit 1`.execute(rows)
  return found[0]?.started_at
}
