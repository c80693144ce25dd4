import { describe, expect, it } from 'vitest'
import { startWorld, type World } from './app.ts'

const CLIENT = { client_id: 'playground-client', client_secret: 'playground-client-secret' }
const SCOPES = 'app_mentions:read,commands,chat:write,users:read,channels:read'
const CARD = {
  text: 'A card',
  blocks: [
    {
      type: 'actions',
      block_id: 'row',
      elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' }, value: '1' }],
    },
  ],
}

/** Starts a world, and installs the app in a workspace of an organization on the authorize page. */
async function startOrganization(): Promise<World & { token: string }> {
  const world = await startWorld()
  const body = new URLSearchParams({
    client_id: CLIENT.client_id,
    scope: SCOPES,
    as: 'T0WORKSHOP U0WSADMIN1',
    decision: 'allow',
  })
  const page = await fetch(`${world.playground.url}/oauth/v2/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body,
  })
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code')
  const { access_token } = await world.api('oauth.v2.access', { ...CLIENT, code }, '')
  return { ...world, token: String(access_token) }
}

describe('an app in a workspace of an organization', () => {
  it.each([
    ['the workspace', 'U0WSMEMBR1', 'all-sites', 'T0WORKSHOP'],
    ['another workspace of the organization', 'U0FCMEMBR1', 'all-sites', 'T0FACTORY1'],
    ['both workspaces', 'U0WSBOTH01', 'all-sites', 'E0EXAMPLE1'],
    ['another organization', 'U0RIVAL001', 'rivals', 'E0RIVAL001'],
  ])('receives clicks from a person in %s', async (_home, id, channel, teamId) => {
    await using world = await startOrganization()
    const person = world.slack.user(id)
    await world.api('chat.postMessage', { channel, ...CARD }, world.token)
    const [card] = await person.messages(channel)
    void person.click(card, 'Go').catch(() => undefined)
    await world.eventually('the click', () => world.sent.length === 1)
    expect(world.sent[0]?.body).toMatchObject({
      type: 'block_actions',
      is_enterprise_install: false,
      enterprise: { id: 'E0EXAMPLE1', name: 'Example Group' },
      user: { id, team_id: teamId },
      // The app posted it in the channel's workspace.
      message: { team: 'T0WORKSHOP', bot_id: 'B0WORKSHOP' },
    })
  })

  it('receives events that say whether the channel is shared externally, and which team the person belongs to', async () => {
    await using world = await startOrganization()
    await world.slack.user('U0RIVAL001').say('<@U0WORKSBOT> hello', { channel: 'rivals' })
    await world.slack.user('U0FCMEMBR1').say('<@U0WORKSBOT> hello', { channel: 'all-sites' })
    await world.slack.user('U0WSMEMBR1').say('<@U0WORKSBOT> hello', { channel: 'general' })
    const ours = { team_id: 'T0WORKSHOP', enterprise_id: 'E0EXAMPLE1', context_team_id: 'T0WORKSHOP' }
    const authorizations = [
      { enterprise_id: 'E0EXAMPLE1', team_id: 'T0WORKSHOP', is_enterprise_install: false },
    ]
    expect(world.sent.map(({ body }) => body)).toMatchObject([
      { ...ours, authorizations, is_ext_shared_channel: true, event: { user_team: 'E0RIVAL001' } },
      { ...ours, authorizations, is_ext_shared_channel: false, event: { user_team: 'T0FACTORY1' } },
      { ...ours, authorizations, is_ext_shared_channel: false, event: { team: 'T0WORKSHOP' } },
    ])
  })

  it.each([
    ['U0WSMEMBR1', 'T0WORKSHOP', 'E0EXAMPLE1', ['T0WORKSHOP']],
    ['U0WSBOTH01', 'T0WORKSHOP', 'E0EXAMPLE1', ['T0WORKSHOP', 'T0FACTORY1']],
    ['U0RIVAL001', 'T0RIVAL001', 'E0RIVAL001', ['T0RIVAL001']],
  ])('gets the team IDs of the user %s', async (id, team_id, enterprise_id, teams) => {
    await using world = await startOrganization()
    const { user } = await world.api('users.info', { user: id }, world.token)
    expect(user).toMatchObject({ team_id, enterprise_user: { enterprise_id, teams } })
    expect(user).not.toHaveProperty('is_stranger')
  })
})

it('can send a delayed uninstall event for an earlier installation without revoking the current token', async () => {
  await using world = await startWorld()
  await world.slack.uninstall('T0PLAYGRND', ['app_uninstalled'], true)
  expect(world.sent.at(-1)?.body).toMatchObject({ event: { type: 'app_uninstalled' }, authorizations: [] })
  expect(await world.api('auth.test')).toMatchObject({ ok: true })
})
