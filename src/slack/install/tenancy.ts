import { UserError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { Connections } from '../../store/workspaces/connections.ts'
import type { FindBotToken } from '../client/clients.ts'
import type { Workspace } from '../receive/origin.ts'

export type Where = Parameters<FindBotToken>[0]
type Found = Awaited<ReturnType<Store['installations']['find']>>

/** Knows which workspaces the app is in, and with which bot token it speaks there. */
export interface Tenancy {
  readonly botTokenOf: FindBotToken
  /** Who installed the app, where it was installed by OAuth. */
  installerOf(workspaceId: string): Promise<string | undefined>
  /** Throws UserError when the app is not installed there (any more). What only reads goes by the read cache. */
  enter(where: Where, options?: { usesCache?: boolean }): Promise<void>
  /** Records the organization of a workspace once one of its people was admitted. */
  admitted(workspace: Workspace): Promise<void>
  /** The connections; none outlives an uninstall that happens while it is being stored. */
  guarded(connections: Connections): Connections
}

const NOT_INSTALLED =
  'Signalman is not installed in this workspace any more: a workspace admin can install it again.'

/** One workspace, whose token the operator has configured. */
export function oneWorkspace(botToken: string): Tenancy {
  return {
    botTokenOf: async () => botToken,
    installerOf: async () => undefined,
    enter: async () => undefined,
    admitted: async () => undefined,
    guarded: (connections) => connections,
  }
}

/** Every workspace and organization that has installed the app. */
export function installedWorkspaces(
  store: Pick<Store, 'installations' | 'organizations' | 'cached'>,
): Tenancy {
  const { installations, organizations, cached } = store

  async function find({ workspaceId, enterpriseId }: Where, look: (workspace: Where) => Promise<Found>) {
    const found = await look({ workspaceId, enterpriseId })
    if (found || enterpriseId) return found
    // Nearly every workspace has its own, so this is seldom asked.
    const organization = await cached.organizationOf(workspaceId)
    return organization === undefined ? undefined : look({ workspaceId, enterpriseId: organization })
  }

  async function enter(where: Where, { usesCache = false } = {}): Promise<void> {
    const found = await find(where, usesCache ? cached.installation : installations.find)
    if (!found) throw new UserError(NOT_INSTALLED)
  }

  return {
    botTokenOf: async (where) => (await find(where, cached.installation))?.botToken,
    installerOf: async (workspaceId) =>
      (await find({ workspaceId, enterpriseId: undefined }, cached.installation))?.installedBy,
    enter,

    async admitted({ workspaceId, enterpriseId }) {
      if (!enterpriseId || (await cached.organizationOf(workspaceId)) === enterpriseId) return
      await organizations.join(workspaceId, enterpriseId)
    },

    guarded: (connections) => ({
      ...connections,
      async save(connection) {
        await connections.save(connection)
        const { workspaceId } = connection
        // The person was let in before; an uninstall may have wiped the workspace since, and this came after it.
        await enter({ workspaceId, enterpriseId: undefined }).catch(async (error: unknown) => {
          await connections.forgetAll(workspaceId)
          throw error
        })
      },
    }),
  }
}
