import type { Database } from './database.ts'
import type { StoredOrder } from './orders.ts'
import type { CertOrderRow } from './schema.ts'

/** A message about an order, where it stands in Slack. */
export interface Card {
  readonly channelId: string
  readonly ts: string
  /** Whose direct messages it is in; absent in a channel. */
  readonly to?: string | undefined
  /** Of a message about one step, beside the card: what it is and of which version, so that nobody gets it twice. */
  readonly about?: string | undefined
}

/** Where an order's cards stand in Slack, and what was said about the step that is being told of. */
export type Cards = readonly Card[]

/** Who tells of a step, so that people hear of each at least once, and from one process at a time. */
export interface Telling {
  /** The order, when people are to be told of it and nobody else is at it until `until`; else undefined. */
  claimTelling(order: Pick<StoredOrder, 'id'>, now: Date, until: Date): Promise<StoredOrder | undefined>
  /** Goes on until `until`; false when the time that was `held` is over and others are at it. */
  renewTelling(order: Pick<StoredOrder, 'id'>, held: Date, until: Date): Promise<boolean>
  /** People know of that version. True when there is a newer one that they do not know of. */
  told(order: Pick<StoredOrder, 'id' | 'version'>): Promise<boolean>
  /** Telling failed: it is tried again from the time on that `atOf` gives for how often it has failed since the last step. */
  tellLater(order: Pick<StoredOrder, 'id'>, atOf: (failures: number) => Date): Promise<number>
  keepCards(order: Pick<StoredOrder, 'id'>, cards: Cards): Promise<void>
  /** Orders of which people are to be told and nobody is at it. */
  untold(now: Date, limit: number): Promise<StoredOrder[]>
}

export function orderTelling({ rows }: Database, opened: (row: CertOrderRow) => StoredOrder): Telling {
  return {
    async claimTelling({ id }, now, until) {
      const row = await rows
        .updateTable('cert_order')
        .set({ tell_at: until.toISOString() })
        .where('id', '=', id)
        .where('tell_at', '<=', now.toISOString())
        .whereRef('told_version', '<', 'version')
        .returningAll()
        .executeTakeFirst()
      return row && opened(row)
    },

    async renewTelling({ id }, held, until) {
      const { numUpdatedRows } = await rows
        .updateTable('cert_order')
        .set({ tell_at: until.toISOString() })
        .where('id', '=', id)
        .where('tell_at', '=', held.toISOString())
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    async told({ id, version }) {
      const row = await rows
        .updateTable('cert_order')
        .set({ told_version: version, tell_at: new Date(0).toISOString(), tell_attempts: 0 })
        .where('id', '=', id)
        .where('told_version', '<', version)
        .returning('version')
        .executeTakeFirst()
      return row !== undefined && row.version > version
    },

    async tellLater({ id }, atOf) {
      const { tell_attempts } = await rows
        .selectFrom('cert_order')
        .select('tell_attempts')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const failures = tell_attempts + 1
      await rows
        .updateTable('cert_order')
        .set({ tell_at: atOf(failures).toISOString(), tell_attempts: failures })
        .where('id', '=', id)
        .execute()
      return failures
    },

    async keepCards({ id }, cards) {
      await rows
        .updateTable('cert_order')
        .set({ cards: JSON.stringify(cards) })
        .where('id', '=', id)
        .execute()
    },

    async untold(now, limit) {
      const found = await rows
        .selectFrom('cert_order')
        .selectAll()
        .whereRef('told_version', '<', 'version')
        .where('tell_at', '<=', now.toISOString())
        .orderBy('tell_at')
        .limit(limit)
        .execute()
      return found.map(opened)
    },
  }
}
