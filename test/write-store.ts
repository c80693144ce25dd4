import type { Store } from '../src/app/store.ts'
import type { Environment } from '../src/domain/environment.ts'
import { decide } from './decide.ts'

type Stores = Pick<Store, 'audit' | 'connections' | 'channels'>
type Connections = ReturnType<Stores['connections']['within']>

/** Stores a token. */
export const saveConnection = (
  store: Stores,
  { workspaceId, ...connection }: Parameters<Connections['save']>[0] & { workspaceId: string },
) => decide(store, workspaceId, (decisions) => store.connections.within(decisions).save(connection))

/** Deletes a connection. False if there was none. */
export const removeConnection = (store: Stores, workspaceId: string, environment: Environment) =>
  decide(store, workspaceId, (decisions) => store.connections.within(decisions).remove(environment))

export const setEnvironment = (
  store: Stores,
  workspaceId: string,
  channelId: string,
  environment: Environment,
) =>
  decide(store, workspaceId, (decisions) =>
    store.channels.within(decisions).setEnvironment(channelId, environment),
  )
