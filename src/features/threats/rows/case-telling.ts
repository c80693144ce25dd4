import type { Database } from '@signalman/durable'
import type { CardPlace } from './case-rows.ts'

/** Records what Slack shows of a case. */
export function caseTelling({ rows }: Database) {
  return {
    /** The card was posted, and is edited from now on. False when the case has another card now. */
    async posted(
      id: string,
      { channelId, messageTs }: CardPlace & { messageTs: string },
      version: number,
    ): Promise<boolean> {
      const { numUpdatedRows } = await rows
        .updateTable('threat_case')
        .set({ message_ts: messageTs, shown_version: version })
        .where((row) => row.and({ id, channel_id: channelId, message_ts: null }))
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    /** The card shows the case as it was after that step. */
    async shown(id: string, version: number): Promise<void> {
      await rows
        .updateTable('threat_case')
        .set({ shown_version: version })
        .where('id', '=', id)
        .where('shown_version', '<', version)
        .execute()
    },
    /** The thread has been told of the steps up to that one. */
    async told(id: string, version: number): Promise<void> {
      await rows
        .updateTable('threat_case')
        .set({ told_version: version })
        .where('id', '=', id)
        .where('told_version', '<', version)
        .execute()
    },
    /** The card was deleted in Slack: post it again in the same place. */
    async unposted(id: string, messageTs: string): Promise<void> {
      await rows
        .updateTable('threat_case')
        .set({ message_ts: null })
        .where((row) => row.and({ id, message_ts: messageTs }))
        .execute()
    },
    /** The channel takes no messages: the case has no card until a step gives it one. */
    async displaced(id: string, { channelId, messageTs }: CardPlace): Promise<void> {
      const all = rows
        .updateTable('threat_case')
        .set({ channel_id: null, message_ts: null, thread_ts: null })
        .where((row) => row.and({ id, channel_id: channelId }))
      await (messageTs === undefined ? all : all.where('message_ts', '=', messageTs)).execute()
    },
  }
}
