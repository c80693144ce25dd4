import type { Database, Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { CardPlace } from './case-rows.ts'
import type { AskedEvent } from './cases.ts'

/** A card of a threat event, other than the card of its case. */
interface SharedCard {
  readonly channelId: string
  readonly messageTs: string
}

/** The cards of events that were shared, one for each channel. */
export interface ThreatShares {
  shared(event: AskedEvent, place: CardPlace & { messageTs: string }, now: Date): Promise<void>
  /** The card that was shared last. */
  find(event: AskedEvent): Promise<CardPlace | undefined>
  /** A card that shows an older version of the event's case, and is not the message `but`. */
  behind(event: AskedEvent, version: number, but: string | undefined): Promise<SharedCard | undefined>
  /** The card now shows the event's case as of this version. */
  shown(event: AskedEvent, card: SharedCard, version: number): Promise<void>
  /** The card can no longer be edited. */
  gone(event: AskedEvent, card: SharedCard): Promise<void>
  /** The channel takes no messages: forget the event's card there. */
  lost(event: AskedEvent, channelId: string): Promise<void>
}

/** An event keeps cards in this many channels: the ones shared last. */
const MOST = 10

/** The rows of `threat_card`. */
export function threatShares({ rows }: Database): ThreatShares {
  return {
    async shared(event, { channelId, messageTs, threadTs }, now) {
      const { workspaceId, environment, eventId } = event
      const place = {
        message_ts: messageTs,
        thread_ts: threadTs ?? null,
        // It shows nothing of the event's case yet.
        shown_version: 0,
        shared_at: now.toISOString(),
      }
      await rows.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('threat_card')
          .values({
            workspace_id: workspaceId,
            environment,
            event_id: eventId,
            channel_id: channelId,
            ...place,
          })
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'environment', 'event_id', 'channel_id']).doUpdateSet(place),
          )
          .execute()
        const all = await newestFirst(transaction, event).execute()
        for (const { channel_id } of all.slice(MOST))
          await removed(transaction, event).where('channel_id', '=', channel_id).execute()
      })
    },

    async find(event) {
      const card = await newestFirst(rows, event).limit(1).executeTakeFirst()
      return (
        card && {
          channelId: card.channel_id,
          messageTs: card.message_ts,
          ...(card.thread_ts !== null && { threadTs: card.thread_ts }),
        }
      )
    },

    async behind(event, version, but) {
      const some = await newestFirst(rows, event).where('shown_version', '<', version).execute()
      const card = some.find(({ message_ts }) => message_ts !== but)
      return card && { channelId: card.channel_id, messageTs: card.message_ts }
    },

    async shown({ workspaceId, environment, eventId }, { channelId, messageTs }, version) {
      await rows
        .updateTable('threat_card')
        .set({ shown_version: version })
        .where('workspace_id', '=', workspaceId)
        .where('environment', '=', environment)
        .where('event_id', '=', eventId)
        .where('channel_id', '=', channelId)
        .where('message_ts', '=', messageTs)
        .where('shown_version', '<', version)
        .execute()
    },

    async gone(event, { channelId, messageTs }) {
      await removed(rows, event)
        .where('channel_id', '=', channelId)
        .where('message_ts', '=', messageTs)
        .execute()
    },

    async lost(event, channelId) {
      await removed(rows, event).where('channel_id', '=', channelId).execute()
    },
  }
}

const newestFirst = (rows: Kysely<Schema>, { workspaceId, environment, eventId }: AskedEvent) =>
  rows
    .selectFrom('threat_card')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('event_id', '=', eventId)
    .orderBy('shared_at', 'desc')
    .orderBy('channel_id')

const removed = (rows: Kysely<Schema>, { workspaceId, environment, eventId }: AskedEvent) =>
  rows
    .deleteFrom('threat_card')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('event_id', '=', eventId)
