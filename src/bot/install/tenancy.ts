import { ownSetting, type Settings } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { FindBotToken, Workspace } from '@signalman/slack'
import type { Stored } from '../stored.ts'

/** The workspaces that the app is installed in, and their bot tokens. */
export interface Tenancy {
  readonly findBotToken: FindBotToken
  /** Who installed the app by OAuth. Reads may use the cache. */
  findInstaller(workspaceId: string, options?: { usesCache?: boolean }): Promise<string | undefined>
  /** The organization (Enterprise Grid) of a workspace; undefined if it isn't in one. */
  findOrganization(where: Workspace): Promise<string | undefined>
  /** Throws UserError if the app isn't installed there. Reads may use the cache. */
  throwUnlessInstalled(where: Workspace, options?: { usesCache?: boolean }): Promise<void>
  /** Records which organization a workspace is in. Called when a person from the workspace was authorized. */
  recordOrganization(workspace: Workspace): Promise<void>
}

const NOT_INSTALLED = 'Signalman isn’t installed in this workspace. A workspace admin can install it.'

/** With a configured bot token, only requests from Slack show the organization of the workspace. */
const ORGANIZATION = ownSetting<string>('organization')

/** One workspace, with a bot token from the configuration. */
export function createSingleTenancy(
  botToken: string,
  { cached, settings }: Pick<Stored, 'cached'> & { settings: Pick<Settings, 'set'> },
): Tenancy {
  return {
    findBotToken: async () => botToken,
    findInstaller: async () => undefined,
    findOrganization: async ({ workspaceId, enterpriseId }) =>
      enterpriseId ?? cached.setting(workspaceId, ORGANIZATION),
    throwUnlessInstalled: async () => undefined,
    async recordOrganization({ workspaceId, enterpriseId }) {
      if (enterpriseId && (await cached.setting(workspaceId, ORGANIZATION)) !== enterpriseId)
        await settings.set(workspaceId, ORGANIZATION, enterpriseId)
    },
  }
}

/** All workspaces that installed the app by OAuth. Slack names the organization of each. */
export function createMultiTenancy({
  cached,
  installations,
}: Pick<Stored, 'cached' | 'installations'>): Tenancy {
  const find = (workspaceId: string, { usesCache = false } = {}) =>
    usesCache ? cached.installation(workspaceId) : installations.find(workspaceId)

  return {
    findBotToken: async ({ workspaceId }) => (await find(workspaceId, { usesCache: true }))?.botToken,
    findInstaller: async (workspaceId, options) => (await find(workspaceId, options))?.installedBy,
    findOrganization: async ({ workspaceId }) => (await find(workspaceId, { usesCache: true }))?.enterpriseId,
    async throwUnlessInstalled({ workspaceId }, options) {
      if (!(await find(workspaceId, options))) throw new UserError(NOT_INSTALLED)
    },
    recordOrganization: async () => undefined,
  }
}
