import { type Database, type DecisionTransaction, selectRows, upsertRow } from '@signalman/durable'
import type { Environment } from '../../domain/environment.ts'

export type Channels = ReturnType<typeof channelStore>

/** The store of the `channel` table. It's changed only `within` a decision, after which cached reads are dropped. */
export const channelStore = ({ rows }: Database) => ({
  /** The environment set for the channel; undefined if none. */
  async environment(workspaceId: string, channelId: string): Promise<Environment | undefined> {
    const query = selectRows(rows, 'channel', { workspace_id: workspaceId, channel_id: channelId })
    return (await query.executeTakeFirst())?.environment
  },

  within: ({ transaction, workspaceId }: DecisionTransaction) => ({
    async setEnvironment(channelId: string, environment: Environment): Promise<void> {
      const row = { workspace_id: workspaceId, channel_id: channelId, environment }
      await upsertRow(transaction, 'channel', ['workspace_id', 'channel_id'], row)
    },
  }),
})
