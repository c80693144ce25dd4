import { saveGroup, slackGroup } from '../changes/groups.ts'
import { createId } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { isTrue } from '../protocol/json.ts'
import type { UserGroup } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import type { World } from '../state/world.ts'
import { values } from './arguments.ts'
import {
  ApiError,
  type Args,
  type Call,
  type Method,
  optional,
  type RunMethod,
  readIds,
  required,
} from './method.ts'
import { readTeamId } from './people.ts'

// User groups: https://docs.slack.dev/reference/methods/usergroups.create and others (November 2026).

const HANDLE = /^[a-z0-9._-]{1,21}$/

function findGroup(world: World, args: Args, caller: Caller): UserGroup {
  const id = required(args, 'usergroup')
  const team = readTeamId(args, caller)
  const group = world.groups.find((candidate) => candidate.id === id && candidate.teamId === team)
  if (!group) throw new ApiError('no_such_subteam')
  return group
}

/** Reads the group fields that the call sets. Throws ApiError if one is invalid, or if the name or handle is taken. */
function readFields({ groups, people }: World, args: Args, { id, teamId }: Pick<UserGroup, 'id' | 'teamId'>) {
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

const save = ({ world, link, caller: { bot } }: Call, group: UserGroup): Fields => ({
  usergroup: slackGroup(saveGroup(world, link, bot(group.teamId).userId, group)),
})

const create: RunMethod = (call) => {
  const { world, args, caller } = call
  const name = optional(args, 'name')
  if (name === undefined) throw new ApiError('missing_subteam_name')
  const identity = { id: createId('S'), teamId: readTeamId(args, caller), users: [] }
  const handle = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, 21)
  return save(call, { ...identity, name, handle, ...readFields(world, args, identity) })
}

const update: RunMethod = (call) => {
  const { world, args, caller } = call
  const group = findGroup(world, args, caller)
  return save(call, { ...group, ...readFields(world, args, group) })
}

/** Enables or disables a group. A disabled group keeps its users, but can't be mentioned. */
const setEnabled =
  (isEnabled: boolean): RunMethod =>
  (call) => {
    const { world, args, caller } = call
    const disabledAt = isEnabled ? 0 : Math.floor(world.now().getTime() / 1000)
    return save(call, { ...findGroup(world, args, caller), disabledAt })
  }

const updateUsers: RunMethod = (call) => {
  const { world, args, caller } = call
  const group = findGroup(world, args, caller)
  const users = readIds(args, 'users')
  if (users.length === 0) throw new ApiError('no_users_provided')
  const teamMembers = world.people.visibleIn(group.teamId)
  if (users.some((id) => teamMembers.every((person) => person.id !== id))) throw new ApiError('invalid_users')
  return save(call, { ...group, users: [...new Set(users)] })
}

const list: RunMethod = ({ world: { groups }, args, caller }) => {
  const team = readTeamId(args, caller)
  const matching = groups.filter(
    ({ teamId, disabledAt }) => teamId === team && (!disabledAt || isTrue(args.include_disabled)),
  )
  return { usergroups: matching.map((group) => slackGroup(group, isTrue(args.include_users))) }
}

const listUsers: RunMethod = ({ world, args, caller }) => ({
  users: [...findGroup(world, args, caller).users],
})

export const groupMethods: Record<string, Method> = {
  'usergroups.create': { args: values('name handle description channels team_id'), run: create },
  'usergroups.update': { args: values('usergroup name handle description channels team_id'), run: update },
  'usergroups.enable': { args: values('usergroup team_id'), run: setEnabled(true) },
  'usergroups.disable': { args: values('usergroup team_id'), run: setEnabled(false) },
  'usergroups.list': { args: values('team_id include_disabled include_users'), run: list },
  'usergroups.users.list': { args: values('usergroup team_id'), run: listUsers },
  'usergroups.users.update': { args: values('usergroup users team_id'), run: updateUsers },
}
