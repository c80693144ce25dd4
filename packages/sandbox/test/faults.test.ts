import { afterEach, beforeEach, expect, it } from 'vitest'
import { CHECKS, errorMessages, useSandbox } from './client.ts'

const { call, ote } = useSandbox()
beforeEach(async () => void (await call('DELETE', '/_sandbox/requests')))
afterEach(async () => void (await call('PUT', '/_sandbox/faults', [])))

const setFaults = async (...faults: object[]) =>
  expect((await call('PUT', '/_sandbox/faults', faults)).status).toBe(200)

it('the fault for a request is the first one that matches and has uses left; control requests never get one', async () => {
  await setFaults(
    { kind: 'status', status: 500, path: '/auth', headers: { 'retry-after': '7' }, times: 1 },
    { kind: 'status', status: 501, path: `${CHECKS}?name=a`, times: 2 },
    { kind: 'status', status: 502, method: 'PUT' },
    { kind: 'status', status: 503, path: '/', method: 'GET', times: 1 },
  )
  const status = async (method: string, path: string) => (await call(method, path)).status
  expect(await status('GET', `${CHECKS}?name=abc`)).toBe(501)
  const failing = await call('GET', '/auth/v1/tokens')
  expect([failing.status, failing.headers.get('retry-after')]).toEqual([500, '7'])
  expect(await status('GET', '/auth/v1/tokens')).toBe(503)
  expect(await status('GET', '/auth/v1/tokens')).toBe(200)
  for (let attempt = 0; attempt < 3; attempt++) expect(await status('PUT', `${CHECKS}/x`)).toBe(502)
  expect(await status('GET', '/_sandbox/requests')).toBe(200)
  expect((await ote('PUT', `${CHECKS}/x`)).status).toBe(404)
})

it.each([[{ kind: 'explode' }], [{}], ['hang']])(
  'a fault without a known kind is rejected: %j',
  async (fault) => {
    const answer = await call('PUT', '/_sandbox/faults', [{ kind: 'hang' }, fault])
    expect([answer.status, errorMessages(answer)]).toEqual([400, [expect.stringContaining('drop-reply')]])
  },
)
