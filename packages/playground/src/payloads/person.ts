import type { Fields } from '../protocol/json.ts'
import { isGuest } from '../protocol/people.ts'
import type { Person, Workspace } from '../protocol/protocol.ts'
import type { Install } from '../state/installs.ts'
import { APP_ID, type People } from '../state/people.ts'
import { nameColor } from '../state/pictures.ts'
import { BOTS } from '../state/seed.ts'

/** A person's `enterprise_user` field, for organizations (Enterprise Grid). */
function enterpriseUser(person: Person, organization: NonNullable<Workspace['organization']>): Fields {
  return {
    id: person.id,
    enterprise_id: organization.id,
    enterprise_name: organization.name,
    is_admin: false,
    is_owner: false,
    teams: [person.teamId],
  }
}

/** A user as in the Web API and in events. Includes the email address only with the `users:read.email` scope. */
export function slackUser(person: Person, people: People, { scopes }: Pick<Install, 'scopes'>): Fields {
  const organization = person.role === 'foreign' ? undefined : people.getWorkspace(person).organization
  const isBot = person.role === 'bot'
  const identityFields = toIdentity(person, people)
  if (person.deleted) return { ...identityFields, deleted: true, is_bot: false, is_app_user: false }
  return {
    ...identityFields,
    deleted: false,
    color: nameColor(person.id),
    ...people.timeZoneFields(),
    profile: {
      ...identityFields.profile,
      ...botFields(person),
      ...(!isBot && scopes.includes('users:read.email') && { email: person.email }),
    },
    is_admin: person.role === 'admin',
    is_owner: person.role === 'admin',
    is_primary_owner: person.role === 'admin',
    is_restricted: isGuest(person),
    is_ultra_restricted: false,
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
      title: '',
      phone: '',
      skype: '',
      real_name: realName,
      real_name_normalized: realName,
      // Slack leaves the display name empty until the person chooses one. The handle isn't a display name.
      display_name: '',
      display_name_normalized: '',
      first_name: firstName,
      last_name: otherNames.join(' '),
      status_text: '',
      status_emoji: '',
      status_text_canonical: '',
      status_emoji_display_info: [],
      status_expiration: 0,
      ...people.pictureFields(person),
      team: teamId,
    },
    updated: people.updatedAt(person),
  }
}
