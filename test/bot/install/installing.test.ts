import { describe, expect, it } from 'vitest'
import { REQUIRED_SCOPES } from '../../../src/domain/optional-features.ts'
import { createBrowser, STATE_SECRET, startUninstalledWorld } from '../../slack-installation.ts'
import { startWorld, type World } from '../../world.ts'

const WORKSHOP = 'T0WORKSHOP U0WSADMIN1'
const ORGANIZATION = 'E0EXAMPLE1 U0WSADMIN1'

const readDms = async (world: World, user: string) => world.slack.user(user).messages('dm')

/** Reads the scopes that the install link requests from Slack. */
async function readRequestedScopes(world: World): Promise<string[]> {
  const start = await fetch(`${world.app.url}/slack/install`, { redirect: 'manual' })
  return (new URL(start.headers.get('location') ?? '').searchParams.get('scope') ?? '').split(',')
}

it('requests only the scopes of this deployment’s features', async () => {
  await using full = await startUninstalledWorld()
  const all = await readRequestedScopes(full)
  expect(all).toEqual(expect.arrayContaining([...REQUIRED_SCOPES, 'files:write', 'im:history']))
  // Two of these need im:history: direct messages, and post-recovery, which finds a lost post in them.
  const environment = { SLACK_WITHOUT_FEATURES: 'file-exports, screenshots, direct-messages, post-recovery' }
  await using reduced = await startUninstalledWorld({ environment })
  const requested = await readRequestedScopes(reduced)
  for (const scope of ['files:write', 'im:history']) expect(requested).not.toContain(scope)
  expect(requested).toEqual(expect.arrayContaining([...REQUIRED_SCOPES, 'files:read']))
  expect(all).toEqual(expect.arrayContaining(requested))
})

