import type { Database } from '../database/database.ts'
import type { Setting, Settings } from './settings.ts'

const ORGANIZATION: Setting<string | undefined> = {
  key: 'organization',
  read: (stored) => (typeof stored === 'string' ? stored : undefined),
}

/** Which workspaces use an organization's installation (Enterprise Grid): Slack names both only in a request. */
export interface Organizations {
  join(workspaceId: string, organizationId: string): Promise<void>
  of(workspaceId: string): Promise<string | undefined>
  /** The workspaces of an organization, by id. */
  workspacesOf(organizationId: string): Promise<string[]>
}

/** Stored as a setting of each workspace. */
export function organizationStore({ rows }: Database, settings: Settings): Organizations {
  return {
    join: (workspaceId, organizationId) => settings.set(workspaceId, ORGANIZATION, organizationId),
    of: (workspaceId) => settings.get(workspaceId, ORGANIZATION),
    async workspacesOf(organizationId) {
      const found = await rows
        .selectFrom('setting')
        .select('workspace_id')
        .where('key', '=', ORGANIZATION.key)
        .where('value', '=', JSON.stringify(organizationId))
        .orderBy('workspace_id')
        .execute()
      return found.map((row) => row.workspace_id)
    },
  }
}
