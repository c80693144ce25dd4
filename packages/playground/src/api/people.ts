import type { Caller, Install } from '../installs.ts'

import { APP_ID, type People, seatOf } from '../people.ts'
import type { Fields, Person, Workspace } from '../protocol.ts'
import { BOTS } from '../seed.ts'
import type { Slack } from '../slack.ts'
import { ApiRefusal, type Args, type Method, optional, pageOf, required } from './reply.ts'

/** The organization's view of a person (Enterprise Grid). */
function enterpriseUser(person: Person, organization: NonNullable<Workspace['organization']>): Fields {
  return {
    id: person.id,
    enterprise_id: organization.id,
    enterprise_name: organization.name,
    is_admin: false,
    is_owner: false,
    teams: [person.teamId, ...(person.teams ?? [])],
  }
}

/** A person as the Web API and events have them; their address only for who may read it. */
export function slackUser(person: Person, people: People, { scopes }: Pick<Install, 'scopes'>): Fields {
  const organization = people.organizationOf(person)
  const isGuest = person.role === 'guest' || person.role === 'single-channel-guest'
  const ownBot = Object.values(BOTS).find(({ userId }) => userId === person.id)
  if (person.deleted)
    return { ...identity(person), deleted: true, is_bot: false, is_app_user: false, updated: 0 }
  return {
    ...identity(person),
    deleted: false,
    ...people.zoneOf(person),
    profile: {
      ...identity(person).profile,
      ...(person.title !== undefined && { title: person.title }),
      ...(person.status && { status_text: person.status.text, status_emoji: person.status.emoji }),
      ...(ownBot && { api_app_id: APP_ID, bot_id: ownBot.botId }),
      ...(person.role !== 'bot' && scopes.includes('users:read.email') && { email: person.email }),
    },
    is_admin: person.role === 'admin',
    is_owner: person.role === 'admin',
    is_primary_owner: person.role === 'admin',
    is_restricted: isGuest,
    is_ultra_restricted: person.role === 'single-channel-guest',
    is_bot: person.role === 'bot',
    is_app_user: false,
    ...(people.isStranger(person) && { is_stranger: true }),
    ...(organization && { enterprise_user: enterpriseUser(person, organization) }),
    updated: 0,
  }
}

/** All that Slack still says of a deactivated person. */
function identity({ id, teamId, name, realName }: Person) {
  return {
    id,
    team_id: teamId,
    name,
    real_name: realName,
    profile: {
      real_name: realName,
      display_name: name,
      real_name_normalized: realName,
      display_name_normalized: name,
      team: teamId,
    },
  }
}

/** Whose workspace a listing is of: an organization's token must name it, as at Slack. */
export function teamOf(args: Args, { isOrganization, teamId, reaches }: Caller): string {
  const named = optional(args, 'team_id')
  if (!isOrganization) return teamId
  if (named === undefined) throw new ApiRefusal('missing_argument', ['missing required field: team_id'])
  if (!reaches(named)) throw new ApiRefusal('team_not_found')
  return named
}

export function personOf({ people }: Slack, args: Args, { reaches }: Caller): Person {
  const person = people.find(required(args, 'user'))
  if (!person || !reaches(seatOf(person))) throw new ApiRefusal('user_not_found')
  return person
}

const usersInfo: Method = (slack, args, caller) => ({
  user: slackUser(personOf(slack, args, caller), slack.people, caller),
})

const usersList: Method = ({ people }, args, caller) => {
  const { page, response_metadata } = pageOf(people.of(teamOf(args, caller)), args)
  return { members: page.map((person) => slackUser(person, people, caller)), cache_ts: 0, response_metadata }
}

const lookupByEmail: Method = ({ people }, args, caller) => {
  const email = required(args, 'email').toLowerCase()
  const person = people.all().find((one) => one.email.toLowerCase() === email && caller.reaches(seatOf(one)))
  if (!person || person.role === 'bot' || person.deleted) throw new ApiRefusal('users_not_found')
  return { user: slackUser(person, people, caller) }
}

const botsInfo: Method = ({ people }, args, { workspaces, bot }) => {
  const id = required(args, 'bot')
  const found = workspaces.map(bot).find(({ botId }) => botId === id)
  if (!found) throw new ApiRefusal('bot_not_found')
  return {
    bot: {
      id,
      deleted: false,
      name: people.find(found.userId)?.name ?? '',
      app_id: APP_ID,
      user_id: found.userId,
      updated: 0,
      icons: {},
    },
  }
}

const authTest: Method = ({ people, url }, _args, { id, isOrganization, teamId, bot }) => {
  const workspace = people.workspaces.find((one) => one.id === teamId)
  const { userId, botId } = bot(workspace?.id ?? id)
  const { organization } = workspace ?? {}
  return {
    url: `${url()}/`,
    team: (isOrganization ? organization : workspace)?.name ?? '',
    user: people.find(userId)?.name ?? '',
    team_id: id,
    user_id: userId,
    bot_id: botId,
    ...(organization && { enterprise_id: organization.id }),
    is_enterprise_install: isOrganization,
  }
}

/** https://docs.slack.dev/reference/methods/auth.teams.list (November 2026). */
const teamsList: Method = ({ people }, args, { workspaces }) => {
  const own = people.workspaces.filter(({ id }) => workspaces.includes(id))
  const { page, response_metadata } = pageOf(own, args, { most: 1000 })
  return { teams: page.map(({ id, name }) => ({ id, name })), response_metadata }
}

export const peopleMethods: Record<string, Method> = {
  'auth.test': authTest,
  'auth.teams.list': teamsList,
  'users.info': usersInfo,
  'users.list': usersList,
  'users.lookupByEmail': lookupByEmail,
  'bots.info': botsInfo,
}
