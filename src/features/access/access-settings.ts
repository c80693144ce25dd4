import { AUDIT_RETENTION_DAYS, type Audit, type Settings } from '@signalman/durable'
import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import type { Reachability } from '../../bot/access/reachable.ts'
import { ALLOWED_SHARED_CHANNELS } from '../../bot/posts/may-post.ts'
import type { Grants } from '../../bot/workspaces/grants.ts'
import { byRole } from '../../domain/roles.ts'
import { type AccessSettings, findHolders } from './rules/access-settings.ts'

export interface AccessDeps {
  grants: Grants
  settings: Settings
  audit: Pick<Audit, 'findOlderThan'>
  /** Granted admins and the installer. */
  listAdmins: (workspaceId: string) => Promise<string[]>
  reachability: Pick<Reachability, 'explainPerson'>
  /** Redraws App Home for everyone who has it open. Never rejects. */
  redrawHomes: (workspaceId: string) => Promise<void>
}

export async function readAccessSettings(
  { grants, settings }: AccessDeps,
  workspaceId: string,
): Promise<AccessSettings> {
  const workspaceGrants = await grants.list(workspaceId)
  return {
    roles: byRole((role) => findHolders(workspaceGrants, role)),
    temporaryRoles: workspaceGrants.flatMap(({ role, subject, endsAt }) =>
      endsAt ? [{ role, userId: subject.id, endsAt: endsAt.toISOString() }] : [],
    ),
    guestsCanView: await settings.get(workspaceId, GUESTS_CAN_VIEW),
    allowedSharedChannels: await settings.get(workspaceId, ALLOWED_SHARED_CHANNELS),
    auditRetentionDays: await settings.get(workspaceId, AUDIT_RETENTION_DAYS),
  }
}

/** How many audit entries are older than each of these periods, for those shorter than the current one. */
export async function countOlderRows(
  { audit }: Pick<AccessDeps, 'audit'>,
  workspaceId: string,
  currentDays: number,
  choices: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const shorter = choices.filter((days) => days > 0 && (currentDays === 0 || days < currentDays))
  const counts = await Promise.all(
    shorter.map(async (days) => [days, (await audit.findOlderThan(workspaceId, days)).rows] as const),
  )
  return new Map(counts)
}
