import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_POLICY, ORDER_POLICY } from '../src/features/cert-orders/policy.ts'
import type { AuditEntry } from '../src/store/store.ts'
import { makeCsr } from './features/cert-orders/csr/make-csr.ts'
import { eventOf } from './features/threats/events.ts'
import { databaseText, leaks, sentBy } from './leaks.ts'
import type { Fault } from './sandbox-control.ts'
import { commandBody, signed } from './slack/signed.ts'
import { makeFolder } from './store/databases.ts'
import { startCollector } from './tracing/collector.ts'
import { startWorld, WORKSPACE, type World } from './world.ts'

const SECRETS = {
  'the service’s token': 'canary-token+/8f0c2a71d4&x=9b3e"q',
  'a token that was refused': 'canary-wrong+/5d1e7b90c2&y=4a6f"z',
  'the bot token': 'xoxb-canary-10293847-56473829-aBcDeFgHiJkL',
  'the signing secret': 'canary-signing-5f2e8d7c6b1a0943',
  'the encryption key': randomBytes(32).toString('base64'),
  'the challenge password': 'canary-challenge-77f1e0d9c3b2',
}
/** What may be shown to people and kept, and still has no place in a log. */
const PRIVATE = {
  'a typed text': 'canary-typed-4c8b1f6e20',
  'a recipient': 'canary-recipient-91d2@example.com',
  'a threat event’s words': 'canary-comment-0b7d5a',
}
const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const CSR_FIELD = 'Certificate signing request (CSR)'

const TOKEN = SECRETS['the service’s token']
const leaking = { errors: [{ code: 'ODD', message: `The token ${TOKEN} said no.` }] }

/** What the service does wrong, its own answers repeating the token wherever they can. */
const FAULTS: readonly Omit<Fault, 'path'>[] = [
  ...[400, 401, 429, 500].map((status) => ({
    kind: 'status' as const,
    status,
    body: leaking,
  })),
  { kind: 'status', status: 400, body: { errors: leaking.errors[0] } },
  { kind: 'status', status: 502, body: `<html><h1>${TOKEN}</h1>` },
  { kind: 'body', body: `<html><h1>${TOKEN}</h1>` },
  { kind: 'body', body: `{"message":"${TOKEN.slice(0, 20)}` },
  { kind: 'reset' },
  { kind: 'drop-reply' },
  { kind: 'hang' },
]

