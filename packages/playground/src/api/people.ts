import type { Fields, Person, Workspace } from '../protocol/protocol.ts'
import type { Caller, Install } from '../state/installs.ts'
import { APP_ID, activeTeamId, isGuest, type People } from '../state/people.ts'
import { nameColor } from '../state/pictures.ts'
import { BOTS } from '../state/seed.ts'
import type { Slack } from '../state/world.ts'
import { ApiError, type Args, isTrue, type Method, optional, paginate, required } from './method.ts'

/** A person's `enterprise_user` field, for organizations (Enterprise Grid). */
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

/** A user as in the Web API and in events. Includes the email address only with the `users:read.email` scope. */
export function slackUser(person: Person, people: People, { scopes }: Pick<Install, 'scopes'>): Fields {
  const organization = people.getOrganization(person)
  const isBot = person.role === 'bot'
  const identityFields = toIdentity(person, people)
  if (person.deleted) return { ...identityFields, deleted: true, is_bot: false, is_app_user: false }
  return {
    ...identityFields,
    deleted: false,
    color: nameColor(person.id),
    ...people.timeZoneFields(person),
    profile: {
      ...identityFields.profile,
      ...botFields(person),
      ...(!isBot && scopes.includes('users:read.email') && { email: person.email }),
    },
    is_admin: person.role === 'admin',
    is_owner: person.role === 'admin',
    is_primary_owner: person.role === 'admin',
    is_restricted: isGuest(person),
    is_ultra_restricted: person.role === 'single-channel-guest',
    is_bot: isBot,
    is_app_user: false,
    is_email_confirmed: !isBot,
    who_can_share_contact_card: 'EVERYONE',
    ...(people.isStranger(person) && { is_stranger: true }),
    ...(organization && { enterprise_user: enterpriseUser(person, organization) }),
  }
}

/** The profile fields that only bots have. */
function botFields({ id, role }: Person): Fields {
  if (role !== 'bot') return {}
  const ids = Object.values(BOTS).find(({ userId }) => userId === id)
  return { always_active: true, ...(ids && { api_app_id: APP_ID, bot_id: ids.botId }) }
}

/** The user fields that Slack returns for everyone, including deactivated people. */
function toIdentity(person: Person, people: People) {
  const { id, teamId, name, realName } = person
  const [firstName = '', ...otherNames] = realName.split(' ')
  return {
    id,
    team_id: teamId,
    name,
    real_name: realName,
    profile: {
      title: person.title ?? '',
      phone: '',
      skype: '',
      real_name: realName,
      real_name_normalized: realName,
      display_name: name,
      display_name_normalized: name,
      first_name: firstName,
      last_name: otherNames.join(' '),
      status_text: person.status?.text ?? '',
      status_emoji: person.status?.emoji ?? '',
      status_text_canonical: '',
      status_emoji_display_info: [],
      status_expiration: 0,
      ...people.pictureFields(person),
      team: teamId,
    },
    updated: people.updatedAt(person),
  }
}

/** Returns the ID of the call's workspace. As in Slack, calls with an organization's token must pass it as `team_id`. */
export function readTeamId(args: Args, { isOrganization, teamId, canReach }: Caller): string {
  const requested = optional(args, 'team_id')
  if (!isOrganization) return teamId
  if (requested === undefined) throw new ApiError('missing_argument', ['missing required field: team_id'])
  if (!canReach(requested)) throw new ApiError('team_not_found')
  return requested
}

export function findPerson({ people }: Slack, args: Args, { canReach }: Caller): Person {
  const person = people.find(required(args, 'user'))
  if (!person || !canReach(activeTeamId(person))) throw new ApiError('user_not_found')
  return person
}

/** Everyone's locale. Slack returns it only if the call sets `include_locale`. */
const LOCALE = 'en-US'
export const localeField = (args: Args): Fields => (isTrue(args.include_locale) ? { locale: LOCALE } : {})

const usersInfo: Method = (slack, args, caller) => ({
  user: { ...slackUser(findPerson(slack, args, caller), slack.people, caller), ...localeField(args) },
})

const usersList: Method = ({ people, now }, args, caller) => {
  const { page, response_metadata } = paginate(people.visibleIn(readTeamId(args, caller)), args)
  const cache_ts = Math.floor(now().getTime() / 1000)
  return {
    members: page.map((person) => ({ ...slackUser(person, people, caller), ...localeField(args) })),
    cache_ts,
    response_metadata,
  }
}

const lookupByEmail: Method = ({ people }, args, caller) => {
  const email = required(args, 'email').toLowerCase()
  const person = people
    .all()
    .find((candidate) => candidate.email.toLowerCase() === email && caller.canReach(activeTeamId(candidate)))
  if (!person || person.role === 'bot' || person.deleted) throw new ApiError('users_not_found')
  return { user: slackUser(person, people, caller) }
}

const botsInfo: Method = ({ people }, args, { workspaces, bot }) => {
  const id = required(args, 'bot')
  const team = workspaces.find((workspace) => bot(workspace).botId === id)
  if (team === undefined) throw new ApiError('bot_not_found')
  const { team_id: _team, ...profile } = people.botProfile(team)
  const { userId: user_id } = bot(team)
  return { bot: { ...profile, user_id, name: people.find(user_id)?.name ?? '' } }
}

const authTest: Method = ({ people, url }, _args, { id, isOrganization, teamId, bot }) => {
  const workspace = people.workspaces.find((candidate) => candidate.id === teamId)
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
  const reachable = people.workspaces.filter(({ id }) => workspaces.includes(id))
  const { page, response_metadata } = paginate(reachable, args, { maxLimit: 1000 })
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
