import { UserError } from '@signalman/runtime'
import { type FindBotToken, isOrganization, type Workspace } from '@signalman/slack'
import type { Stored } from '../stored.ts'
import type { Connections } from '../workspaces/connections.ts'
import { REMOVAL } from '../workspaces/installations.ts'

type Found = Awaited<ReturnType<Stored['installations']['find']>>

/** Knows which workspaces the app is in, and with which bot token it speaks there. */
export interface Tenancy {
  readonly botTokenOf: FindBotToken
  /** Who installed the app, where it was installed by OAuth. What only reads goes by the read cache. */
  installerOf(workspaceId: string, options?: { usesCache?: boolean }): Promise<string | undefined>
  /**
   * The organization of a workspace: as its installation has it, which counts more than a request. Undefined when it is in none.
   */
  organizationOf(where: Workspace): Promise<string | undefined>
  /** Throws UserError when the app is not installed there (any more). What only reads goes by the read cache. */
  enter(where: Workspace, options?: { usesCache?: boolean }): Promise<void>
  /** Records the organization of a workspace once one of its people was admitted. */
  admitted(workspace: Workspace): Promise<void>
  /** The connections; none outlives an uninstall that happens while it is being stored. */
  guarded(connections: Connections): Connections
}

const NOT_INSTALLED = 'Signalman isn’t installed in this workspace. A workspace admin can install it.'

type Memberships = Pick<Stored, 'organizations' | 'cached'>

/** One workspace, or one organization, whose token the operator has configured. */
export function oneWorkspace(botToken: string, store: Memberships): Tenancy {
  return {
    botTokenOf: async () => botToken,
    installerOf: async () => undefined,
    organizationOf: async ({ workspaceId, enterpriseId }) =>
      enterpriseId ?? store.cached.organizationOf(workspaceId),
    enter: async () => undefined,
    admitted: joinedIn(store),
    guarded: (connections) => connections,
  }
}

const joinedIn =
  ({ organizations, cached }: Memberships): Tenancy['admitted'] =>
  async ({ workspaceId, enterpriseId }) => {
    if (!enterpriseId || (await cached.organizationOf(workspaceId)) === enterpriseId) return
    await organizations.join(workspaceId, enterpriseId)
  }

/** Every workspace and organization that has installed the app. */
export function installedWorkspaces(
  store: Pick<Stored, 'cached' | 'installations' | 'organizations' | 'settings'>,
): Tenancy {
  const { installations, organizations, cached, settings } = store

  async function find(where: Workspace, { usesCache = false }): Promise<Found> {
    const look = usesCache ? cached.installation : installations.find
    const { workspaceId } = where
    const enterpriseId = isOrganization(workspaceId) ? workspaceId : where.enterpriseId
    const found = await look({ workspaceId, enterpriseId })
    if (found || enterpriseId) return found
    // Nearly every workspace has its own, so this is seldom asked.
    const organization = await (usesCache ? cached.organizationOf : organizations.of)(workspaceId)
    return organization === undefined ? undefined : look({ workspaceId, enterpriseId: organization })
  }

  async function enter(where: Workspace, { usesCache = false } = {}): Promise<void> {
    const found = await find(where, { usesCache })
    if (!found) throw new UserError(NOT_INSTALLED)
    if (found.kind === 'workspace') return
    // Its organization has just taken the app out of it.
    const { workspaceId } = where
    const removal = await (usesCache
      ? cached.setting(workspaceId, REMOVAL)
      : settings.get(workspaceId, REMOVAL))
    if (removal) throw new UserError(NOT_INSTALLED)
  }

  return {
    botTokenOf: async (where) => (await find(where, { usesCache: true }))?.botToken,
    installerOf: async (workspaceId, options = {}) =>
      (await find({ workspaceId, enterpriseId: undefined }, options))?.installedBy,
    async organizationOf(where) {
      const found = await find(where, { usesCache: true })
      return found?.enterpriseId
    },
    enter,
    admitted: joinedIn(store),

    guarded: (connections) => ({
      ...connections,
      async save(connection) {
        const isSaved = await connections.save(connection)
        const { workspaceId } = connection
        // The person was let in before; an uninstall may have wiped the workspace since, and this came after it.
        await enter({ workspaceId, enterpriseId: undefined }).catch(async (error: unknown) => {
          // That it could not be read does not say that it is gone.
          if (error instanceof UserError) await connections.forgetAll(workspaceId)
          throw error
        })
        return isSaved
      },
    }),
  }
}
