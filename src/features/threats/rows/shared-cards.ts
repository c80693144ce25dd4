import type { Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { CardPlace } from './case-rows.ts'
import type { AskedEvent } from './cases.ts'

/** A card of a threat event, other than the card of its case. */
export interface SharedCard {
  readonly channelId: string
  readonly messageTs: string
}

/** The cards of events, one for each channel. */
export interface SharedCards {
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

export const removeCard = async (
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
export async function writeCard(
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

export const sharedCards = (rows: Kysely<Schema>): SharedCards => ({
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
