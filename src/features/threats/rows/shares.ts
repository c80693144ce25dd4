import type { Database, Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { CardPlace } from './case-rows.ts'
import type { AskedEvent } from './cases.ts'

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

/** A card of a threat event, other than the card of its case. */
interface SharedCard {
  readonly channelId: string
  readonly messageTs: string
}

/** The cards of events, one for each channel. */
interface SharedCards {
  /** A card that shows an older version of the event's case, and is not the message `but`. */
  behind(event: AskedEvent, version: number, but: string | undefined): Promise<SharedCard | undefined>
  /** The card now shows the event's case as of this version. */
  shown(event: AskedEvent, card: SharedCard, version: number): Promise<void>
  /** The card can no longer be edited. */
  gone(event: AskedEvent, card: SharedCard): Promise<void>
}

/** An event keeps cards in this many channels: the ones shared last. */
const MOST = 10

const cardsOf = (rows: Kysely<Schema>, { workspaceId, environment, eventId }: AskedEvent) =>
  rows
    .selectFrom('threat_card')
    .select(['channel_id', 'message_ts', 'shown_version'])
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('event_id', '=', eventId)

const removeCard = async (
  rows: Kysely<Schema>,
  { workspaceId, environment, eventId }: AskedEvent,
  { channelId, messageTs }: { channelId: string; messageTs?: string },
): Promise<void> => {
  let own = rows
    .deleteFrom('threat_card')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('event_id', '=', eventId)
    .where('channel_id', '=', channelId)
  if (messageTs !== undefined) own = own.where('message_ts', '=', messageTs)
  await own.execute()
}

/** Writes a card that shows nothing of the event's case yet. */
async function writeCard(
  rows: Kysely<Schema>,
  event: AskedEvent,
  { channelId, messageTs }: CardPlace & { messageTs: string },
  sharedAt: string,
): Promise<void> {
  const { workspaceId, environment, eventId } = event
  const place = { message_ts: messageTs, shown_version: 0, shared_at: sharedAt }
  await rows
    .insertInto('threat_card')
    .values({ workspace_id: workspaceId, environment, event_id: eventId, channel_id: channelId, ...place })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'environment', 'event_id', 'channel_id']).doUpdateSet(place),
    )
    .execute()
  const all = await cardsOf(rows, event).orderBy('shared_at', 'desc').orderBy('channel_id').execute()
  for (const { channel_id } of all.slice(MOST)) await removeCard(rows, event, { channelId: channel_id })
}

const sharedCards = (rows: Kysely<Schema>): SharedCards => ({
  async behind(event, version, but) {
    const some = await cardsOf(rows, event).where('shown_version', '<', version).execute()
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

  gone: (event, card) => removeCard(rows, event, card),
})
