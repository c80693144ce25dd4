import { isFields } from '../json.ts'
import type { Fields } from '../protocol.ts'
import { slackUser } from './people.ts'
import { ApiRefusal, type Method, optional, required } from './reply.ts'

/** https://docs.slack.dev/reference/methods/team.info (November 2026). */
const teamInfo: Method = ({ people, url }, args, { workspaces }) => {
  const id = optional(args, 'team') ?? workspaces[0] ?? ''
  const team = people.workspaces.find((one) => one.id === id && workspaces.includes(id))
  if (!team) throw new ApiRefusal('team_not_found')
  const { name, domain, organization } = team
  return {
    team: {
      id,
      name,
      domain,
      url: `${url()}/`,
      email_domain: 'example.com',
      icon: { image_default: true },
      ...(organization && { enterprise_id: organization.id, enterprise_name: organization.name }),
    },
  }
}

/** Of the person named; of the app's own bot when none is. */
const profileGet: Method = ({ people }, args, caller) => {
  const { workspaces, bot, reaches } = caller
  const person = people.find(optional(args, 'user') ?? bot(workspaces[0] ?? '').userId)
  if (!person || !reaches(person.guestIn ?? person.teamId)) throw new ApiRefusal('user_not_found')
  const { profile } = slackUser(person, people, caller)
  const shown: Fields = {
    ...(isFields(profile) ? profile : {}),
    status_text: person.status?.text ?? '',
    status_emoji: person.status?.emoji ?? '',
    title: person.title ?? '',
  }
  return { profile: shown }
}

const presence: Method = ({ people }, args) => {
  const person = people.find(optional(args, 'user') ?? '')
  if (!person) throw new ApiRefusal('user_not_found')
  return { presence: person.deleted ? 'away' : 'active' }
}

/** Nobody's notifications are paused here. */
const DND: Fields = { dnd_enabled: false, next_dnd_start_ts: 1, next_dnd_end_ts: 1, snooze_enabled: false }

/** https://docs.slack.dev/reference/methods/dnd.info and dnd.teamInfo (November 2026). */
const dndInfo: Method = ({ people }, args) => {
  const user = optional(args, 'user')
  if (user !== undefined && !people.find(user)) throw new ApiRefusal('user_not_found')
  return { ...DND }
}

const dndTeam: Method = (_slack, args) => ({
  users: Object.fromEntries(
    required(args, 'users')
      .split(',')
      .map((id) => [id.trim(), { ...DND }]),
  ),
})

export const teamMethods: Record<string, Method> = {
  'team.info': teamInfo,
  'users.profile.get': profileGet,
  'users.getPresence': presence,
  'dnd.info': dndInfo,
  'dnd.teamInfo': dndTeam,
  // A workspace here asks nothing of its people.
  'team.profile.get': () => ({ profile: { fields: [], sections: [] } }),
  'emoji.list': () => ({ emoji: {}, cache_ts: '0' }),
}
