import { slackUser } from '../payloads/person.ts'
import type { Fields } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import type { Person } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import { SLACKBOT } from '../state/people.ts'
import { teamIcon } from '../state/pictures.ts'
import type { World } from '../state/world.ts'
import { values } from './arguments.ts'
import { ApiError, type Args, type Method, optional, type RunMethod, readIds } from './method.ts'
import { createSlackbot, findPerson } from './people.ts'

/** https://docs.slack.dev/reference/methods/team.info (November 2026). */
const teamInfo: RunMethod = ({ world: { people, url }, args, caller: { teamId, canReach } }) => {
  const id = optional(args, 'team') ?? teamId
  const team = people.workspaces.find((workspace) => workspace.id === id && canReach(id))
  if (!team) throw new ApiError('team_not_found')
  const { name, domain, organization } = team
  return {
    team: {
      id,
      name,
      domain,
      url: `${url()}/`,
      email_domain: 'example.com',
      avatar_base_url: `${url()}/avatars/`,
      is_verified: false,
      icon: teamIcon(url(), id),
      ...(organization && { enterprise_id: organization.id, enterprise_name: organization.name }),
    },
  }
}

/** Finds the person in the `user` argument, who can be Slackbot. Defaults to the app's bot. */
function findPersonOrBot(world: World, args: Args, caller: Caller): Person {
  const user = optional(args, 'user') ?? caller.bot(caller.teamId).userId
  return user === SLACKBOT ? createSlackbot(caller.teamId) : findPerson(world, { user }, caller)
}

const profileGet: RunMethod = ({ world, args, caller }) => {
  const { profile } = slackUser(findPersonOrBot(world, args, caller), world.people, caller)
  const { team: _team, ...fields } = isFields(profile) ? profile : {}
  return { profile: fields }
}

const presence: RunMethod = ({ world, args, caller }) => ({
  presence: findPersonOrBot(world, args, caller).deleted ? 'away' : 'active',
})

/** Everyone's Do Not Disturb status. In the playground, nobody pauses notifications. */
const DND: Fields = { dnd_enabled: false, next_dnd_start_ts: 1, next_dnd_end_ts: 1, snooze_enabled: false }

/** https://docs.slack.dev/reference/methods/dnd.info and dnd.teamInfo (November 2026). */
const dndInfo: RunMethod = ({ world: { people }, args }) => {
  const user = optional(args, 'user')
  if (user !== undefined && !people.find(user)) throw new ApiError('user_not_found')
  return { ...DND }
}

const dndTeam: RunMethod = ({ args }) => {
  if (optional(args, 'users') === undefined) throw new ApiError('no_users_provided')
  return { users: Object.fromEntries(readIds(args, 'users').map((id) => [id, { ...DND }])) }
}

export const teamMethods: Record<string, Method> = {
  'team.info': { args: values('team'), run: teamInfo },
  'users.profile.get': { args: values('user'), run: profileGet },
  'users.getPresence': { args: values('user'), run: presence },
  'dnd.info': { args: values('user'), run: dndInfo },
  'dnd.teamInfo': { args: values('users'), run: dndTeam },
  // The playground's workspaces have no custom profile fields.
  'team.profile.get': { args: {}, run: () => ({ profile: { fields: [], sections: [] } }) },
  'emoji.list': { args: {}, run: () => ({ emoji: {}, cache_ts: '0' }) },
}
