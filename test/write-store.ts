import type { Store } from '../src/app/store.ts'
import type { Environment } from '../src/domain/environment.ts'

type Stores = Pick<Store, 'audit' | 'connections' | 'channels'>
type Connections = ReturnType<Stores['connections']['within']>

/** Stores a token. */
export const saveConnection = (store: Stores, connection: Parameters<Connections['save']>[0]) =>
  change(store, connection.workspaceId, (stores) => stores.connections.save(connection))

/** Deletes a connection. False if there was none. */
export const removeConnection = (store: Stores, workspaceId: string, environment: Environment) =>
  change(store, workspaceId, ({ connections }) => connections.remove(workspaceId, environment))

/** Sets the environment of a channel. */
export const setEnvironment = (
  store: Stores,
  workspaceId: string,
  channelId: string,
  environment: Environment,
) =>
  change(store, workspaceId, ({ channels }) => channels.setEnvironment(workspaceId, channelId, environment))

const change = <T>(
  { audit, connections, channels }: Stores,
  workspaceId: string,
  write: (stores: {
    connections: Connections
    channels: ReturnType<Stores['channels']['within']>
  }) => Promise<T>,
): Promise<T> =>
  audit.decide(workspaceId, async (decisions) => ({
    outcome: await write({
      connections: connections.within(decisions),
      channels: channels.within(decisions),
    }),
    auditEvent: {
      ...{ workspaceId, at: new Date(), actor: { userId: 'system' }, verb: 'prepare', object: '' },
      ...{ outcome: 'done', reference: 'test' },
    },
  }))
