import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { createSandboxControl, type Fault } from '../sandbox-control.ts'
import type { Finding } from './findings.ts'
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
  await expect(tryService({ base: 'http://localhost:1', token: 't' })).rejects.toThrow('fetch failed')
  await expect(run({ path: CHECKS, kind: 'status', status: 401 })).rejects.toThrow('status 401')
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
