import type { Fields } from '../protocol/json.ts'
import type { UserGroup } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import type { World } from '../state/world.ts'
import { ApiError, type Args, type RunMethod, required } from './method.ts'

// User groups: https://docs.slack.dev/reference/methods/usergroups.create and others (November 2026).

function findGroup(world: World, args: Args, caller: Caller): UserGroup {
  const id = required(args, 'usergroup')
  const group = world.groups.find((candidate) => candidate.id === id && candidate.teamId === caller.teamId)
  if (!group) throw new ApiError('no_such_subteam')
  return group
}

function slackGroup({ id, teamId, handle, name, users }: UserGroup): Fields {
  return {
    id,
    team_id: teamId,
    is_usergroup: true,
    name,
    handle,
    description: '',
    date_delete: 0,
    user_count: users.length,
  }
}

const list: RunMethod = ({ world: { groups }, caller }) => {
  const matching = groups.filter(({ teamId }) => teamId === caller.teamId)
  return { usergroups: matching.map(slackGroup) }
}

const listUsers: RunMethod = ({ world, args, caller }) => ({
  users: [...findGroup(world, args, caller).users],
})

export const groupMethods: Record<string, RunMethod> = {
  'usergroups.list': list,
  'usergroups.users.list': listUsers,
}
