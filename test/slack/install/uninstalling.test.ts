import { describe, expect, it } from 'vitest'
import { createBrowser, startTenants } from '../../installing.ts'
import { SIGNING_SECRET, startWorld, type World } from '../../world.ts'
import { signed } from '../signed.ts'

const TEAM = 'T0WORKSHOP'
const ADMIN = 'U0WSADMIN1'

/** Installed in the workshop, with a stored token and a card that has buttons. */
async function startInstalled(as = `${TEAM} ${ADMIN}`) {
  const world = await startTenants()
  const browser = createBrowser()
  await browser.install(world, as)
  const admin = world.slack.user(ADMIN)
  await admin.command('/hc', 'connect')
  await admin.submit({ Token: world.sandbox.token }, { until: /stored/ })
  return { world, browser, admin }
}

async function expectWiped({ app }: World, team = TEAM): Promise<void> {
  expect(await app.store.installations.find({ workspaceId: team })).toBeUndefined()
  expect(await app.store.connections.list(team)).toEqual([])
}

const uninstallsOf = async ({ app }: World, workspaceId = TEAM) =>
  app.store.audit.search({ workspaceId, verb: 'uninstall', limit: 10 })

function tell(world: World, body: object): Promise<Response> {
  const event = signed(SIGNING_SECRET, JSON.stringify({ type: 'event_callback', ...body }), { json: true })
  return fetch(`${world.app.url}/slack/events`, { method: 'POST', ...event })
}

describe('an uninstall', () => {
  const uninstalled = 'app_uninstalled'
  const revoked = 'tokens_revoked'
  it.each([
    { events: [uninstalled, revoked] },
    { events: [revoked, uninstalled] },
    { events: [uninstalled] },
    { events: [revoked] },
    { events: [revoked, revoked, uninstalled, uninstalled] },
  ] as const)('wipes what was entrusted before Slack is answered: $events', async ({ events }) => {
    const { world } = await startInstalled()
    await using _ = world
    await world.slack.uninstall(TEAM, [...events])
    await expectWiped(world)
    const rows = await uninstallsOf(world)
    expect(rows).toMatchObject([{ actor: { userId: 'system' }, object: events[0], outcome: 'done' }])
    expect(await world.app.store.audit.verify(TEAM)).toMatchObject({ faults: [] })
  })

  it('of one workspace touches no other', async () => {
    const { world, browser } = await startInstalled()
    await using _ = world
    await browser.install(world, 'T0FACTORY1 U0FCADMIN1')
    await world.slack.uninstall(TEAM)
    await expectWiped(world)
    const other = await world.app.store.installations.find({ workspaceId: 'T0FACTORY1' })
    expect(other).toBeDefined()
  })

  it('leaves what is pressed afterwards with a clear sentence, and nothing stored', async () => {
    const { world, admin } = await startInstalled()
    await using _ = world
    const card = (await admin.command('/hc', '')).message
    const before = (await world.service.requests()).length
    await world.slack.uninstall(TEAM)
    // As in a client that has not heard of it yet.
    expect((await admin.click(card, 'Refresh')).text).toContain('is not installed in this workspace any more')
    expect((await world.service.requests()).length).toBe(before)
    await expectWiped(world)
  })

  it('is followed by an installation that finds the rights and the audit log, and no token', async () => {
    const { world, browser, admin } = await startInstalled()
    await using _ = world
    await world.app.store.grants.add(TEAM, 'operator', { kind: 'user', id: 'U0WSMEMBR1' }, ADMIN, new Date())
    await world.slack.uninstall(TEAM)
    await browser.install(world, `${TEAM} ${ADMIN}`)
    expect((await admin.command('/hc', 'list')).text).toContain('No token')
    expect(await world.app.store.grants.list(TEAM)).toHaveLength(1)
    const verbs = (await world.app.store.audit.search({ workspaceId: TEAM, limit: 20 })).map(
      ({ verb }) => verb,
    )
    expect(verbs.filter((verb) => /install$/.test(verb))).toEqual(['install', 'uninstall', 'install'])
  })

  it('that Slack repeats after a new installation does not touch it', async () => {
    const { world, browser } = await startInstalled()
    await using _ = world
    await world.slack.uninstall(TEAM)
    await browser.install(world, `${TEAM} ${ADMIN}`)
    const event_time = Math.floor(Date.now() / 1000) - 60
    await tell(world, { event_id: 'Ev1', event_time, team_id: TEAM, event: { type: 'app_uninstalled' } })
    expect(await world.app.store.installations.find({ workspaceId: TEAM })).toBeDefined()
    // Without a token that works there is nothing to keep, whatever the clocks say.
    await world.slack.uninstall(TEAM, [])
    await tell(world, { event_id: 'Ev2', event_time, team_id: TEAM, event: { type: 'app_uninstalled' } })
    await expectWiped(world)
  })

  it('is not what a revoked token of a person means', async () => {
    const { world } = await startInstalled()
    await using _ = world
    const event = { type: 'tokens_revoked', tokens: { oauth: [ADMIN], bot: [] } }
    const answer = await tell(world, { event_id: 'Ev1', event_time: Date.now() / 1000, team_id: TEAM, event })
    expect(answer.status).toBe(200)
    expect(await world.app.store.installations.find({ workspaceId: TEAM })).toBeDefined()
  })

  it('of an organization wipes each of its workspaces, and not one that installed by itself', async () => {
    const { world, browser } = await startInstalled(`E0EXAMPLE1 ${ADMIN}`)
    await using _ = world
    await world.slack.user('U0FCADMIN1').command('/hc', 'connect')
    await world.slack.user('U0FCADMIN1').submit({ Token: world.sandbox.token }, { until: /stored/ })
    await browser.install(world, 'T0FACTORY1 U0FCADMIN1')
    await world.slack.uninstall('E0EXAMPLE1')
    await expectWiped(world)
    expect(await uninstallsOf(world)).toHaveLength(1)
    expect(await uninstallsOf(world, 'E0EXAMPLE1')).toHaveLength(1)
    expect(await world.app.store.installations.list()).toMatchObject([{ id: 'T0FACTORY1' }])
    expect(await world.app.store.connections.list('T0FACTORY1')).toHaveLength(1)
  })

  it('of an organization is understood when Slack names one of its workspaces', async () => {
    const { world } = await startInstalled(`E0EXAMPLE1 ${ADMIN}`)
    await using _ = world
    await world.slack.uninstall('E0EXAMPLE1', [])
    const event_time = Math.ceil(Date.now() / 1000) + 1
    const names = { team_id: TEAM, enterprise_id: 'E0EXAMPLE1', authorizations: [] }
    await tell(world, { event_id: 'Ev1', event_time, ...names, event: { type: 'app_uninstalled' } })
    await expectWiped(world)
    expect(await world.app.store.installations.list()).toEqual([])
  })

  it('wipes the stored token of a deployment for one workspace too', async () => {
    await using world = await startWorld({ connected: false })
    await world.slack.admin.command('/hc', 'connect')
    await world.slack.admin.submit({ Token: world.sandbox.token }, { until: /stored/ })
    await world.slack.uninstall('T0PLAYGRND')
    expect(await world.app.store.connections.list('T0PLAYGRND')).toEqual([])
  })
})