describe('an installation', () => {
  it('stores an encrypted token and an audit row, and sends a welcome message with the next three steps', async () => {
    await using world = await startUninstalledWorld()
    const answer = await createBrowser().install(world, WORKSHOP)
    expect(answer.status).toBe(200)
    const page = await answer.text()
    expect(page).toContain('Signalman is installed')
    expect(page).toContain('It’s in Workshop now, and sent you a DM')
    const found = await world.app.store.installations.find({ workspaceId: 'T0WORKSHOP' })
    expect(found).toMatchObject({
      kind: 'workspace',
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

  it('works in each workspace of an organization', async () => {
    await using world = await startUninstalledWorld()
    const answer = await createBrowser().install(world, ORGANIZATION)
    expect(await answer.text()).toContain('It’s in Example Group now')
    expect(await world.app.store.installations.list()).toMatchObject([
      { id: 'E0EXAMPLE1', kind: 'organization' },
    ])
    const [welcome] = await readDms(world, 'U0WSADMIN1')
    expect(welcome?.text).toContain('all of Example Group')
    for (const [user, team] of [
      ['U0WSADMIN1', 'T0WORKSHOP'],
      ['U0FCADMIN1', 'T0FACTORY1'],
    ] as const) {
      const admin = world.slack.user(user)
      expect((await admin.command('/hc', 'list')).text).toContain('no token')
      await admin.command('/hc', 'connect')
      await admin.submit({ Token: world.sandbox.token }, { until: /stored/ })
      expect(await world.app.store.connections.list(team)).toHaveLength(1)
      expect((await admin.openHome()).home).toBeDefined()
    }
    expect(await world.app.store.organizations.listWorkspaces('E0EXAMPLE1')).toEqual([
      'T0FACTORY1',
      'T0WORKSHOP',
    ])
  })

  it('lists only the people and groups of the request’s workspace if an organization installed the app', async () => {
    await using world = await startUninstalledWorld()
    await createBrowser().install(world, ORGANIZATION)
    const group = { kind: 'group', id: 'S0WSONCALL' } as const
    await world.app.store.grants.add('T0WORKSHOP', 'admin', group, 'U0WSADMIN1', new Date())
    const access = await world.slack.user('U0WSMEMBR1').command('/hc', 'access', { until: /@workshop/ })
    expect(access.text).not.toMatch(/@(?!workshop)|On call/)
    const refused = (await world.slack.deliveries()).filter(({ verdict }) => verdict !== 'ok')
    expect(refused).toEqual([])
  })

  it('replaces an earlier installation, and never uses its token again', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    await browser.install(world, WORKSHOP)
    const member = world.slack.user('U0WSMEMBR1')
    await member.openHome()
    const before = await world.app.store.installations.find({ workspaceId: 'T0WORKSHOP' })
    await browser.install(world, WORKSHOP)
    const after = await world.app.store.installations.find({ workspaceId: 'T0WORKSHOP' })
    expect(after?.botToken).not.toBe(before?.botToken)
    expect((await member.openHome()).home).toBeDefined()
    const verdicts = (await world.slack.deliveries()).map(({ verdict }) => verdict)
    expect(verdicts).not.toContain('token_revoked')
  })

  it('keeps the admin who first installed the app as installer if a member reinstalls it', async () => {
    await using world = await startUninstalledWorld()
    const findInstaller = async () =>
      (await world.app.store.installations.find({ workspaceId: 'T0WORKSHOP' }))?.installedBy
    await createBrowser().install(world, 'T0WORKSHOP U0WSADMIN1')
    await createBrowser().install(world, 'T0WORKSHOP U0WSMEMBR1')
    expect(await findInstaller()).toBe('U0WSADMIN1')
    const member = world.slack.user('U0WSMEMBR1')
    expect((await member.command('/hc', 'connect')).text).toContain('This needs the admin role')
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

  it('rejects a callback of another browser, and one whose OAuth state this app didn’t issue', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    for (const [change, visitor] of [
      [(callback: URL) => callback, createBrowser()],
      [forgeState, browser],
      [removeState, browser],
    ] as const) {
      const answer = await visitor.visit(change(await browser.decide(world, WORKSHOP)))
      expect(answer.status).toBe(403)
      expect(await answer.text()).toContain('This link can’t be used')
    }
    // Not even with a matching cookie.
    const forgedCallback = forgeState(await browser.decide(world, WORKSHOP))
    const answer = await browser.visit(forgedCallback, {
      headers: { cookie: `signalman-install=${forgedCallback.searchParams.get('state')}` },
    })
    expect(answer.status).toBe(403)
    await expectNothingInstalled(world)
  })

  it('explains what to do if it is started in two tabs', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    const tabs = [await browser.decide(world, WORKSHOP), await browser.decide(world, WORKSHOP)]
    for (const tab of tabs)
      expect(await (await browser.visit(tab)).text()).toContain(
        'close the others and start again in this one',
      )
    await expectNothingInstalled(world)
    expect((await browser.install(world, WORKSHOP)).status).toBe(200)
  })

  it('rejects the same OAuth state a second time', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    const callback = await browser.decide(world, WORKSHOP)
    const cookie = `signalman-install=${callback.searchParams.get('state')}`
    expect((await browser.visit(callback, { headers: { cookie } })).status).toBe(200)
    const again = await browser.visit(callback, { headers: { cookie } })
    expect(again.status).toBe(403)
    expect(again.headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('stores nothing and shows no secret if Slack fails', async () => {
    await using world = await startUninstalledWorld()
    const browser = createBrowser()
    const callback = await browser.decide(world, WORKSHOP)
    await world.slack.faults({ method: 'oauth.v2.access', kind: 'status', status: 500 })
    const answer = await browser.visit(callback)
    const page = await answer.text()
    expect(answer.status).toBe(502)
    expect(page).toContain('The installation failed')
    const written = page + world.log.join('')
    for (const secret of ['playground-client-secret', STATE_SECRET, callback.searchParams.get('code') ?? ''])
      expect(written).not.toContain(secret)
    await expectNothingInstalled(world)
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

it('has no install pages in single-workspace mode', async () => {
  await using world = await startWorld()
  expect((await fetch(`${world.app.url}/slack/install`)).status).toBe(404)
})

function forgeState(callback: URL): URL {
  const state = callback.searchParams.get('state') ?? ''
  const [issued, , mac] = state.split('.')
  callback.searchParams.set('state', `${issued}.AAAAAAAAAAAAAAAAAAAAAA.${mac}`)
  return callback
}

function removeState(callback: URL): URL {
  callback.searchParams.delete('state')
  return callback
}
