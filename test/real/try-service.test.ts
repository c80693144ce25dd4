import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { createSandboxControl, type Fault } from '../sandbox-control.ts'
import type { Finding } from './findings.ts'
import { tryService } from './try-service.ts'

const CHECKS = '/healthcheck/v1/healthchecks'

/** Runs everything against a sandbox with these faults. Leaves out what is as expected. */
async function run(...faults: Fault[]): Promise<{ found: Finding[]; isClean: boolean; left: number }> {
  await using sandbox = await startSandbox({ checking: false })
  const { productionUrl: base, oteUrl, token } = sandbox
  const control = createSandboxControl(sandbox)
  const [event] = await control.threats()
  const ote = createSandboxControl({ ...sandbox, productionUrl: oteUrl })
  const before = await ote.countChecks()
  await control.faults(...faults)
  const { findings, isClean } = await tryService({
    base,
    token,
    eventId: event?.id,
    ote: { base: oteUrl, token },
  })
  const found = findings.filter(({ result }) => result !== 'as expected')
  return { found, isClean, left: (await ote.countChecks()) - before }
}

it('finds the sandbox as the app expects it, and leaves nothing in it', async () => {
  expect(await run()).toEqual({ found: [], isClean: true, left: 0 })
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
