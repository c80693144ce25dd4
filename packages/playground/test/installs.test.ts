import { describe, expect, it } from 'vitest'
import { type Handler, startWorld, type World } from './app.ts'

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

/** Starts a world, and installs the app for an organization on the authorize page. */
async function startOrganization(handler?: Handler): Promise<World & { token: string }> {
  const world = await startWorld(handler)
  const body = new URLSearchParams({
    client_id: CLIENT.client_id,
    scope: SCOPES,
    as: 'E0EXAMPLE1 U0WSADMIN1',
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

const ORG_INSTALL = {
  team: null,
  is_enterprise_install: true,
  enterprise: { id: 'E0EXAMPLE1', name: 'Example Group' },
}

describe('an app that is installed for an organization', () => {
  it.each([
    { home: 'the workspace', id: 'U0WSMEMBR1', channel: 'all-sites', teamId: 'T0WORKSHOP' },
    {
      home: 'another workspace of the organization',
      id: 'U0FCMEMBR1',
      channel: 'all-sites',
      teamId: 'T0FACTORY1',
    },
    { home: 'both workspaces', id: 'U0WSBOTH01', channel: 'all-sites', teamId: 'E0EXAMPLE1' },
    { home: 'another organization', id: 'U0RIVAL001', channel: 'rivals', teamId: 'E0RIVAL001' },
  ])('receives clicks with `team: null` from a person in $home', async ({ id, channel, teamId }) => {
    await using world = await startOrganization()
    const person = world.slack.user(id)
    await world.api('chat.postMessage', { channel, ...CARD }, world.token)
    const [card] = await person.messages(channel)
    void person.click(card, 'Go').catch(() => undefined)
    await world.eventually('the click', () => world.sent.length === 1)
    expect(world.sent[0]?.body).toMatchObject({
      type: 'block_actions',
      ...ORG_INSTALL,
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
    const authorizations = [{ enterprise_id: 'E0EXAMPLE1', team_id: null, is_enterprise_install: true }]
    expect(world.sent.map(({ body }) => body)).toMatchObject([
      { ...ours, authorizations, is_ext_shared_channel: true, event: { user_team: 'E0RIVAL001' } },
      { ...ours, authorizations, is_ext_shared_channel: false, event: { user_team: 'T0FACTORY1' } },
      { ...ours, authorizations, is_ext_shared_channel: false, event: { team: 'T0WORKSHOP' } },
    ])
  })

  it.each([
    { id: 'U0WSMEMBR1', team_id: 'T0WORKSHOP', enterprise_id: 'E0EXAMPLE1', teams: ['T0WORKSHOP'] },
    {
      id: 'U0WSBOTH01',
      team_id: 'T0WORKSHOP',
      enterprise_id: 'E0EXAMPLE1',
      teams: ['T0WORKSHOP', 'T0FACTORY1'],
    },
    { id: 'U0RIVAL001', team_id: 'T0RIVAL001', enterprise_id: 'E0RIVAL001', teams: ['T0RIVAL001'] },
  ])('gets the team IDs of the user $id', async ({ id, team_id, enterprise_id, teams }) => {
    await using world = await startOrganization()
    const { user } = await world.api('users.info', { user: id }, world.token)
    expect(user).toMatchObject({ team_id, enterprise_user: { enterprise_id, teams } })
    expect(user).not.toHaveProperty('is_stranger')
  })

  it('can be removed from one workspace and added again', async () => {
    await using world = await startOrganization(() => ({ text: 'yes' }))
    const listTeams = async () => (await world.api('auth.teams.list', {}, world.token)).teams
    expect(await listTeams()).toMatchObject([{ id: 'T0WORKSHOP' }, { id: 'T0FACTORY1' }])
    await world.slack.access('T0FACTORY1', false)
    expect(world.sent.at(-1)?.body).toMatchObject({
      team_id: 'E0EXAMPLE1',
      enterprise_id: 'E0EXAMPLE1',
      event: { type: 'team_access_revoked', team_ids: ['T0FACTORY1'] },
      authorizations: [{ enterprise_id: 'E0EXAMPLE1', team_id: null, is_enterprise_install: true }],
    })
    expect(await listTeams()).toMatchObject([{ id: 'T0WORKSHOP' }])
    const fiona = world.slack.user('U0FCMEMBR1')
    expect((await fiona.command('/hc')).text).toBe('/hc is not a valid command.')
    expect(await world.api('users.info', { user: fiona.id }, world.token)).toMatchObject({
      error: 'user_not_found',
    })
    await world.slack.access('T0FACTORY1', true)
    expect(world.sent.at(-1)?.body).toMatchObject({ event: { type: 'team_access_granted' } })
    expect((await fiona.command('/hc')).text).toBe('yes')
    await expect(world.slack.access('T0PLAYGRND', false)).rejects.toThrow('for an organization')
  })
})

it('can send a delayed uninstall event for an earlier installation without revoking the current token', async () => {
  await using world = await startWorld()
  await world.slack.uninstall('T0PLAYGRND', ['app_uninstalled'], true)
  expect(world.sent.at(-1)?.body).toMatchObject({ event: { type: 'app_uninstalled' }, authorizations: [] })
  expect(await world.api('auth.test')).toMatchObject({ ok: true })
})
