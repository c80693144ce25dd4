import { UserError } from '@signalman/runtime'
import { type FindBotToken, isOrganization, type Workspace } from '@signalman/slack'
import type { Stored } from '../stored.ts'
import type { Connections } from '../workspaces/connections.ts'
import { REMOVAL } from '../workspaces/installations.ts'

type FoundInstallation = Awaited<ReturnType<Stored['installations']['find']>>

/** The workspaces that the app is installed in, and their bot tokens. */
export interface Tenancy {
  readonly findBotToken: FindBotToken
  /** Who installed the app by OAuth. Reads may use the cache. */
  findInstaller(workspaceId: string, options?: { usesCache?: boolean }): Promise<string | undefined>
  /** The organization of a workspace; undefined if it isn't in one. A stored installation takes precedence over the request. */
  findOrganization(where: Workspace): Promise<string | undefined>
  /** Throws UserError if the app isn't installed there. Reads may use the cache. */
  throwUnlessInstalled(where: Workspace, options?: { usesCache?: boolean }): Promise<void>
  /** Records which organization a workspace is in. Called when a person from the workspace was admitted. */
  recordOrganization(workspace: Workspace): Promise<void>
  /** Wraps the store of connections so that a connection saved during an uninstall is deleted again. */
  guardConnections(connections: Connections): Connections
}

const NOT_INSTALLED = 'Signalman isn’t installed in this workspace. A workspace admin can install it.'

type Memberships = Pick<Stored, 'organizations' | 'cached'>

/** One workspace or organization, with a bot token from the configuration. */
export function createSingleTenancy(botToken: string, store: Memberships): Tenancy {
  return {
    findBotToken: async () => botToken,
    findInstaller: async () => undefined,
    findOrganization: async ({ workspaceId, enterpriseId }) =>
      enterpriseId ?? store.cached.organization(workspaceId),
    throwUnlessInstalled: async () => undefined,
    recordOrganization: createRecordOrganization(store),
    guardConnections: (connections) => connections,
  }
}

const createRecordOrganization =
  ({ organizations, cached }: Memberships): Tenancy['recordOrganization'] =>
  async ({ workspaceId, enterpriseId }) => {
    if (!enterpriseId || (await cached.organization(workspaceId)) === enterpriseId) return
    await organizations.join(workspaceId, enterpriseId)
  }

/** All workspaces and organizations that installed the app by OAuth. */
export function createMultiTenancy(
  store: Pick<Stored, 'cached' | 'installations' | 'organizations' | 'settings'>,
): Tenancy {
  const { installations, organizations, cached, settings } = store

  async function find(where: Workspace, { usesCache = false }): Promise<FoundInstallation> {
    const findInstallation = usesCache ? cached.installation : installations.find
    const { workspaceId } = where
    const enterpriseId = isOrganization(workspaceId) ? workspaceId : where.enterpriseId
    const found = await findInstallation({ workspaceId, enterpriseId })
    if (found || enterpriseId) return found
    // Rarely needed: nearly every workspace has its own installation.
    const organization = await (usesCache ? cached.organization : organizations.find)(workspaceId)
    return organization === undefined
      ? undefined
      : findInstallation({ workspaceId, enterpriseId: organization })
  }

  async function throwUnlessInstalled(where: Workspace, { usesCache = false } = {}): Promise<void> {
    const found = await find(where, { usesCache })
    if (!found) throw new UserError(NOT_INSTALLED)
    if (found.kind === 'workspace') return
    // The organization's installation covers all its workspaces, except one from which the app is being removed.
    const { workspaceId } = where
    const removal = await (usesCache
      ? cached.setting(workspaceId, REMOVAL)
      : settings.get(workspaceId, REMOVAL))
    if (removal) throw new UserError(NOT_INSTALLED)
  }

  return {
    findBotToken: async (where) => (await find(where, { usesCache: true }))?.botToken,
    findInstaller: async (workspaceId, options = {}) =>
      (await find({ workspaceId, enterpriseId: undefined }, options))?.installedBy,
    async findOrganization(where) {
      const found = await find(where, { usesCache: true })
      return found?.enterpriseId
    },
    throwUnlessInstalled,
    recordOrganization: createRecordOrganization(store),

    guardConnections: (connections) => ({
      ...connections,
      async save(connection) {
        const isSaved = await connections.save(connection)
        const { workspaceId } = connection
        // Since the person was admitted, the app may have been uninstalled and the workspace's data deleted.
        await throwUnlessInstalled({ workspaceId, enterpriseId: undefined }).catch(async (error: unknown) => {
          // A failed read doesn't mean that the app was uninstalled.
          if (error instanceof UserError) await connections.removeAll(workspaceId)
          throw error
        })
        return isSaved
      },
    }),
  }
}
