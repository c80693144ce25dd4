import { AUDIT_RETENTION_DAYS, type Settings } from '@signalman/durable'
import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import { ALLOWED_SHARED_CHANNELS } from '../../bot/posts/may-post.ts'
import type { Grants } from '../../bot/workspaces/grants.ts'
import type { AccessSettings } from './rules/access-settings.ts'

export interface AccessDeps {
  grants: Grants
  settings: Settings
  /** Granted admins and the installer. */
  listAdmins: (workspaceId: string) => Promise<string[]>
  /** Redraws App Home for everyone who has it open. Never rejects. */
  redrawHomes: (workspaceId: string) => Promise<void>
}

export async function readAccessSettings(
  { settings }: Pick<AccessDeps, 'settings'>,
  workspaceId: string,
): Promise<AccessSettings> {
  return {
    guestsCanView: await settings.get(workspaceId, GUESTS_CAN_VIEW),
    allowedSharedChannels: await settings.get(workspaceId, ALLOWED_SHARED_CHANNELS),
    auditRetentionDays: await settings.get(workspaceId, AUDIT_RETENTION_DAYS),
  }
}
