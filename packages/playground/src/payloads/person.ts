import type { Fields } from '../protocol/json.ts'
import { isGuest } from '../protocol/people.ts'
import type { Person } from '../protocol/protocol.ts'
import type { People } from '../state/people.ts'

/** A user as in the Web API and in events. Slack leaves the display name empty until the person chooses one. */
export function slackUser(person: Person, people: People): Fields {
  const { id, teamId, name, realName, role, deleted } = person
  const identity = {
    id,
    team_id: teamId,
    name,
    real_name: realName,
    deleted,
    profile: { real_name: realName, display_name: '' },
  }
  if (deleted) return { ...identity, is_bot: false }
  const organization = role === 'foreign' ? undefined : people.getWorkspace(person).organization
  return {
    ...identity,
    tz: people.timeZone(),
    is_admin: role === 'admin',
    is_owner: role === 'admin',
    is_restricted: isGuest(person),
    is_ultra_restricted: false,
    is_bot: role === 'bot',
    ...(organization && {
      enterprise_user: {
        id,
        enterprise_id: organization.id,
        enterprise_name: organization.name,
        teams: [teamId],
      },
    }),
  }
}
