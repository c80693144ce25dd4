import { type Database, type Decisions, type ReadCache, selectRows, upsertRow } from '@signalman/durable'
import type { Environment } from '../../domain/environment.ts'

/** What features use. They change it only `within` a decision. */
export type Channels = Omit<ReturnType<typeof channelStore>, 'setEnvironment'>

/** The store of the `channel` table. */
export const channelStore = (database: Database, cache: Pick<ReadCache, 'invalidateAfter'>) => ({
  ...openChannels(database, cache),
  within: (decisions: Pick<Decisions, 'database'>) => openChannels(decisions.database, cache),
})

const openChannels = (
  { rows }: Pick<Database, 'rows'>,
  { invalidateAfter }: Pick<ReadCache, 'invalidateAfter'>,
) => ({
  /** The environment set for the channel; undefined if none. */
  async environment(workspaceId: string, channelId: string): Promise<Environment | undefined> {
    const query = selectRows(rows, 'channel', { workspace_id: workspaceId, channel_id: channelId })
    return (await query.executeTakeFirst())?.environment
  },

  async setEnvironment(workspaceId: string, channelId: string, environment: Environment): Promise<void> {
    const row = { workspace_id: workspaceId, channel_id: channelId, environment }
    await invalidateAfter(workspaceId, upsertRow(rows, 'channel', ['workspace_id', 'channel_id'], row))
  },
})
