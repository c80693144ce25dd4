import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../packages/durable/src/audit/row.ts'
import { DEFAULT_SETTINGS, ORDER_SETTINGS } from '../src/features/cert-orders/rules/settings.ts'
import { makeFolder } from './databases/databases.ts'
import { makeCsr } from './features/cert-orders/csr/make-csr.ts'
import { createThreatEvent } from './features/threats/events.ts'
import { findLeaks, listSentStrings, readFolderText } from './leaks.ts'
import { eitherOf, quickOrLong } from './long.ts'
import { readSeed } from './random.ts'
import type { Fault } from './sandbox-control.ts'
import { commandBody, signRequest } from './slack/signed.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from './world.ts'

const SECRETS = {
  'the service’s token': 'canary-token+/8f0c2a71d4&x=9b3e"q',
  'a token that was refused': 'canary-wrong+/5d1e7b90c2&y=4a6f"z',
  'the bot token': 'xoxb-canary-10293847-56473829-aBcDeFgHiJkL',
  'the signing secret': 'canary-signing-5f2e8d7c6b1a0943',
  'the encryption key': randomBytes(32).toString('base64'),
  'the challenge password': 'canary-challenge-77f1e0d9c3b2',
}
/** Data that may be shown to people and stored, but must never be logged. */
const PRIVATE = {
  'a typed text': 'canary-typed-4c8b1f6e20',
  'a recipient': 'canary-recipient-91d2@example.com',
  'a threat event’s words': 'canary-comment-0b7d5a',
}
const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const CSR_FIELD = 'Certificate signing request (CSR)'

const TOKEN = SECRETS['the service’s token']
const bodyWithToken = { errors: [{ code: 'ODD', message: `The token ${TOKEN} said no.` }] }

/** Faults of the service. Their responses have the token in every place from which the app might log it. */
const EVERY_FAULT: readonly Omit<Fault, 'path'>[] = [
  ...[400, 401, 429].map((status) => ({ kind: 'status' as const, status, body: bodyWithToken })),
  { kind: 'status', status: 400, body: { errors: bodyWithToken.errors[0] } },
  { kind: 'status', status: 500, body: bodyWithToken },
  { kind: 'status', status: 502, body: `<html><h1>${TOKEN}</h1>` },
  { kind: 'body', body: `<html><h1>${TOKEN}</h1>` },
  { kind: 'body', body: `{"message":"${TOKEN.slice(0, 20)}` },
  { kind: 'reset' },
  { kind: 'drop-reply' },
]
/** A quick run uses every fifth fault, starting at a different one in each run. */
const EVERY_NTH = quickOrLong('FAULTS', { quick: 5, long: 1 })
const OFFSET = readSeed() % EVERY_NTH
const FAULTS = EVERY_FAULT.filter((_, nth) => nth % EVERY_NTH === OFFSET)

/** Requests time out early, because some of them hang. */
const SHORT_TIMEOUTS = { totalMs: 150, headersMs: 100 }

const startWorldWithSecrets = (databaseUrl: string, options: WorldOptions): Promise<World> =>
  startWorld({
    ...options,
    sandbox: { token: TOKEN },
    playground: { signingSecret: SECRETS['the signing secret'], botToken: SECRETS['the bot token'] },
    environment: {
      SLACK_SIGNING_SECRET: SECRETS['the signing secret'],
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: `canary:${SECRETS['the encryption key']}`,
    },
    serviceLimits: { ...options.serviceLimits, retry: { attempts: 1 } },
  })

const ACKNOWLEDGED = { until: () => true }

/** Waits until the app has finished its requests. */
async function waitUntilIdle({ app }: World): Promise<void> {
  const readRunningCount = async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text()
    return /^signalman_requests_running (\d+)/m.exec(text)?.[1]
  }
  await expect.poll(readRunningCount, { interval: 5 }).toBe('0')
}

/** Returns functions that perform a person's actions. If an action fails, the next one runs anyway. */
function createActions(world: World) {
  const { member } = world.slack
  /** Waits until the action has ended and the app is idle. */
  const finish = async (work: Promise<unknown>): Promise<void> => {
    await work.catch(() => undefined)
    await waitUntilIdle(world)
  }
  const sendCommand = (line: string): Promise<void> => {
    const [name = '', ...words] = line.split(' ')
    return finish(member.command(name, words.join(' '), ACKNOWLEDGED))
  }
  const submit = async (line: string, answers: Record<string, string>): Promise<void> => {
    await sendCommand(line)
    if ('Order reference' in answers)
      await finish(member.view().then((view) => member.choose(view, 'More…', ['yes'], ACKNOWLEDGED)))
    await finish(member.submit(answers, ACKNOWLEDGED))
    if ((await member.views()).length > 0) await finish(member.close({ all: true }))
  }
  return { member, command: sendCommand, submit, finish }
}

