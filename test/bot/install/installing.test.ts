import { describe, expect, it } from 'vitest'
import { REQUIRED_SCOPES } from '../../../src/domain/optional-features.ts'
import { startFakeSlack } from '../../slack/fake-slack.ts'
import { createBrowser, startUninstalledWorld } from '../../slack-installation.ts'
import type { World } from '../../world.ts'

const WORKSHOP = 'T0WORKSHOP U0WSADMIN1'

const readDms = async (world: World, user: string) => world.slack.user(user).messages('dm')

/** Reads the scopes that the install link requests from Slack. */
async function readRequestedScopes(world: World): Promise<string[]> {
  const start = await fetch(`${world.app.url}/slack/install`, { redirect: 'manual' })
  return (new URL(start.headers.get('location') ?? '').searchParams.get('scope') ?? '').split(',')
}

/** Slack's response to an installation. Those that are refused are ones that the playground can't send. */
const OAUTH_RESPONSE = {
  ok: true,
  access_token: 'xoxb-1',
  bot_user_id: 'U1',
  scope: 'commands',
  token_type: 'bot',
  authed_user: { id: 'U2' },
}

it('requests the required and the optional scopes', async () => {
  await using world = await startUninstalledWorld()
  const requested = await readRequestedScopes(world)
  expect(requested).toEqual(expect.arrayContaining([...REQUIRED_SCOPES, 'files:write', 'im:history']))
})

describe('an installation', () => {
  it('stores an encrypted token and an audit row, and sends a welcome message with the next three steps', async () => {
    await using world = await startUninstalledWorld()
    const answer = await createBrowser().install(world, WORKSHOP)
    expect(answer.status).toBe(200)
    const page = await answer.text()
    expect(page).toContain('Signalman is installed')
    expect(page).toContain('It’s in Workshop now, and sent you a DM')
    const found = await world.app.store.installations.find('T0WORKSHOP')
    expect(found).toMatchObject({
      enterpriseId: 'E0EXAMPLE1',
      installedBy: 'U0WSADMIN1',
    })
    expect(found?.botToken).toMatch(/^xoxb-T0WORKSHOP-/)
    expect(page).not.toContain('xoxb-')
    expect(world.log.join('')).not.toContain('xoxb-')
    const [row] = await world.app.store.audit.search({ workspaceId: 'T0WORKSHOP', limit: 10 })
    expect(row).toMatchObject({ verb: 'install', actor: { userId: 'U0WSADMIN1' }, outcome: 'done' })
    const [welcome] = await readDms(world, 'U0WSADMIN1')
    expect(welcome?.text).toMatch(/hc connect[\s\S]*hc access[\s\S]*hc shows/)
    const pressed = await world.slack.user('U0WSADMIN1').click(welcome, 'Store a token')
    expect(pressed.view?.view.title?.text).toBeDefined()
  })

  it('tells the installer if it couldn’t send them a DM', async () => {
    await using world = await startUninstalledWorld()
    await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error: 'messages_tab_disabled' })
    const page = await (await createBrowser().install(world, WORKSHOP)).text()
    expect(page).toContain('It’s in Workshop now, but couldn’t send you a DM.')
    expect(page).toContain('/hc connect')
  })

  it('makes the installer an admin, and works only in their workspace', async () => {
    await using world = await startUninstalledWorld()
    await createBrowser().install(world, 'T0WORKSHOP U0WSMEMBR1')
    const member = world.slack.user('U0WSMEMBR1')
    expect((await member.command('/hc', 'connect')).view).toBeDefined()
    await member.submit({ Token: world.sandbox.token }, { until: /stored/ })
    expect((await member.command('/hc', 'list')).text).toContain('There are no health checks')
    // The playground's first workspace installed another app.
    const stranger = await world.slack.member.command('/hc', 'list')
    expect(stranger.text).toContain('isn’t installed in this workspace')
    expect(await world.app.store.connections.list('T0PLAYGRND')).toEqual([])
  })

  it.each([
    {
      // The manifest doesn't allow it, but Slack's settings of the app may.
      why: 'it is for a whole organization',
      response: { team: null, enterprise: { id: 'E1', name: 'Group' }, is_enterprise_install: true },
      status: 403,
      expected: 'Start again, and choose a workspace.',
    },
    {
      why: 'its token expires after 12 hours',
      response: { team: { id: 'T1', name: 'One' }, expires_in: 43_200, refresh_token: 'xoxe-1-refresh' },
      status: 502,
      expected: 'Token rotation is on in the settings of the Slack app',
    },
  ])('is refused if $why, and stores nothing', async ({ response, status, expected }) => {
    await using slack = await startFakeSlack(() => ({ ...OAUTH_RESPONSE, ...response }))
    await using world = await startUninstalledWorld({ environment: { SLACK_API_URL: slack.url } })
    const browser = createBrowser()
    const start = await browser.visit(`${world.app.url}/slack/install`)
    const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: 'a-code', state })
    const answer = await browser.visit(`${world.app.url}/slack/oauth_redirect?${query}`)
    expect(answer.status).toBe(status)
    expect(await answer.text()).toContain(expected)
    expect(await world.app.store.installations.list()).toEqual([])
  })

  it('replaces an earlier installation, and never uses its token again', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    await browser.install(world, WORKSHOP)
    const member = world.slack.user('U0WSMEMBR1')
    await member.openHome()
    const before = await world.app.store.installations.find('T0WORKSHOP')
    await browser.install(world, WORKSHOP)
    const after = await world.app.store.installations.find('T0WORKSHOP')
    expect(after?.botToken).not.toBe(before?.botToken)
    expect((await member.openHome()).home).toBeDefined()
    const verdicts = (await world.slack.deliveries()).map(({ verdict }) => verdict)
    expect(verdicts).not.toContain('token_revoked')
  })
})

