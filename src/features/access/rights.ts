import { AUDIT_KEPT_DAYS, type Settings } from '@signalman/durable'
import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import { OPEN_CHANNELS } from '../../bot/posts/may-post.ts'
import type { Grants } from '../../bot/workspaces/grants.ts'
import { byRole } from '../../domain/roles.ts'
import { findHolders, type GivenRights } from './rules/rights.ts'

export interface RightsDeps {
  grants: Grants
  settings: Settings
  /** Granted admins and the installer. */
  listAdmins: (workspaceId: string) => Promise<string[]>
  /** Redraws App Home for everyone who has it open. Never rejects. */
  redrawHomes: (workspaceId: string) => Promise<void>
}

export async function readRights(
  { grants, settings }: RightsDeps,
  workspaceId: string,
): Promise<GivenRights> {
  const given = await grants.list(workspaceId)
  return {
    roles: byRole((role) => findHolders(given, role)),
    ends: given.flatMap(({ role, subject, endsAt }) =>
      endsAt ? [{ role, userId: subject.id, endsAt: endsAt.toISOString() }] : [],
    ),
    guestsMayLook: await settings.get(workspaceId, GUESTS_CAN_VIEW),
    openChannels: await settings.get(workspaceId, OPEN_CHANNELS),
    keptDays: await settings.get(workspaceId, AUDIT_KEPT_DAYS),
  }
}