const TYPED = PRIVATE['a typed text']

interface Csr {
  pem: string
  privateKey: string
}

async function runSlackFlows(world: World, { pem, privateKey }: Csr): Promise<void> {
  const { member, command, submit, finish } = createActions(world)
  await command(`/hc ${TYPED}`)
  await command(`/hc list --nonsense ${TYPED}`)
  await command('/hc access')
  await submit('/hc connect', { Token: SECRETS['a token that was refused'] })
  await finish(world.slack.user('U0GUEST001').command('/hc', `create ${TYPED}`, ACKNOWLEDGED))
  await submit('/cert-order', { ...ORDER, [CSR_FIELD]: privateKey })
  await submit('/cert-order', { ...ORDER, [CSR_FIELD]: pem, Product: 'two words' })
  await command('/hc audit')
  await command('/hc audit --export')
  await finish(member.say(`<@U0PLAYGBOT> hc ${TYPED}`))
  await finish(member.openHome(ACKNOWLEDGED))
}

async function runServiceFlows(world: World, { pem }: Csr): Promise<void> {
  const { command, submit } = createActions(world)
  await command(`/hc show ${TYPED}`)
  await command('/hc list')
  await command(`/threat ${THREAT} ${TYPED}`)
  await submit('/hc connect --env ote', { Token: TOKEN })
  await submit('/hc connect', { Token: TOKEN })
  await submit('/hc create', { Name: TYPED, Target: 'api.example.com', 'Customer ID': '1' })
  await submit(`/hc edit ${TYPED}`, { Target: 'www.example.com' })
  await submit(`/hc alert-add ${TYPED}`, { 'Email addresses': PRIVATE['a recipient'] })
  await command(`/hc alerts ${TYPED}`)
  await submit(`/hc delete ${TYPED}`, { 'Type the name of the health check': TYPED })
  await submit('/cert-order', { ...ORDER, [CSR_FIELD]: pem })
  await submit('/cert-order approve', {})
}

const ORDER = { Product: '101', Duration: '1 year', 'Order reference': TYPED }

async function runFlowsWithFaults(world: World, csr: Csr): Promise<void> {
  for (const fault of FAULTS) {
    await world.service.faults(...['/healthcheck', '/ssl', '/cti'].map((path) => ({ ...fault, path })))
    await runServiceFlows(world, await makeOwnCsr())
  }
  await world.service.faults()
  for (const method of eitherOf(['views.open', 'users.info', 'chat.postMessage'])) {
    await world.slack.faults({ method, kind: 'error', error: `invalid_auth ${SECRETS['the bot token']}` })
    await runSlackFlows(world, csr)
  }
  await world.slack.faults()
}

/** Sends requests with secrets in them, as if from Slack: with a wrong signature, broken, or with unexpected content. */
async function sendForgedRequests({ app }: World): Promise<void> {
  const secret = SECRETS['the signing secret']
  const allSecrets = Object.values(SECRETS).join(' ')
  const requests = [
    signRequest('another secret', commandBody({ text: allSecrets })),
    signRequest(secret, `{"broken": "${allSecrets}`, { json: true }),
    signRequest(secret, 'null', { json: true }),
    signRequest(
      secret,
      commandBody({
        text: allSecrets,
        team_id: WORKSPACE,
        response_url: `https://evil.example/${allSecrets}`,
      }),
    ),
    signRequest(secret, commandBody({ command: '/nonsense', text: allSecrets, team_id: WORKSPACE })),
  ]
  for (const { body, headers } of requests)
    await fetch(`${app.url}/slack/events`, { method: 'POST', body, headers })
  await fetch(`${app.url}/${encodeURIComponent(allSecrets)}`)
}

