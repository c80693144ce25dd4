import type { SlackClients, Workspace } from '@signalman/slack'
import type { GrantableRole } from '../../domain/roles.ts'
import type { Tenancy } from '../install/tenancy.ts'
import type { Grants } from '../workspaces/grants.ts'

export type FindHolders = ReturnType<typeof createFindHolders>

/** How many of Slack's own admins are notified if nobody has the role. */
const MAX_SLACK_ADMINS = 20

interface HolderDeps {
  clients: SlackClients
  grants: Grants
  tenancy: Pick<Tenancy, 'findInstaller'>
}

/** Lists who has a role by a grant of their own or through a group. Leaves out grants to everyone. */
async function listHolders(
  { clients, grants }: Pick<HolderDeps, 'clients' | 'grants'>,
  workspace: Workspace,
  role: GrantableRole,
): Promise<string[]> {
  const roleGrants = (await grants.list(workspace.workspaceId)).filter((grant) => grant.role === role)
  const people = await Promise.all(
    roleGrants.map(async ({ subject }) => {
      if (subject.kind === 'user') return [subject.id]
      if (subject.kind === 'everyone') return []
      // A group that can't be read has no members, as in authorization.
      const slack = await clients.forWorkspace(workspace)
      return slack.groupMembers(subject.id).catch(() => [])
    }),
  )
  return [...new Set(people.flat())]
}

/**
 * Finds the people to notify for a role: everyone who has it by a grant of their own or through a group, but not by a grant to
 * everyone. If there are none, returns Signalman's admins and the installer, or else Slack's own admins. Throws if Slack can't be
 * reached for its admins.
 */
export function createFindHolders(deps: HolderDeps) {
  const { clients, tenancy } = deps
  return async (workspace: Workspace, role: GrantableRole): Promise<string[]> => {
    const holders = await listHolders(deps, workspace, role)
    if (holders.length > 0) return holders
    const installer = await tenancy.findInstaller(workspace.workspaceId)
    const admins = [
      ...new Set([...(await listHolders(deps, workspace, 'admin')), ...(installer ? [installer] : [])]),
    ]
    return admins.length > 0 ? admins : (await clients.forWorkspace(workspace)).admins(MAX_SLACK_ADMINS)
  }
}

export type ListAdmins = ReturnType<typeof createListAdmins>

/**
 * Yields everyone who is an admin here: Signalman's admins, then the installer, then Slack's own admins. Some of them may have
 * left. Throws if Slack can't be reached for its admins.
 */
export const createListAdmins = (deps: HolderDeps) =>
  async function* listAdmins(workspace: Workspace): AsyncGenerator<string, void> {
    yield* await listHolders(deps, workspace, 'admin')
    const installer = await deps.tenancy.findInstaller(workspace.workspaceId)
    if (installer) yield installer
    yield* await (await deps.clients.forWorkspace(workspace)).admins(MAX_SLACK_ADMINS)
  }
