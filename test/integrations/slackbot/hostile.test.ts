import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { ID, startWorldWithThreat } from '../../features/threats/world.ts'
import { createHostileTexts } from '../../hostile-texts.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, type Random, readSeed } from '../../random.ts'
import { SIGNING_SECRET, WORKSPACE, type World } from '../../world.ts'

const CALLS = quickOrLong('HOSTILE_CALLS', { quick: 300, long: 3000 })
const CONCURRENT = 10
const SEED = readSeed()
const TEXTS = createHostileTexts(300, SEED).map(({ text }) => text)

const PEOPLE = ['U0MEMBER01', 'U0GUEST001', 'U0FOREIGN1', 'U0LEFT0001', 'U0NOBODY99', '', 7, null]
const TEAMS = [WORKSPACE, WORKSPACE, WORKSPACE, 'T0PARTNER1', 'T0NOTHERE1', null, 'E0EXAMPLE1']
const TOOLS = [
  'run',
  'run',
  'hc',
  'hc_list',
  'hc_show',
  'hc_history',
  'threat',
  'threat_details',
  'cert_order_show',
]
const UNKNOWN_TOOLS = [
  '',
  'RUN',
  'run ',
  '__proto__',
  'constructor',
  'threat_whois',
  'hc_connect',
  'x'.repeat(5000),
]
/** Lines that only people may run, lines that change something, and texts that only look like a line. */
const LINES = [
  '/hc connect',
  '/hc tokens',
  '/hc token-create x',
  '/hc grant <@U0GUEST001> admin',
  '/hc disconnect',
  '/cert-order approve 1 x',
  '/cert-order reject 1',
  '/cert-order resolve 1 received',
  '/cert-order settings',
  `/threat whois ${ID}`,
  `/threat ${ID} --whois`,
  `/threat ${ID} --personal`,
  `/threat ${ID} --share --yes`,
  `/threat take ${ID}`,
  `/threat kit ${ID}`,
  '/hc delete web-1',
  '/hc edit web-* --frequency 60',
  '/hc mute all 1d',
  '/hc watch all',
  '/hc list --share',
  `/hc list\n/threat whois ${ID}`,
  '/hc list; /hc delete web-1',
  'hc list',
  `//threat ${ID} --whois`,
  `/THREAT WHOIS ${ID}`,
  `/threat “${ID}” —whois`,
  '/hc',
  `/threat ${ID}`,
]
const FLAGS = ['', ' --env ote', ' --whois', ' --share', ' --yes', ' --page 99999999', ' --from "/hc list"']

function createAnything(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 2 ? 4 : 8)
  if (kind === 0) return random.oneOf(TEXTS)
  if (kind === 1) return random.oneOf([0, -1, 1e308, true, false, null])
  if (kind === 2) return 'A'.repeat(random.oneOf([0, 22, 2000, 100_000]))
  if (kind === 3) return ID
  if (kind === 4) return Array.from({ length: random.below(4) }, () => createAnything(random, depth + 1))
  if (kind === 5) return JSON.parse(`{"__proto__": {"line": "/hc delete web-1"}, "toString": 1}`)
  return random.oneOf(LINES) + random.oneOf(FLAGS)
}

function createArguments(random: Random): unknown {
  if (random.below(20) === 0) return createAnything(random)
  const names = [
    'words',
    'line',
    'offer',
    'env',
    'status',
    'page',
    'whois',
    'share',
    'user_id',
    'team_id',
    '__proto__',
  ]
  return Object.fromEntries([
    ['line', random.oneOf(LINES) + random.oneOf(FLAGS)],
    ...Array.from({ length: random.below(4) }, () => [random.oneOf(names), createAnything(random)] as const),
  ])
}

function createBody(random: Random, id: number): string {
  const name = random.oneOf(random.below(8) === 0 ? UNKNOWN_TOOLS : TOOLS)
  const slack = { user_id: random.oneOf(PEOPLE), team_id: random.oneOf(TEAMS) }
  const params = {
    name,
    arguments: createArguments(random),
    _meta: random.below(20) === 0 ? createAnything(random) : { slack },
  }
  const method = random.below(20) === 0 ? random.oneOf(['tools/list', 'initialize', 'x', '']) : 'tools/call'
  const request = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  return random.below(25) === 0 ? request.slice(0, random.below(request.length)) : request
}

