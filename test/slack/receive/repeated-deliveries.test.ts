import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDeduplicator } from '../../../packages/slack/src/receive/deliveries.ts'
import { openStore } from '../../../src/app/store.ts'
import { MANIFEST } from '../../manifest.ts'
import { runSignalman } from '../../process.ts'
import { createSandboxControl } from '../../sandbox-control.ts'
import { commandBody, type SignedRequest, signRequest } from '../signed.ts'

const SECRET = 'once-signing-secret'
const DELIVERIES = 50

/** Starts two app processes with the same database file, a sandbox, and a playground that sends requests to the first process. */
async function startTwoProcesses() {
  await using disposables = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
  disposables.defer(() => rm(folder, { recursive: true, force: true }))
  const sandbox = disposables.use(await startSandbox({ seed: false, checking: false }))
  const playground = disposables.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SECRET,
      manifestPath: MANIFEST,
      rate: 'off',
      limits: { eventRetryMs: [0, 0, 0] },
    }),
  )
  const databaseUrl = `sqlite:${join(folder, 'signalman.db')}`
  const env = {
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_TOKEN: sandbox.token,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    HOST: '127.0.0.1',
  }
  const urls: string[] = []
  for (const _ of [1, 2]) {
    const app = disposables.use(runSignalman(['serve'], { env }))
    const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
    urls.push(url)
  }
  playground.setAppUrl(urls[0] ?? '')
  const resources = disposables.move()
  return {
    urls,
    service: createSandboxControl(sandbox),
    slack: createDriver(playground.url),
    openStore: () => openStore({ url: databaseUrl }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function deliver(
  urls: readonly string[],
  { body, headers }: SignedRequest,
  retry?: number,
): Promise<number[]> {
  const extra = retry === undefined ? {} : { 'x-slack-retry-num': String(retry) }
  return Promise.all(
    Array.from({ length: DELIVERIES }, async (_, nth) => {
      const url = `${urls[nth % urls.length]}/slack/events`
      const answer = await fetch(url, { method: 'POST', body, headers: { ...headers, ...extra } })
      return answer.status
    }),
  )
}

const allAccepted = Array.from({ length: DELIVERIES }, () => 200)

describe('one process', () => {
  const createCounter = () => {
    const repeatedDeliveries = createDeduplicator()
    let runs = 0
    const handle = (key: string, answer: () => unknown = () => '') =>
      repeatedDeliveries.runOnce(key, async () => {
        runs += 1
        return answer()
      })
    return { handle, runs: () => runs }
  }

  it('gives concurrent and later copies of a request the response to the first one', async () => {
    const { handle, runs } = createCounter()
    const answer = { errors: {} }
    const concurrent = [handle('a', () => answer), handle('a')]
    expect(await Promise.all(concurrent)).toEqual([answer, answer])
    expect(await handle('a')).toBe(answer)
    expect(await handle('b')).toBe('')
    expect(await handle('b', () => 'another')).toBe('')
    expect(runs()).toBe(2)
  })

  it('runs a request again if its first run failed', async () => {
    const { handle, runs } = createCounter()
    const fail = () => {
      throw new Error('not now')
    }
    await expect(handle('a', fail)).rejects.toThrow('not now')
    expect(await handle('a')).toBe('')
    expect(runs()).toBe(2)
  })

  it('remembers at least 5,000 and at most 10,000 keys', async () => {
    const { handle, runs } = createCounter()
    for (let index = 0; index < 10_001; index += 1) await handle(String(index))
    for (let index = 5001; index < 10_001; index += 1) await handle(String(index))
    expect(runs()).toBe(10_001)
    await handle('0')
    expect(runs()).toBe(10_002)
  })
})

describe('two processes on one database', () => {
  let world: Awaited<ReturnType<typeof startTwoProcesses>>
  beforeAll(async () => {
    world = await startTwoProcesses()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it(`run a command once, although it is delivered ${DELIVERIES} times with each of two signatures`, async () => {
    const command = commandBody({
      text: 'grant <@U0MEMBER01> operator 8h',
      team_id: 'T0PLAYGRND',
      user_id: 'U0ADMIN001',
      channel_id: 'C0GENERAL1',
      // Without a trigger ID, the app answers with a message, which the playground stores.
      trigger_id: '',
    })
    for (const at of [new Date(), new Date(Date.now() + 1000)])
      expect(await deliver(world.urls, signRequest(SECRET, command, { at }))).toEqual(allAccepted)
    await world.slack.admin.until('the answer', ({ messages }) => (messages.C0GENERAL1 ?? []).length > 0)
    // Whatever ran before this command has called the service and answered by the time the command ends.
    await world.slack.admin.command('/hc', '')
    const answers = await world.slack.admin.messages()
    expect(answers).toHaveLength(2)
    await using store = await world.openStore()
    const rows = await store.audit.search({ workspaceId: 'T0PLAYGRND', verb: '/hc grant', limit: 10 })
    expect(rows).toHaveLength(1)
  })

  it(`each answer a read once, although it is delivered ${DELIVERIES} times`, async () => {
    const command = commandBody({
      text: 'list',
      team_id: 'T0PLAYGRND',
      user_id: 'U0ADMIN001',
      channel_id: 'C0OPERATNS',
      trigger_id: '',
    })
    expect(await deliver(world.urls, signRequest(SECRET, command))).toEqual(allAccepted)
    const maxAnswers = world.urls.length
    await world.slack.admin.until(
      'the answer',
      ({ messages }) => (messages.C0OPERATNS ?? []).length >= maxAnswers,
    )
    await world.slack.admin.command('/hc', 'help', { channel: 'operations' })
    expect(await world.slack.admin.messages('operations')).toHaveLength(maxAnswers + 1)
  })

  it('show Home once for an event and all of Slack’s retries with new signatures', async () => {
    const home = { type: 'app_home_opened', user: 'U0MEMBER01', tab: 'home' }
    const event = { type: 'event_callback', event_id: 'Ev0ONCE', team_id: 'T0PLAYGRND', event: home }
    for (const retry of [undefined, 1, 2, 3]) {
      const at = new Date(Date.now() + (retry ?? 0) * 1000)
      const signedAgain = signRequest(SECRET, JSON.stringify(event), { json: true, at })
      expect(await deliver(world.urls, signedAgain, retry)).toEqual(allAccepted)
    }
    await world.slack.member.until('a Home', ({ home: shown }) => shown !== null)
    await world.slack.member.command('/hc', 'help')
    expect((await world.slack.deliveries('views.publish')).length).toBeLessThanOrEqual(world.urls.length)
  })

  it('delete a workspace’s data once, even if Slack sends both processes every uninstall event repeatedly', async () => {
    await using world = await startTwoProcesses()
    await using store = await world.openStore()
    const connection = { workspaceId: 'T0PLAYGRND', userId: 'U0ADMIN001', now: new Date() }
    await store.connections.save({ ...connection, environment: 'production', token: 'a-token' })
    await world.slack.uninstall('T0PLAYGRND', [])
    const event = { type: 'event_callback', team_id: 'T0PLAYGRND', event_time: Date.now() / 1000 }
    const revoked = { type: 'tokens_revoked', tokens: { oauth: [], bot: ['U0PLAYGBOT'] } }
    const bodies = [
      { ...event, event_id: 'Ev0A', event: revoked },
      { ...event, event_id: 'Ev0B', event: { type: 'app_uninstalled' } },
    ]
    const statuses = await Promise.all(
      bodies.map((body) => deliver(world.urls, signRequest(SECRET, JSON.stringify(body), { json: true }))),
    )
    expect(statuses).toEqual([allAccepted, allAccepted])
    expect(await store.connections.list('T0PLAYGRND')).toEqual([])
    const rows = await store.audit.search({ workspaceId: 'T0PLAYGRND', verb: 'uninstall', limit: 10 })
    expect(rows).toHaveLength(1)
  })
})
