import type { SlackClients, Workspace } from '@signalman/slack'
import type { GrantableRole } from '../../domain/roles.ts'
import type { Tenancy } from '../install/tenancy.ts'
import type { Grants } from '../workspaces/grants.ts'

export type FindHolders = ReturnType<typeof createFindHolders>

/** How many of Slack's own admins are notified if nobody has the role. */
const MAX_SLACK_ADMINS = 20

/**
 * Finds the people to notify for a role: everyone who has it by a grant of their own or through a group, but not by a grant to
 * everyone. If there are none, returns Signalman's admins and the installer, or else Slack's own admins. Throws if Slack can't be
 * reached for its admins.
 */
export function createFindHolders(deps: {
  clients: SlackClients
  grants: Grants
  tenancy: Pick<Tenancy, 'findInstaller'>
}) {
  const { clients, grants, tenancy } = deps

  async function listHolders(workspace: Workspace, role: GrantableRole): Promise<string[]> {
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

  return async (workspace: Workspace, role: GrantableRole): Promise<string[]> => {
    const holders = await listHolders(workspace, role)
    if (holders.length > 0) return holders
    const installer = await tenancy.findInstaller(workspace.workspaceId)
    const admins = [
      ...new Set([...(await listHolders(workspace, 'admin')), ...(installer ? [installer] : [])]),
    ]
    return admins.length > 0 ? admins : (await clients.forWorkspace(workspace)).admins(MAX_SLACK_ADMINS)
  }
}
