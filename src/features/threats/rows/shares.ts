import { type Database, deleteRows, type Rows, selectRows, upsertRow } from '@signalman/durable'
import type { CardLocation } from '../rules/threat-case.ts'
import { type EventKey, eventColumns } from './cases.ts'

/** A card of a threat event that someone shared in a channel. */
type SharedCard = CardLocation & { readonly messageTs: string }

export type ThreatShares = ReturnType<typeof threatShares>

/** How many cards are stored per event. Only the newest ones are kept. */
const MAX_CHANNELS = 10
const CARD_KEY = ['workspace_id', 'environment', 'event_id', 'channel_id'] as const

/** The rows of `threat_card`: cards of events that were shared, one per channel. */
export function threatShares({ rows }: Database) {
  return {
    async add(
      event: EventKey,
      { channelId, messageTs, threadTs, isFull }: SharedCard,
      now: Date,
    ): Promise<void> {
      const row = {
        ...eventColumns(event),
        channel_id: channelId,
        message_ts: messageTs,
        thread_ts: threadTs ?? null,
        is_full: isFull ? 1 : 0,
        // A new card doesn't show the event's case yet.
        shown_version: 0,
        shared_at: now.toISOString(),
      }
      await rows.transaction().execute(async (transaction) => {
        await upsertRow(transaction, 'threat_card', CARD_KEY, row)
        const all = await selectNewestFirst(transaction, event).execute()
        for (const { channel_id } of all.slice(MAX_CHANNELS))
          await deleteRows(transaction, 'threat_card', { ...eventColumns(event), channel_id })
      })
    },

    /** The most recently shared card. */
    async findNewest(event: EventKey): Promise<SharedCard | undefined> {
      const card = await selectNewestFirst(rows, event).limit(1).executeTakeFirst()
      return card && toSharedCard(card)
    },

    /** The newest card, other than the message `exceptTs`, that shows an outdated version of the event's case. */
    async findOutdated(
      event: EventKey,
      version: number,
      exceptTs: string | undefined,
    ): Promise<SharedCard | undefined> {
      const outdated = await selectNewestFirst(rows, event).where('shown_version', '<', version).execute()
      const card = outdated.find(({ message_ts }) => message_ts !== exceptTs)
      return card && toSharedCard(card)
    },

    /** Records that the card shows this version of the event's case. */
    async markShown(event: EventKey, card: SharedCard, version: number): Promise<void> {
      await rows
        .updateTable('threat_card')
        .set({ shown_version: version })
        .where((row) => row.and({ ...eventColumns(event), ...cardColumns(card) }))
        .where('shown_version', '<', version)
        .execute()
    },

    /** Removes a card that can no longer be edited. */
    remove: (event: EventKey, card: SharedCard): Promise<unknown> =>
      deleteRows(rows, 'threat_card', { ...eventColumns(event), ...cardColumns(card) }),

    /** Removes the event's card from a channel that no longer accepts messages. */
    removeFromChannel: (event: EventKey, channelId: string): Promise<unknown> =>
      deleteRows(rows, 'threat_card', { ...eventColumns(event), channel_id: channelId }),
  }
}

interface Row {
  channel_id: string
  message_ts: string
  thread_ts: string | null
  is_full: number
}

const toSharedCard = (card: Row): SharedCard => ({
  channelId: card.channel_id,
  messageTs: card.message_ts,
  ...(card.thread_ts !== null && { threadTs: card.thread_ts }),
  ...(card.is_full === 1 && { isFull: true }),
})

const cardColumns = ({ channelId, messageTs }: SharedCard) => ({
  channel_id: channelId,
  message_ts: messageTs,
})

const selectNewestFirst = (rows: Rows, event: EventKey) =>
  selectRows(rows, 'threat_card', eventColumns(event)).orderBy('shared_at', 'desc').orderBy('channel_id')