describe('an installation that fails', () => {
  const expectNothingInstalled = async (world: World) =>
    expect(await world.app.store.installations.list()).toEqual([])

  it('tells the person that they canceled it', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    const answer = await browser.visit(await browser.decide(world, WORKSHOP, 'deny'))
    expect(answer.status).toBe(200)
    const html = await answer.text()
    // Readable on a phone, and in dark mode.
    for (const text of ['Nothing was installed', 'width=device-width', 'light dark'])
      expect(html).toContain(text)
    await expectNothingInstalled(world)
  })

  // install-state.test.ts has states that this app didn’t issue.
  it('rejects a callback of another browser', async () => {
    await using world = await startUninstalledWorld()
    const callback = await createBrowser().decide(world, WORKSHOP)
    const answer = await createBrowser().visit(callback)
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('This link can’t be used')
    await expectNothingInstalled(world)
  })

  it('doesn’t spoil another one in a second tab', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    const tabs = [
      await browser.decide(world, WORKSHOP),
      await browser.decide(world, 'T0FACTORY1 U0FCADMIN1'),
      await browser.decide(world, WORKSHOP, 'deny'),
      await browser.decide(world, WORKSHOP),
    ]
    const statuses = []
    for (const tab of tabs.toReversed()) statuses.push((await browser.visit(tab)).status)
    expect(statuses).toEqual([200, 200, 200, 200])
    const installed = (await world.app.store.installations.list()).map(({ id }) => id)
    expect(installed).toEqual(['T0FACTORY1', 'T0WORKSHOP'])
  })

  it('rejects the same OAuth state a second time', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    const callback = await browser.decide(world, WORKSHOP)
    const cookie = stateCookie(callback)
    expect((await browser.visit(callback, { headers: { cookie } })).status).toBe(200)
    const again = await browser.visit(callback, { headers: { cookie } })
    expect(again.status).toBe(403)
    expect(again.headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('rejects a POST and a missing code, and doesn’t affect readiness', async () => {
    await using world = await startUninstalledWorld()
    const posted = await fetch(`${world.app.url}/slack/install`, { method: 'POST' })
    expect(posted.status).toBe(405)
    expect((await fetch(`${world.app.url}/slack/oauth_redirect?state=1`)).status).toBe(400)
    const ready = await (await fetch(`${world.app.url}/readyz`)).json()
    expect(ready).toEqual({
      status: 'ready',
      database: 'ok',
      accepting: 'ok',
    })
  })
})

function stateCookie(callback: URL): string {
  const state = callback.searchParams.get('state') ?? ''
  return `signalman-install-${state.split('.')[1]}=${state}`
}
