import type { Setting, Settings } from '@signalman/durable'

const ORGANIZATION: Setting<string | null> = {
  key: 'organization',
  read: (stored) => (typeof stored === 'string' ? stored : null),
}

/** Which workspaces use an organization's installation (Enterprise Grid): Slack names both only in a request. */
export interface Organizations {
  join(workspaceId: string, organizationId: string): Promise<void>
  /** The organization has taken the app out of the workspace. */
  leave(workspaceId: string): Promise<void>
  of(workspaceId: string): Promise<string | undefined>
  /** The workspaces of an organization, by id. */
  workspacesOf(organizationId: string): Promise<string[]>
}

/** Stored as a setting of each workspace. */
export const organizationStore = (settings: Settings): Organizations => ({
  join: (workspaceId, organizationId) => settings.set(workspaceId, ORGANIZATION, organizationId),
  async leave(workspaceId) {
    if (await settings.get(workspaceId, ORGANIZATION)) await settings.set(workspaceId, ORGANIZATION, null)
  },
  of: async (workspaceId) => (await settings.get(workspaceId, ORGANIZATION)) ?? undefined,
  workspacesOf: (organizationId) => settings.workspacesWith(ORGANIZATION, organizationId),
})
