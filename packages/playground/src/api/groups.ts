import { saveGroup, slackGroup } from '../changes/groups.ts'
import { createId } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import type { UserGroup } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import type { Slack } from '../state/world.ts'
import { ApiError, type Args, isTrue, type Method, optional, readIds, required } from './method.ts'
import { readTeamId } from './people.ts'

// User groups: https://docs.slack.dev/reference/methods/usergroups.create and others (November 2026).

const HANDLE = /^[a-z0-9._-]{1,21}$/

function findGroup(slack: Slack, args: Args, caller: Caller): UserGroup {
  const id = required(args, 'usergroup')
  const team = readTeamId(args, caller)
  const group = slack.groups.find((candidate) => candidate.id === id && candidate.teamId === team)
  if (!group) throw new ApiError('no_such_subteam')
  return group
}

/** Reads the group fields that the call sets. Throws ApiError if one is invalid, or if the name or handle is taken. */
function readFields({ groups, people }: Slack, args: Args, { id, teamId }: Pick<UserGroup, 'id' | 'teamId'>) {
  const [name, handle, description] = ['name', 'handle', 'description'].map((field) => optional(args, field))
  const otherGroups = groups.filter((group) => group.teamId === teamId && group.id !== id)
  if (otherGroups.some((group) => group.name === name)) throw new ApiError('name_already_exists')
  if (handle !== undefined && !HANDLE.test(handle)) throw new ApiError('bad_handle')
  if (otherGroups.some((group) => group.handle === handle)) throw new ApiError('handle_already_exists')
  const channels = readIds(args, 'channels')
  if (channels.some((channel) => people.channel(channel)?.teamId !== teamId))
    throw new ApiError('invalid_channel_provided')
  return {
    ...(name !== undefined && { name }),
    ...(handle !== undefined && { handle }),
    ...(description !== undefined && { description }),
    ...(args.channels !== undefined && { channels }),
  }
}

const save = (slack: Slack, { bot }: Caller, group: UserGroup): Fields => ({
  usergroup: slackGroup(saveGroup(slack, bot(group.teamId).userId, group)),
})

const create: Method = (slack, args, caller) => {
  const name = optional(args, 'name')
  if (name === undefined) throw new ApiError('missing_subteam_name')
  const identity = { id: createId('S'), teamId: readTeamId(args, caller), users: [] }
  const handle = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, 21)
  return save(slack, caller, { ...identity, name, handle, ...readFields(slack, args, identity) })
}

const update: Method = (slack, args, caller) => {
  const group = findGroup(slack, args, caller)
  return save(slack, caller, { ...group, ...readFields(slack, args, group) })
}

/** Enables or disables a group. A disabled group keeps its users, but can't be mentioned. */
const setEnabled =
  (isEnabled: boolean): Method =>
  (slack, args, caller) => {
    const disabledAt = isEnabled ? 0 : Math.floor(slack.now().getTime() / 1000)
    return save(slack, caller, { ...findGroup(slack, args, caller), disabledAt })
  }

const updateUsers: Method = (slack, args, caller) => {
  const group = findGroup(slack, args, caller)
  const users = readIds(args, 'users')
  if (users.length === 0) throw new ApiError('no_users_provided')
  const teamMembers = slack.people.visibleIn(group.teamId)
  if (users.some((id) => teamMembers.every((person) => person.id !== id))) throw new ApiError('invalid_users')
  return save(slack, caller, { ...group, users: [...new Set(users)] })
}

const list: Method = ({ groups }, args, caller) => {
  const team = readTeamId(args, caller)
  const matching = groups.filter(
    ({ teamId, disabledAt }) => teamId === team && (!disabledAt || isTrue(args.include_disabled)),
  )
  return { usergroups: matching.map((group) => slackGroup(group, isTrue(args.include_users))) }
}

export const groupMethods: Record<string, Method> = {
  'usergroups.create': create,
  'usergroups.update': update,
  'usergroups.enable': setEnabled(true),
  'usergroups.disable': setEnabled(false),
  'usergroups.list': list,
  'usergroups.users.list': (slack, args, caller) => ({ users: [...findGroup(slack, args, caller).users] }),
  'usergroups.users.update': updateUsers,
}
