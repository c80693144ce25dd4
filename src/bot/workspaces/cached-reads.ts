import type { ReadCache, Setting, Settings } from '@signalman/durable'
import type { Environment } from '../../domain/environment.ts'
import type { Grant } from '../../domain/roles.ts'
import type { Channels } from './channels.ts'
import type { Connections } from './connections.ts'
import type { Grants } from './grants.ts'
import type { Installations } from './installations.ts'

export type CachedReads = ReturnType<typeof createCachedReads>

/**
 * Reads that nearly every request makes, up to a second old. A request that changes something reads its permissions, environment, and
 * connection from the stores instead.
 */
export function createCachedReads(
  cache: Pick<ReadCache, 'get'>,
  stores: {
    channels: Pick<Channels, 'environment'>
    connections: Pick<Connections, 'find' | 'list'>
    grants: Pick<Grants, 'list'>
    installations: Pick<Installations, 'find'>
    settings: Pick<Settings, 'get'>
  },
  now: () => Date,
) {
  const { channels, connections, grants, installations, settings } = stores
  return {
    /** The environment set for the channel; undefined if none. */
    channelEnvironment: (workspaceId: string, channelId: string) =>
      cache.get(workspaceId, `channel ${channelId}`, () => channels.environment(workspaceId, channelId)),
    connection: (workspaceId: string, environment: Environment) =>
      cache.get(workspaceId, `connection ${environment}`, () => connections.find(workspaceId, environment)),
    connections: (workspaceId: string) =>
      cache.get(workspaceId, 'connections', () => connections.list(workspaceId)),
    async grants(workspaceId: string): Promise<readonly Grant[]> {
      const cached = await cache.get(workspaceId, 'grants', () => grants.list(workspaceId))
      // Filtered here, because no row changes when a grant expires, so the cache isn't invalidated.
      return cached.filter(({ endsAt }) => endsAt === undefined || endsAt > now())
    },
    installation: (workspaceId: string) =>
      cache.get(workspaceId, 'installation', () => installations.find(workspaceId)),
    setting: <T>(workspaceId: string, setting: Setting<T>) =>
      cache.get(workspaceId, `setting ${setting.key}`, () => settings.get(workspaceId, setting)),
  }
}
