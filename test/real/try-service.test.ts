import { createServer } from 'node:http'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { listen } from '../../bench/parts/listen.ts'
import { createSandboxControl, type Fault } from '../sandbox-control.ts'
import { describeMissing, type Finding, readArguments, writeReport } from './findings.ts'
import { tryService } from './try-service.ts'

const CHECKS = '/healthcheck/v1/healthchecks'

/** Runs everything against a sandbox with these faults. Leaves out what is as expected. */
async function run(...faults: Fault[]): Promise<{ found: Finding[]; methods: Set<unknown> }> {
  await using sandbox = await startSandbox({ checking: false })
  const { productionUrl: base, token } = sandbox
  const control = createSandboxControl(sandbox)
  const [event] = await control.threats()
  await control.faults(...faults)
  const findings = await tryService({ base, token, eventId: event?.id })
  const methods = new Set((await control.requests()).map(({ method }) => method))
  return { found: findings.filter(({ result }) => result !== 'as expected'), methods }
}

it('finds the sandbox as the app expects it, and only reads', async () => {
  expect(await run()).toEqual({ found: [], methods: new Set(['GET']) })
})

it('compares nothing if the service doesn’t answer, or not for this token', async () => {
  await expect(tryService({ base: 'http://127.0.0.1:59999', token: 't' })).rejects.toThrow(
    'doesn’t answer (ECONNREFUSED). Check',
  )
  await expect(run({ path: CHECKS, kind: 'status', status: 401 })).rejects.toThrow('doesn’t accept the token')
})

it.each([0, 1])('says of an account with %s checks what couldn’t be tried', async (count) => {
  const row = { uuid: 'a', name: 'web', status: 'HEALTHY', protocol: 'TCP', target: 'web', customer_id: 1 }
  const few = { total: count, limit: 100, results: [row].slice(0, count) }
  const { found } = await run({
    ...{ method: 'GET', path: CHECKS, kind: 'body' },
    body: { message: 'OK', data: few },
  })
  const notTried = found.filter(({ result }) => result === 'couldn’t be tried').map(({ check }) => check)
  expect(notTried).toEqual(
    expect.arrayContaining(['limit and offset page through one order', 'sort by uuid']),
  )
  expect(notTried.includes('filter by status')).toBe(count === 0)
})

it('says which argument is wrong, and which value is missing', () => {
  expect(() => readArguments({ args: ['--bas', 'x'], options: {} }, 'USAGE')).toThrow(/--bas.*USAGE/s)
  expect(describeMissing({ API_TOKEN: '', base: 'https://x.example', other: undefined }, 'USAGE')).toBe(
    'Missing: API_TOKEN, other.\n\nUSAGE',
  )
})

it('says that a report can’t be written, not that nothing could be tried', () => {
  expect(() => writeReport('no-folder/report.json', {}, [])).toThrow('couldn’t be written (ENOENT)')
})

it('compares nothing if answers are cut off', async () => {
  const server = createServer((_, response) => {
    response.setHeader('content-length', 100)
    response.write('{"message":', () => response.destroy())
  })
  try {
    const base = await listen(server)
    await expect(tryService({ base, token: 't' })).rejects.toThrow(base)
  } finally {
    server.close()
  }
})

it('reports unknown and missing fields, other types, other errors, and other rows', async () => {
  const row = { uuid: 'a', name: 'web', port: { number: 443 }, region: 'eu' }
  const { found } = await run(
    {
      method: 'GET',
      path: `${CHECKS}?status=HEALTHY`,
      kind: 'body',
      body: { message: 'OK', data: { total: 1, results: [row] } },
    },
    {
      method: 'GET',
      path: `${CHECKS}?limit=500`,
      kind: 'body',
      body: { message: 'OK', data: { total: 1, results: [row] } },
    },
    { method: 'GET', path: '/auth/v1/tokens', kind: 'status', status: 403, body: { error: 'no' } },
    { method: 'GET', path: '/cti/v2/events/0', kind: 'status', status: 404, body: { title: 'Nothing' } },
  )
  expect(Object.fromEntries(found.map(({ check, came }) => [check, came]))).toMatchObject({
    'fields of the list': expect.stringMatching(
      /another type: data\.results\[\]\.port.*unknown field results\.region.*no field results\.frequency/,
    ),
    'fields of tokens': 'status 403',
    '404 NOT_FOUND for an unknown threat event': '404 with the fields title',
    'filter by status': expect.stringContaining('1 of another status'),
  })
})

const OTHER = { method: 'GET', path: `${CHECKS}?status=HEALTHY` }
const body = (results: unknown, total: unknown = 1) =>
  ({ kind: 'body', body: { message: 'OK', data: { total, results } } }) as const

it.each([
  ['a fault of its own', { kind: 'status', status: 500 }, 'couldn’t be tried', 'status 500'],
  [
    'a proxy in between',
    { kind: 'status', status: 503, body: { html: '<p>' } },
    'couldn’t be tried',
    'status 503',
  ],
  ['a connection that breaks', { kind: 'reset', ms: 1 }, 'couldn’t be tried', 'no answer'],
  [
    'a token that is revoked meanwhile',
    { kind: 'status', status: 401 },
    'couldn’t be tried',
    'doesn’t accept the token',
  ],
  ['a text', { kind: 'body', body: 'Log in' }, 'couldn’t be tried', 'something other than the service'],
  ['an answer that is lost', { kind: 'drop-reply' }, 'couldn’t be tried', 'no answer'],
  ['a limit without an end', { kind: 'status', status: 429 }, 'different', '429'],
  [
    'a long limit',
    { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
    'couldn’t be tried',
    '600',
  ],
  ['a refusal', { kind: 'status', status: 403 }, 'different', 'status 403'],
  ['no list', body({}), 'different', 'status 200'],
  [
    'rows of another status',
    body([{ uuid: 'a', name: 'a', status: 'UNHEALTHY' }]),
    'different',
    '1 of another status',
  ],
  ['a list of texts', body(['a']), 'different', 'another status'],
  ['nothing at all', { kind: 'body', body: {} }, 'different', 'status 200'],
] as const)('says of %s what it knows', async (_name, fault, result, came) => {
  const { found } = await run({ ...OTHER, ...fault })
  const found1 = found.find(({ check }) => check === 'filter by status')
  expect(found1).toEqual({ check: 'filter by status', result, came: expect.stringContaining(came) })
})
