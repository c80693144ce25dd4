import type { Database } from '@signalman/durable'
import type { CardPlace } from './case-rows.ts'

/** Records what Slack shows of a case. */
export interface CaseTelling {
  /** The card was posted, and is edited from now on. False when the case has another card now. */
  posted(id: string, place: CardPlace & { messageTs: string }, version: number): Promise<boolean>
  /** The card shows the case as it was after that step. */
  shown(id: string, version: number): Promise<void>
  /** The thread has been told of the steps up to that one. */
  told(id: string, version: number): Promise<void>
  /** The card was deleted in Slack: post it again in the same place. */
  unposted(id: string, messageTs: string): Promise<void>
  /** The channel takes no messages: the case has no card until a step gives it one. */
  displaced(id: string, place: CardPlace): Promise<void>
}

export function caseTelling({ rows }: Database): CaseTelling {
  return {
    async posted(id, { channelId, messageTs }, version) {
      const { numUpdatedRows } = await rows
        .updateTable('threat_case')
        .set({ message_ts: messageTs, shown_version: version })
        .where('id', '=', id)
        .where('channel_id', '=', channelId)
        .where('message_ts', 'is', null)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async shown(id, version) {
      await rows
        .updateTable('threat_case')
        .set({ shown_version: version })
        .where('id', '=', id)
        .where('shown_version', '<', version)
        .execute()
    },
    async told(id, version) {
      await rows
        .updateTable('threat_case')
        .set({ told_version: version })
        .where('id', '=', id)
        .where('told_version', '<', version)
        .execute()
    },
    async unposted(id, messageTs) {
      await rows
        .updateTable('threat_case')
        .set({ message_ts: null })
        .where('id', '=', id)
        .where('message_ts', '=', messageTs)
        .execute()
    },
    async displaced(id, { channelId, messageTs }) {
      const all = rows
        .updateTable('threat_case')
        .set({ channel_id: null, message_ts: null, thread_ts: null })
        .where('id', '=', id)
        .where('channel_id', '=', channelId)
      await (messageTs === undefined ? all : all.where('message_ts', '=', messageTs)).execute()
    },
  }
}