const startCanaries = (databaseUrl: string, collectorUrl: string): Promise<World> =>
  startWorld({
    connected: false,
    sandbox: { token: TOKEN },
    playground: { signingSecret: SECRETS['the signing secret'], botToken: SECRETS['the bot token'] },
    environment: {
      SLACK_SIGNING_SECRET: SECRETS['the signing secret'],
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: `canary:${SECRETS['the encryption key']}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
    },
    serviceLimits: { timeouts: { totalMs: 150, headersMs: 100 }, retry: { attempts: 1 } },
  })

/** What a person does, one thing after the other; what does not come of it is no reason to stop. */
function doings({ slack: { member } }: World) {
  const command = (line: string): Promise<unknown> => {
    const [name = '', ...words] = line.split(' ')
    return tried(member.command(name, words.join(' '), { waitMs: 250 }))
  }
  const submit = async (line: string, answers: Record<string, string>): Promise<void> => {
    await command(line)
    await tried(member.submit(answers, { until: (answer) => !/…$/m.test(answer.text), waitMs: 250 }))
    await tried(member.close({ all: true }))
  }
  return { member, command, submit }
}

const TYPED = PRIVATE['a typed text']

interface Csr {
  pem: string
  privateKey: string
}

/** Everything that is not asked of the service. */
async function flowsOfSlack(world: World, { pem, privateKey }: Csr): Promise<void> {
  const { member, command, submit } = doings(world)
  await command(`/hc ${TYPED}`)
  await command(`/hc list --nonsense ${TYPED}`)
  await command('/hc whoami')
  await submit('/hc connect', { Token: SECRETS['a token that was refused'] })
  await tried(world.slack.user('U0GUEST001').command('/hc', `create ${TYPED}`))
  await submit('/cert-order', { ...ORDER, [CSR_FIELD]: privateKey })
  await submit('/cert-order', { ...ORDER, [CSR_FIELD]: pem, Product: 'two words' })
  await command('/hc access-request approver')
  await submit('/hc access', {})
  await command('/hc audit')
  await command('/hc audit --export')
  await tried(member.say(`<@U0PLAYGBOT> hc ${TYPED}`))
  await tried(member.openHome({ waitMs: 250 }))
}

/** Everything that is. */
async function flowsOfService(world: World, { pem }: Csr): Promise<void> {
  const { command, submit } = doings(world)
  await command(`/hc show ${TYPED}`)
  await command('/hc list')
  await command(`/threat ${THREAT} ${TYPED}`)
  await submit('/hc connect', { Token: TOKEN, Environment: 'OTE' })
  await submit('/hc connect', { Token: TOKEN })
  await submit('/hc create', { Name: TYPED, Target: 'api.example.com', 'Customer ID': '1' })
  await submit(`/hc edit ${TYPED}`, { Target: 'www.example.com' })
  await submit(`/hc alert-add ${TYPED}`, { 'E-mail addresses': PRIVATE['a recipient'] })
  await command(`/hc alerts ${TYPED}`)
  await submit(`/hc delete ${TYPED}`, { name: TYPED })
  await submit('/cert-order', { ...ORDER, [CSR_FIELD]: pem })
}

const ORDER = { Product: '101', Duration: '1 year', 'Order reference': TYPED }

const tried = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined)

async function withEveryFault(world: World, csr: Csr): Promise<void> {
  for (const fault of FAULTS) {
    const paths = [{ path: '/healthcheck' }, { path: '/ssl' }, { path: '/cti' }]
    await world.service.faults(...paths.map((at) => ({ ...fault, ...at })))
    await flowsOfService(world, csr)
  }
  await world.service.faults()
  for (const method of ['views.open', 'users.info', 'chat.postMessage']) {
    await world.slack.faults({ method, kind: 'error', error: `invalid_auth ${SECRETS['the bot token']}` })
    await flowsOfSlack(world, csr)
  }
  await world.slack.faults()
}

/** Requests that nobody of Slack's sent, with secrets in them. */
async function strangersAtTheDoor({ app }: World): Promise<void> {
  const secret = SECRETS['the signing secret']
  const all = Object.values(SECRETS).join(' ')
  const requests = [
    signed('another secret', commandBody({ text: all })),
    signed(secret, `{"broken": "${all}`, { json: true }),
    signed(secret, 'null', { json: true }),
    signed(
      secret,
      commandBody({ text: all, team_id: WORKSPACE, response_url: `https://evil.example/${all}` }),
    ),
    signed(secret, commandBody({ command: '/nonsense', text: all, team_id: WORKSPACE })),
  ]
  for (const { body, headers } of requests)
    await fetch(`${app.url}/slack/events`, { method: 'POST', body, headers })
  await fetch(`${app.url}/${encodeURIComponent(all)}`)
}

describe('secrets, planted in every flow and fault at trace level', () => {
  it('are found nowhere', { timeout: 300_000 }, async () => {
    using folder = makeFolder()
    await using collector = await startCollector()
    await using world = await startCanaries(`sqlite:${join(folder.path, 'canary.db')}`, collector.url)
    const event = eventOf('site.example')
    await world.service.storeThreat(THREAT, {
      ...event,
      id: THREAT,
      comments: [{ content: PRIVATE['a threat event’s words'], date: '2026-11-20T12:00:00.000Z' }],
    })
    await world.app.store.settings.set(WORKSPACE, ORDER_POLICY, { ...DEFAULT_POLICY, direct: true })
    const { pem, privateKey } = await makeCsr({ challenge: SECRETS['the challenge password'] })
    const keyBody = privateKey.split('\n').slice(1, -2)
    const secrets = { ...SECRETS, 'the private key': keyBody[0] ?? '' }
    await flowsOfService(world, { pem, privateKey })
    await flowsOfSlack(world, { pem, privateKey })
    await withEveryFault(world, { pem, privateKey })
    await flowsOfService(world, { pem, privateKey })
    await strangersAtTheDoor(world)
    await tried(world.slack.member.command('/hc', 'disconnect'))
    await tried(world.slack.member.submit({}, { until: 'is forgotten' }))

    const audit: AuditEntry[] = []
    for await (const row of world.app.store.audit.read({ workspaceId: WORKSPACE })) audit.push(row)
    const served = await Promise.all(
      ['/metrics', '/healthz', '/readyz'].map(async (path) =>
        (await fetch(`${world.app.url}${path}`)).text(),
      ),
    )
    const sent = (await sentBy(world)).join('\n')
    const log = world.log.join('')
    const database = () => databaseText(folder.path)

    // It all happened, and would be seen.
    expect(new Set(audit.map(({ outcome }) => outcome))).toEqual(
      new Set(['begun', 'done', 'failed', 'refused', 'unknown']),
    )
    expect(sent).toContain('Order placed')
    expect(sent).toContain(PRIVATE['a recipient'])
    expect(leaks(`x${Buffer.from(`.${TOKEN}`).toString('base64')}`, secrets)).toEqual(['the service’s token'])

    expect(leaks(log, { ...secrets, ...PRIVATE })).toEqual([])
    expect(log).not.toMatch(/BEGIN CERTIFICATE|\/response_url|hooks\.slack|evil\.example/)
    for (const line of pem.split('\n').slice(1, -2)) expect(log).not.toContain(line)
    expect(leaks(sent, secrets)).toEqual([])
    expect(leaks(JSON.stringify(audit), secrets)).toEqual([])
    expect(leaks(served.join('\n'), secrets)).toEqual([])
    expect(leaks(database(), secrets)).toEqual([])
    await world.app[Symbol.asyncDispose]()
    expect(leaks(database(), secrets)).toEqual([])
    // The last traces leave when the app stops.
    const traces = collector.bodies.join('\n')
    expect(traces).toContain('/cert-order')
    expect(leaks(traces, { ...secrets, ...PRIVATE, 'the workspace': WORKSPACE, 'a threat': THREAT })).toEqual(
      [],
    )
    everyLineHasItsReference(world.log)
  })
})

/** Lines that belong to no request of a person's, nor to work: a stranger's request, and the look whether Slack is there. */
const WITHOUT = /signature|Signalman is|stop/i
const LOOK = { to: 'slack', method: 'auth.test' }

function everyLineHasItsReference(log: readonly string[]): void {
  const lines = log.map((line): Record<string, unknown> => JSON.parse(line))
  expect(lines.length).toBeGreaterThan(200)
  const bare = lines.filter(
    ({ reference, msg, to, method }) =>
      !reference && !WITHOUT.test(String(msg)) && !(to === LOOK.to && method === LOOK.method),
  )
  expect(bare).toEqual([])
}