/** Checks that no secret is in the log, in a message, in a response, in a file, or in a trace. */
async function expectNoLeaks(world: World, { folder }: { folder: string }, secrets: Record<string, string>) {
  const audit: AuditEntry[] = []
  for await (const row of world.app.store.audit.readAll({ workspaceId: WORKSPACE })) audit.push(row)
  const served = await Promise.all(
    ['/metrics', '/healthz', '/readyz'].map(async (path) => (await fetch(`${world.app.url}${path}`)).text()),
  )
  const sent = (await listSentStrings(world)).join('\n')
  const log = world.log.join('')
  expect(findLeaks(log, { ...secrets, ...PRIVATE })).toEqual([])
  expect(log).not.toMatch(/BEGIN CERTIFICATE|\/response_url|hooks\.slack|evil\.example/)
  for (const line of pems.flatMap((pem) => pem.split('\n').slice(1, -2))) expect(log).not.toContain(line)
  expect(findLeaks(sent, secrets)).toEqual([])
  expect(findLeaks(JSON.stringify(audit), secrets)).toEqual([])
  expect(findLeaks(served.join('\n'), secrets)).toEqual([])
  expect(findLeaks(readFolderText(folder), secrets)).toEqual([])
  await world.app[Symbol.asyncDispose]()
  expect(findLeaks(readFolderText(folder), secrets)).toEqual([])
  expectReferences(world.log)
  return { audit, sent }
}

/** Each with its own key and name, because an order that touches an earlier one waits for somebody to read it. */
const pems: string[] = []
async function makeOwnCsr(): Promise<Csr> {
  const host = `canary-${pems.length}.example.com`
  const csr = makeCsr({
    challenge: SECRETS['the challenge password'],
    commonName: host,
    names: [host],
  })
  pems.push(csr.pem)
  return csr
}

async function makeSecrets() {
  const { pem, privateKey } = await makeOwnCsr()
  const keyBody = privateKey.split('\n').slice(1, -2)
  return { csr: { pem, privateKey }, secrets: { ...SECRETS, 'the private key': keyBody[0] ?? '' } }
}

describe(`secrets planted in every flow and fault at trace level (sample ${OFFSET} of ${EVERY_NTH})`, () => {
  it('never leak', async () => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'canary.db')}`
    await using world = await startWorldWithSecrets(url, { connected: false })
    const event = createThreatEvent('site.example')
    await world.service.storeThreat(THREAT, {
      ...event,
      id: THREAT,
      comments: [{ content: PRIVATE['a threat event’s words'], date: '2026-11-20T12:00:00.000Z' }],
    })
    await world.app.store.settings.set(WORKSPACE, ORDER_SETTINGS, { ...DEFAULT_SETTINGS, allowsOwn: true })
    const { csr, secrets } = await makeSecrets()
    await runServiceFlows(world, csr)
    await runSlackFlows(world, csr)
    await runFlowsWithFaults(world, csr)
    const { csr: nextCsr, secrets: nextSecrets } = await makeSecrets()
    await runServiceFlows(world, nextCsr)
    await sendForgedRequests(world)
    await world.slack.member.command('/hc', 'disconnect')
    await world.slack.member.submit({}, { until: 'Removed the token' })
    const allSecrets = { ...secrets, 'the next private key': nextSecrets['the private key'] }
    const { audit, sent } = await expectNoLeaks(world, { folder: folder.path }, allSecrets)

    // Check that the actions ran, and that `findLeaks` would find a leak.
    expect(audit.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['begun', 'done', 'refused']))
    expect(sent).toMatch(/order 1\b/i)
    expect(sent).toContain(PRIVATE['a recipient'])
    expect(findLeaks(`x${Buffer.from(`.${TOKEN}`).toString('base64')}`, secrets)).toEqual([
      'the service’s token',
    ])
  })

  it('don’t leak while the service hangs', async () => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'canary.db')}`
    await using world = await startWorldWithSecrets(url, {
      serviceLimits: { timeouts: SHORT_TIMEOUTS },
    })
    await world.app.store.settings.set(WORKSPACE, ORDER_SETTINGS, { ...DEFAULT_SETTINGS, allowsOwn: true })
    const { csr, secrets } = await makeSecrets()
    await world.service.faults({ path: '/', kind: 'hang' })
    await runServiceFlows(world, csr)
    await expectNoLeaks(world, { folder: folder.path }, secrets)
  })
})

/** Log lines that don't belong to a request or to work: a wrong signature, the start and stop of the app, an empty database, Slack. */
const WITHOUT_REFERENCE = /signature|Signalman is|database has no|is connected|stop/i
const STARTUP_CALL = { to: 'slack', method: 'auth.test' }

function expectReferences(log: readonly string[]): void {
  const lines = log.map((line): Record<string, unknown> => JSON.parse(line))
  expect(lines.length).toBeGreaterThan(40)
  const linesWithoutReference = lines.filter(
    ({ reference, msg, to, method }) =>
      !reference &&
      !WITHOUT_REFERENCE.test(String(msg)) &&
      !(to === STARTUP_CALL.to && method === STARTUP_CALL.method),
  )
  expect(linesWithoutReference).toEqual([])
}
