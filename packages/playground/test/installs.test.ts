import { describe, expect, it } from 'vitest'
import { authorize, exchange, startWorld, type World } from './app.ts'

const SCOPES = 'app_mentions:read,commands,chat:write,users:read,channels:read'

/** Starts a world, and installs the app in a workspace of an organization on the authorize page. */
async function startOrganization(): Promise<World & { token: string }> {
  const world = await startWorld()
  const { access_token } = await exchange(world, await authorize(world, { scope: SCOPES }))
  return { ...world, token: String(access_token) }
}

describe('an app in a workspace of an organization', () => {
  it('receives events with the organization', async () => {
    await using world = await startOrganization()
    await world.slack.user('U0WSMEMBR1').say('<@U0WORKSBOT> hello', { channel: 'general' })
    expect(world.sent.at(-1)?.body).toMatchObject({
      team_id: 'T0WORKSHOP',
      enterprise_id: 'E0EXAMPLE1',
      context_team_id: 'T0WORKSHOP',
      authorizations: [{ enterprise_id: 'E0EXAMPLE1', team_id: 'T0WORKSHOP', is_enterprise_install: false }],
      is_ext_shared_channel: false,
      event: { team: 'T0WORKSHOP' },
    })
    const { user } = await world.api('users.info', { user: 'U0WSMEMBR1' }, world.token)
    expect(user).toMatchObject({ enterprise_user: { enterprise_id: 'E0EXAMPLE1', teams: ['T0WORKSHOP'] } })
  })
})
