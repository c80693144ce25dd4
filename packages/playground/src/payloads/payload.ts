// This folder: what Slack’s payloads contain.

import type { Fields } from '../protocol/json.ts'
import type { Person } from '../protocol/protocol.ts'
import { APP_ID } from '../state/people.ts'
import type { World } from '../state/world.ts'

/** The deprecated verification token. Slack still includes it in every payload. */
export const VERIFICATION_TOKEN = 'playground-verification-token'

/** The fields of every interaction payload. */
export function payloadBase({ people }: Pick<World, 'people'>, person: Person): Fields {
  const { id, domain, organization } = people.getWorkspace(person)
  const team: Fields = organization
    ? { id, domain, enterprise_id: organization.id, enterprise_name: organization.name }
    : { id, domain }
  return {
    team,
    user: { id: person.id, username: person.name, name: person.name, team_id: person.teamId },
    api_app_id: APP_ID,
    token: VERIFICATION_TOKEN,
    enterprise: organization ? { ...organization } : null,
    is_enterprise_install: false,
  }
}
