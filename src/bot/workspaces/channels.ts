import type { Database, ReadCache } from '@signalman/durable'
import type { Environment } from '../../domain/environment.ts'

export interface Channels {
  /** The environment set for the channel, or undefined when none was. */
  environment(workspaceId: string, channelId: string): Promise<Environment | undefined>
  setEnvironment(workspaceId: string, channelId: string, environment: Environment): Promise<void>
}

/** The rows of `channel`. */
export function channelStore({ rows }: Database, { changing }: Pick<ReadCache, 'changing'>): Channels {
  return {
    async environment(workspaceId, channelId) {
      const row = await rows
        .selectFrom('channel')
        .select('environment')
        .where('workspace_id', '=', workspaceId)
        .where('channel_id', '=', channelId)
        .executeTakeFirst()
      return row?.environment
    },

    async setEnvironment(workspaceId, channelId, environment) {
      await changing(
        workspaceId,
        rows
          .insertInto('channel')
          .values({ workspace_id: workspaceId, channel_id: channelId, environment })
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'channel_id']).doUpdateSet({ environment }),
          )
          .execute(),
      )
    },
  }
}
