import { describe, expect, it } from 'vitest'
import { authorize, exchange, startWorld, type World } from './app.ts'

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
  const { access_token } = await exchange(world, await authorize(world, { scope: SCOPES }))
  return { ...world, token: String(access_token) }
}

describe('an app in a workspace of an organization', () => {
  it('receives clicks with the organization', async () => {
    await using world = await startOrganization()
    const person = world.slack.user('U0WSMEMBR1')
    await world.api('chat.postMessage', { channel: 'C0WSGENERL', ...CARD }, world.token)
    const [card] = await person.messages('general')
    void person.click(card, 'Go').catch(() => undefined)
    await world.eventually('the click', () => world.sent.length === 1)
    expect(world.sent[0]?.body).toMatchObject({
      type: 'block_actions',
      is_enterprise_install: false,
      enterprise: { id: 'E0EXAMPLE1', name: 'Example Group' },
      user: { id: 'U0WSMEMBR1', team_id: 'T0WORKSHOP' },
      message: { team: 'T0WORKSHOP', bot_id: 'B0WORKSHOP' },
    })
  })

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

it('can send a delayed uninstall event for an earlier installation without revoking the current token', async () => {
  await using world = await startWorld()
  await world.slack.uninstall('T0PLAYGRND', ['app_uninstalled'], true)
  expect(world.sent.at(-1)?.body).toMatchObject({ event: { type: 'app_uninstalled' }, authorizations: [] })
  expect(await world.api('auth.test')).toMatchObject({ ok: true })
})
