import { OPEN_CHANNELS } from '../../bot/replies/sharing.ts'
import { AUDIT_KEPT_DAYS } from '../../bot/retention/audit-retention.ts'
import type { GivenRole } from '../../domain/roles.ts'
import type { Grants } from '../../store/workspaces/grants.ts'
import type { Settings } from '../../store/workspaces/settings.ts'
import { type Holders, holdersOf } from './holders.ts'

export interface RightsParts {
  grants: Grants
  settings: Settings
  /** Granted admins and the installer. */
  adminsOf: (workspaceId: string) => Promise<string[]>
}

/** What `/hc access` shows and changes. */
export interface GivenRights {
  roles: Readonly<Record<GivenRole, Holders>>
  /** People who have a role for a time; `endsAt` is ISO 8601. */
  ends: readonly { role: GivenRole; userId: string; endsAt: string }[]
  /** Shared channels in which threat events and orders may be shown. */
  openChannels: readonly string[]
  /** For how many days rows of the audit log are kept; 0: for ever. */
  keptDays: number
}

export async function readRights(
  { grants, settings }: RightsParts,
  workspaceId: string,
): Promise<GivenRights> {
  const given = await grants.list(workspaceId)
  return {
    roles: {
      operator: holdersOf(given, 'operator'),
      approver: holdersOf(given, 'approver'),
      admin: holdersOf(given, 'admin'),
    },
    ends: given.flatMap(({ role, subject, endsAt }) =>
      endsAt ? [{ role, userId: subject.id, endsAt: endsAt.toISOString() }] : [],
    ),
    openChannels: await settings.get(workspaceId, OPEN_CHANNELS),
    keptDays: await settings.get(workspaceId, AUDIT_KEPT_DAYS),
  }
}
