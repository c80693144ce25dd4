import { describe, expect, it } from 'vitest'
import { authorize, CLIENT, exchange, startWorld } from './app.ts'

describe('the authorization page', () => {
  it('lets a person install the app in a workspace, and issues a token that works there', async () => {
    await using world = await startWorld()
    const redirectUrl = await authorize(world)
    expect(redirectUrl.pathname).toBe('/slack/oauth_redirect')
    expect(redirectUrl.searchParams.get('state')).toBe('a-state')
    const answer = await exchange(world, redirectUrl)
    expect(answer).toMatchObject({
      ok: true,
      token_type: 'bot',
      scope: 'commands,chat:write',
      bot_user_id: 'U0WORKSBOT',
      team: { id: 'T0WORKSHOP', name: 'Workshop' },
      enterprise: { id: 'E0EXAMPLE1' },
      authed_user: { id: 'U0WSADMIN1' },
      is_enterprise_install: false,
    })
    const token = String(answer.access_token)
    expect(await world.api('auth.test', {}, token)).toMatchObject({ team_id: 'T0WORKSHOP' })
    expect(
      await world.api('chat.postMessage', { channel: 'C0WSGENERL', text: 'hello' }, token),
    ).toMatchObject({ ok: true, message: { bot_id: 'B0WORKSHOP' } })
    expect(JSON.stringify(await world.slack.deliveries())).not.toContain(token)
    // Installing again replaces the token.
    await exchange(world, await authorize(world))
    expect(await world.api('auth.test', {}, token)).toMatchObject({ error: 'token_revoked' })
  })

  it('escapes the values it shows, and rejects a form from another origin', async () => {
    await using world = await startWorld()
    const url = `${world.playground.url}/oauth/v2/authorize`
    const query = new URLSearchParams({ client_id: CLIENT.client_id, scope: 'commands', state: '"><b>' })
    const page = await fetch(`${url}?${query}`)
    const html = await page.text()
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;"')
    expect(html).toContain('Workshop, as Workshop admin')
    const crossOrigin = await fetch(url, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: query,
    })
    expect(crossOrigin.status).toBe(403)
  })

  it.each([
    { request: 'the client ID of another app', query: { client_id: 'other' }, message: 'Invalid client_id' },
    {
      request: 'a redirect to another host',
      query: { redirect_uri: 'https://evil.example/' },
      message: 'redirect_uri did not match',
    },
  ])('rejects $request', async ({ query, message }) => {
    await using world = await startWorld()
    const params = new URLSearchParams({ client_id: CLIENT.client_id, scope: 'commands', ...query })
    const page = await fetch(`${world.playground.url}/oauth/v2/authorize?${params}`)
    expect(page.status).toBe(400)
    expect(await page.text()).toContain(message)
  })
})

it('an app in a workspace of an organization receives events with the organization', async () => {
  await using world = await startWorld()
  const scope = 'app_mentions:read,commands,chat:write,users:read,channels:read'
  const { access_token } = await exchange(world, await authorize(world, { scope }))
  await world.slack.user('U0WSMEMBR1').say('<@U0WORKSBOT> hello', { channel: 'general' })
  expect(world.sent.at(-1)?.body).toMatchObject({
    team_id: 'T0WORKSHOP',
    enterprise_id: 'E0EXAMPLE1',
    context_team_id: 'T0WORKSHOP',
    authorizations: [{ enterprise_id: 'E0EXAMPLE1', team_id: 'T0WORKSHOP', is_enterprise_install: false }],
    is_ext_shared_channel: false,
    event: { team: 'T0WORKSHOP' },
  })
  const { user } = await world.api('users.info', { user: 'U0WSMEMBR1' }, String(access_token))
  expect(user).toMatchObject({ enterprise_user: { enterprise_id: 'E0EXAMPLE1', teams: ['T0WORKSHOP'] } })
})
