import type { User } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { createUninstalling } from '../../../src/bot/install/uninstalling.ts'
import { examine } from '../../../src/doctor/examine.ts'
import { startSqliteFile } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { addGrant } from '../../give-role.ts'
import { startSocketWorld, waitForTwoSockets } from '../../slack/receive/socket/socket-world.ts'
import { signRequest } from '../../slack/signed.ts'
import { type Browser, createBrowser, STATE_SECRET, startUninstalledWorld } from '../../slack-installation.ts'
import { SIGNING_SECRET, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { saveConnection } from '../../write-store.ts'

const TEAM = 'T0WORKSHOP'
const ADMIN = 'U0WSADMIN1'

/** Starts a world in which the workspace has installed the app and stored a token. */
async function startInstalled(installer = `${TEAM} ${ADMIN}`, options: WorldOptions = {}) {
  const world = await startUninstalledWorld(options)
  const installed = { world, browser: createBrowser(), admin: world.slack.user(ADMIN) }
  await install(installed, installer)
  return installed
}

async function install(
  { world, browser, admin }: { world: World; browser: Browser; admin: User },
  installer = `${TEAM} ${ADMIN}`,
): Promise<void> {
  await browser.install(world, installer)
  await admin.command('/hc', 'connect')
  await admin.submit({ Token: world.sandbox.token }, { until: /stored/ })
  await admin.close({ all: true })
}

async function expectNoData({ app }: World): Promise<void> {
  expect(await app.store.installations.find(TEAM)).toBeUndefined()
  expect(await app.store.connections.list(TEAM)).toEqual([])
}

const searchUninstalls = async ({ app }: World) =>
  app.store.audit.search({ workspaceId: TEAM, text: 'uninstall', limit: 10 })

function sendEvent(world: World, body: object): Promise<Response> {
  const event = signRequest(SIGNING_SECRET, JSON.stringify({ type: 'event_callback', ...body }), {
    json: true,
  })
  return fetch(`${world.app.url}/slack/events`, { method: 'POST', ...event })
}

const uninstall = (event_id: string) => ({ event_id, team_id: TEAM, event: { type: 'app_uninstalled' } })

describe('an uninstall', () => {
  it('deletes the tokens before it is acknowledged, whichever events Slack sends, in any order', async () => {
    const { world, browser, admin } = await startInstalled()
    await using _ = world
    const [uninstalled, revoked] = ['app_uninstalled', 'tokens_revoked'] as const
    for (const events of [
      [uninstalled, revoked],
      [revoked, uninstalled],
      [uninstalled],
      [revoked],
      [revoked, revoked, uninstalled, uninstalled],
    ]) {
      if (!(await world.app.store.installations.find(TEAM))) await install({ world, browser, admin })
      const before = await searchUninstalls(world)
      await world.slack.uninstall(TEAM, events)
      await expectNoData(world)
      const rows = await searchUninstalls(world)
      expect(rows).toMatchObject([
        { actor: { userId: 'system' }, object: events[0], outcome: 'done' },
        ...before,
      ])
    }
  })

  it('doesn’t affect other workspaces, and responds to later clicks with a clear message', async () => {
    const { world, browser, admin } = await startInstalled()
    await using _ = world
    await browser.install(world, 'T0FACTORY1 U0FCADMIN1')
    const card = (await admin.command('/hc', '')).message
    const before = (await world.service.requests()).length
    await world.slack.uninstall(TEAM)
    // The Slack client may still show the card.
    expect((await admin.click(card, 'Refresh')).text).toContain('isn’t installed in this workspace')
    expect((await world.service.requests()).length).toBe(before)
    await expectNoData(world)
    expect(await world.app.store.installations.find('T0FACTORY1')).toBeDefined()
  })

  it('keeps roles and the audit log for a later installation, but no tokens', async () => {
    const { world, browser, admin } = await startInstalled()
    await using _ = world
    await addGrant(world.app.store, TEAM, 'operator', { kind: 'user', id: 'U0WSMEMBR1' }, ADMIN, new Date())
    await world.slack.uninstall(TEAM)
    await browser.install(world, `${TEAM} ${ADMIN}`)
    expect((await admin.command('/hc', 'list')).text).toContain('no token')
    expect(await world.app.store.grants.list(TEAM)).toHaveLength(1)
    const verbs = (await world.app.store.audit.search({ workspaceId: TEAM, limit: 20 })).map(
      ({ verb }) => verb,
    )
    expect(verbs.filter((verb) => /install$/.test(verb))).toEqual(['install', 'uninstall', 'install'])
  })

  const HOUR_MS = 3_600_000
  it('is confirmed by testing the token, not by comparing the event’s time', async () => {
    let clockOffsetMs = 0
    const { world } = await startInstalled(undefined, { now: () => new Date(Date.now() + clockOffsetMs) })
    await using _ = world
    const listConnections = () => world.app.store.connections.list(TEAM)
    const sendUninstall = (id: string, ageMs: number) =>
      sendEvent(world, { ...uninstall(id), event_time: Math.floor((Date.now() - ageMs) / 1000) })
    for (const [ageMs, offsetMs] of [
      [0, 0],
      [0, -30_000],
      [2 * HOUR_MS, 30_000],
      [-2 * HOUR_MS, 0],
    ] as const) {
      clockOffsetMs = offsetMs
      // The event is about the previous installation, not this one.
      expect((await sendUninstall(`Ev ${ageMs} ${offsetMs}`, ageMs)).status).toBe(200)
      expect(await listConnections()).toHaveLength(1)
    }

    for (const fault of [
      { kind: 'status', status: 503 },
      { kind: 'status', status: 429, retryAfter: 1 },
      { kind: 'drop-reply' },
      { kind: 'error', error: 'internal_error' },
      { kind: 'error', error: 'invalid_auth' },
    ] as const) {
      await world.slack.faults({ method: 'auth.test', ...fault })
      expect((await sendUninstall('Ev2', 0)).status).toBe(503)
      expect(await listConnections()).toHaveLength(1)
      expect(await world.app.store.installations.summary(TEAM)).toBeDefined()
      expect(await world.app.store.work.listOpen('', ['uninstall'])).toHaveLength(1)
    }

    await world.slack.uninstall(TEAM, [])
    expect((await sendUninstall('Ev2', 2 * HOUR_MS)).status).toBe(200)
    await expectNoData(world)
  })

  it('is checked again every hour, without an end, if it couldn’t be confirmed while Slack retried', async () => {
    const { world } = await startInstalled(undefined, { workTimes: { pollMs: 50 } })
    await using _ = world
    const { connections, work } = world.app.store
    const pendingChecks = () => work.listOpen('', ['uninstall'])
    await world.slack.faults({ method: 'auth.test', kind: 'status', status: 503 })
    expect((await sendEvent(world, uninstall('Ev1'))).status).toBe(503)
    expect(await pendingChecks()).toMatchObject([{ key: `app_uninstalled ${TEAM}`, state: 'waiting' }])
    expect((await pendingChecks())[0]?.dueAt.getTime()).toBeGreaterThan(Date.now() + HOUR_MS / 2)
    // An hour later, Slack still doesn't answer.
    const workKey = { workspaceId: '', kind: 'uninstall', key: `app_uninstalled ${TEAM}` }
    await world.slack.faults({ method: 'auth.test', kind: 'status', status: 503 })
    await work.schedule(workKey)
    await expect.poll(async () => (await pendingChecks())[0]?.attempts).toBe(1)
    await expect.poll(async () => (await pendingChecks())[0]?.state).toBe('waiting')
    expect((await pendingChecks())[0]?.dueAt.getTime()).toBeGreaterThan(Date.now() + HOUR_MS / 2)
    expect(world.log.join('')).toContain('Slack didn’t say whether the app is still installed')
    const { workKinds } = createUninstalling({ store: world.app.store } as never)
    expect(workKinds.map(({ maxAttempts }) => maxAttempts)).toEqual([Infinity, Infinity])
    expect(await connections.list(TEAM)).toHaveLength(1)

    await world.slack.uninstall(TEAM, [])
    await work.schedule(workKey)
    await expect.poll(pendingChecks).toEqual([])
    await expectNoData(world)
    expect(await searchUninstalls(world)).toMatchObject([{ object: 'app_uninstalled', outcome: 'done' }])
  })

  it('keeps everything while the token can’t be decrypted, because Slack can’t be asked', async () => {
    await using sqlite = await startSqliteFile()
    const { world } = await startInstalled(undefined, { environment: { DATABASE_URL: sqlite.url } })
    await using _ = world
    await using raw = await openDatabase(sqlite.url)
    await raw.rows.updateTable('installation').set({ sealed_token: 'x' }).execute()
    expect((await sendEvent(world, uninstall('Ev1'))).status).toBe(503)
    expect(await world.app.store.work.listOpen('', ['uninstall'])).toHaveLength(1)
    expect(await (await fetch(`${world.app.url}/metrics`)).text()).toContain(
      'signalman_uninstalls_unconfirmed 1',
    )
    const findings = await examine({
      environment: {
        DATABASE_URL: sqlite.url,
        SLACK_SIGNING_SECRET: SIGNING_SECRET,
        SLACK_CLIENT_ID: 'playground-client',
        SLACK_CLIENT_SECRET: 'playground-client-secret',
        SLACK_STATE_SECRET: STATE_SECRET,
        SLACK_API_URL: world.playground.apiUrl,
        API_BASE_URL: world.sandbox.productionUrl,
        PUBLIC_URL: world.app.url,
      },
    })
    expect(findings.filter(({ part }) => part === 'uninstall')).toMatchObject([
      {
        state: 'fault',
        message: expect.stringContaining(TEAM),
        fix: expect.stringContaining('erase-workspace'),
      },
    ])
    expect(await raw.rows.selectFrom('connection').selectAll().execute()).toHaveLength(1)
  })

  it('is confirmed once Slack says that the token was revoked, but not by an event about a person’s token', async () => {
    const { world } = await startInstalled()
    await using _ = world
    const { installations } = world.app.store
    const event = { type: 'tokens_revoked', tokens: { oauth: [ADMIN], bot: [] } }
    expect((await sendEvent(world, { event_id: 'Ev0', team_id: TEAM, event })).status).toBe(200)
    const found = await installations.find(TEAM)
    if (!found) throw new Error('The app isn’t installed.')
    await installations.save({ ...found, botToken: 'xoxb-of-another-slack' })
    expect((await sendEvent(world, uninstall('Ev1'))).status).toBe(503)
    expect(await world.app.store.connections.list(TEAM)).toHaveLength(1)
    await world.slack.faults({ method: 'auth.test', kind: 'error', error: 'token_revoked' })
    expect((await sendEvent(world, uninstall('Ev1'))).status).toBe(200)
    await expectNoData(world)
  })

  it('is also confirmed in Socket Mode, although the app’s clock is wrong', async () => {
    await using world = await startSocketWorld({
      connected: false,
      now: () => new Date(Date.now() + 2 * HOUR_MS),
      // Slack resends an event that isn't acknowledged within two seconds, the first time immediately.
      playground: { limits: { ackTimeoutMs: 2000, eventRetryMs: [0, 1000, 1000, 1000] } },
    })
    const { connections } = world.app.store
    await waitForTwoSockets(world)
    const at = { workspaceId: WORKSPACE, environment: 'production', userId: 'U0ADMIN001' } as const
    await saveConnection(world.app.store, { ...at, token: 'entrusted', now: new Date() })
    await world.slack.uninstall(WORKSPACE, ['app_uninstalled', 'tokens_revoked'], true)
    expect(await connections.list(WORKSPACE)).toHaveLength(1)

    await world.slack.faults({ method: 'auth.test', kind: 'status', status: 503 })
    void world.slack.uninstall(WORKSPACE, ['app_uninstalled'])
    await expect.poll(() => connections.list(WORKSPACE)).toEqual([])
    // The delivery that timed out, and at least two more.
    const deliveries = await world.slack.deliveries('event:app_uninstalled')
    expect(deliveries.length).toBeGreaterThanOrEqual(3)
    expect(deliveries[1]).toMatchObject({ verdict: 'operation_timeout' })
  })
})