function send(world: World, body: string, atSeconds = Math.floor(Date.now() / 1000)): Promise<Response> {
  const digest = createHmac('sha256', SIGNING_SECRET).update(`v0:${atSeconds}:${body}`).digest('hex')
  return post(world, body, { at: String(atSeconds), signature: `v0=${digest}` })
}

const post = (world: World, body: string, { at, signature }: { at: string; signature: string }) =>
  fetch(new URL('/slack/mcp', world.app.url), {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-slack-request-timestamp': at,
      'x-slack-signature': signature,
    },
  })

it(`survives ${CALLS} hostile calls without an error, a change, or leaked personal data (SEED=${SEED})`, {
  timeout: 240_000,
}, async () => {
  process.stdout.write(`SEED=${SEED}\n`)
  const random = createRandom(SEED)
  await using world = await startWorldWithThreat(() => undefined, {
    features: ['slackbot'],
    checks: [{ name: 'web-1' }, { name: 'web-2' }],
  })
  await world.service.clearRequests()
  const secrets = [world.sandbox.token, SIGNING_SECRET, world.playground.botToken]
  const countsByStatus = new Map<number, number>()
  for (let sent = 0; sent < CALLS; sent += CONCURRENT)
    await Promise.all(
      Array.from({ length: CONCURRENT }, async (_, nth) => {
        const body = createBody(random, sent + nth)
        const answer = await send(world, body)
        const text = await answer.text()
        countsByStatus.set(answer.status, (countsByStatus.get(answer.status) ?? 0) + 1)
        const exchange = `${body.slice(0, 400)} → ${answer.status} ${text.slice(0, 400)}`
        expect(answer.status, exchange).toBeLessThan(500)
        expect(text, exchange).not.toMatch(/Somebody|owner(?:@|\[@\])|Example Organisation/)
        for (const secret of secrets) expect(text.includes(secret), exchange).toBe(false)
      }),
    )
  process.stdout.write(`${JSON.stringify(Object.fromEntries(countsByStatus))}\n`)
  expect(countsByStatus.get(200)).toBeGreaterThan(CALLS / 2)
  expect((await world.service.requests()).filter(({ method }) => method !== 'GET')).toEqual([])
  const allRows = await world.app.store.audit.search({
    workspaceId: WORKSPACE,
    withIntents: true,
    limit: 5000,
  })
  const rows = allRows.filter(({ verb }) => verb !== 'test.roles')
  const done = rows.filter(({ outcome }) => outcome !== 'refused')
  expect(done.filter(({ verb }) => !/^\/threat(?: details)?$/.test(verb))).toEqual([])
  expect(rows.filter(({ object }) => !object?.includes('through Slackbot'))).toEqual([])
  const log = world.log.join('\n')
  for (const secret of [...secrets, 'owner@']) expect(log.includes(secret), secret.slice(0, 8)).toBe(false)
  expect(world.log.filter((line) => /"level":(?:50|60)/.test(line))).toEqual([])
})

it('accepts a signature only for its own bytes and time', async () => {
  await using world = await startWorldWithThreat(() => undefined, { features: ['slackbot'] })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const now = Math.floor(Date.now() / 1000)
  expect((await send(world, body, now)).status).toBe(200)
  for (const seconds of [now - 400, now + 400]) expect((await send(world, body, seconds)).status).toBe(401)
  const digest = createHmac('sha256', SIGNING_SECRET).update(`v0:${now}:${body}`).digest('hex')
  const replayed = { at: String(now), signature: `v0=${digest}` }
  expect((await post(world, `${body} `, replayed)).status).toBe(401)
  expect((await post(world, body, { ...replayed, at: String(now - 1) })).status).toBe(401)
  expect((await post(world, body, replayed)).status).toBe(200)
})
