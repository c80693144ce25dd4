import type { Database } from '@signalman/durable'
import type { CardPlace } from './case-rows.ts'
import type { AskedEvent } from './cases.ts'
import { removeCard, type SharedCards, sharedCards, writeCard } from './shared-cards.ts'

/** The card of a threat event that was shared last, and the cards in other channels. */
export interface ThreatShares extends SharedCards {
  shared(event: AskedEvent, place: CardPlace & { messageTs: string }, now: Date): Promise<void>
  find(event: AskedEvent): Promise<CardPlace | undefined>
  /** The channel takes no messages: forget the event's card there. */
  lost(event: AskedEvent, channelId: string): Promise<void>
}

/** The rows of `threat_share`. */
export function threatShares(database: Database): ThreatShares {
  const { rows } = database
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
  }
}
