import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { deleteInBatches } from '../database/sweeping.ts'
import type { CardPlace } from './case-rows.ts'
import type { AskedEvent } from './cases.ts'
import {
  removeCard,
  removedCards,
  type SharedCards,
  sharedCards,
  type WhichShares,
  writeCard,
} from './shared-cards.ts'

/** Where the card of a threat event was shared last, and where it was in other channels. */
export interface ThreatShares extends SharedCards {
  shared(event: AskedEvent, place: CardPlace & { messageTs: string }, now: Date): Promise<void>
  find(event: AskedEvent): Promise<CardPlace | undefined>
  /** The channel takes nothing any more: the next card of the event stands elsewhere. */
  lost(event: AskedEvent, channelId: string): Promise<void>
  /** Forgets what was shared before then, and says how much. */
  sweep(olderThan: Date): Promise<number>
  forget(workspaceId: string): Promise<number>
}

/** The rows of `threat_share`. */
export function threatShares({ rows }: Database): ThreatShares {
  return {
    async shared(event, at, now) {
      const { workspaceId, environment, eventId } = event
      const { channelId, messageTs, threadTs } = at
      const place = {
        channel_id: channelId,
        message_ts: messageTs,
        thread_ts: threadTs ?? null,
        shared_at: now.toISOString(),
      }
      await rows.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('threat_share')
          .values({ workspace_id: workspaceId, environment, event_id: eventId, ...place })
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'environment', 'event_id']).doUpdateSet(place),
          )
          .execute()
        await writeCard(transaction, event, at, place.shared_at)
      })
    },

    ...sharedCards(rows),

    async find({ workspaceId, environment, eventId }) {
      const row = await rows
        .selectFrom('threat_share')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('environment', '=', environment)
        .where('event_id', '=', eventId)
        .executeTakeFirst()
      return (
        row && {
          channelId: row.channel_id,
          messageTs: row.message_ts,
          ...(row.thread_ts !== null && { threadTs: row.thread_ts }),
        }
      )
    },
    async lost(event, channelId) {
      const { workspaceId, environment, eventId } = event
      await removeCard(rows, event, { channelId })
      await rows
        .deleteFrom('threat_share')
        .where('workspace_id', '=', workspaceId)
        .where('environment', '=', environment)
        .where('event_id', '=', eventId)
        .where('channel_id', '=', channelId)
        .execute()
    },
    sweep: (olderThan) => removed(rows, { olderThan }),
    forget: (workspaceId) => removed(rows, { workspaceId }),
  }
}

async function removed(rows: Kysely<Schema>, which: WhichShares): Promise<number> {
  await removedCards(rows, which)
  return await removedShares(rows, which)
}

const removedShares = (rows: Kysely<Schema>, which: WhichShares): Promise<number> =>
  deleteInBatches(async (limit) => {
    const all = rows.selectFrom('threat_share').select(['workspace_id', 'environment', 'event_id'])
    const some = await ('workspaceId' in which
      ? all.where('workspace_id', '=', which.workspaceId)
      : all.where('shared_at', '<', which.olderThan.toISOString())
    )
      .limit(limit)
      .execute()
    for (const { workspace_id, environment, event_id } of some)
      await rows
        .deleteFrom('threat_share')
        .where('workspace_id', '=', workspace_id)
        .where('environment', '=', environment)
        .where('event_id', '=', event_id)
        .execute()
    return some.length
  })
