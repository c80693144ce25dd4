import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { CHECKS, checkBody, createClient, errorMessages, useSandbox, waitUntil } from './client.ts'

const { call, ote } = useSandbox()
beforeEach(async () => void (await call('DELETE', '/_sandbox/requests')))
afterEach(async () => void (await call('PUT', '/_sandbox/faults', [])))

const setFaults = async (...faults: object[]) =>
  expect((await call('PUT', '/_sandbox/faults', faults)).status).toBe(200)
const countChecks = async (name: string) =>
  (await call('GET', `${CHECKS}?name=${name}`)).json<{ data: { total: number } }>().data.total
const readJournal = async () =>
  (await call('GET', '/_sandbox/requests')).json<{ fault?: string; status: number | null }[]>()

describe('a fault', () => {
  it('can leave a request hanging without handling it', async () => {
    await setFaults({ kind: 'hang', method: 'POST', path: CHECKS, times: 1 })
    const canceling = new AbortController()
    const hanging = call('POST', CHECKS, checkBody({ name: 'hang' }), { signal: canceling.signal })
    hanging.catch(() => {})
    await waitUntil(async () => (await readJournal()).some(({ fault }) => fault === 'hang'))
    canceling.abort()
    await expect(hanging).rejects.toThrow('abort')
    expect(await countChecks('hang')).toBe(0)
    expect(await readJournal()).toMatchObject([{ fault: 'hang', status: null, body: { name: 'hang' } }, {}])
  })

  it('can return a status with an error object and headers, without handling the request', async () => {
    await setFaults({ kind: 'status', status: 429, headers: { 'retry-after': '7' }, times: 1 })
    const answer = await call('POST', CHECKS, checkBody({ name: 'status' }), { token: null })
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(answer.json()).toEqual({ errors: [{ code: 'TOO_MANY_REQUESTS', message: expect.any(String) }] })
    expect(await countChecks('status')).toBe(0)
    expect(await readJournal()).toMatchObject([{ fault: 'status', status: 429 }, {}])
  })

  it('doesn’t prevent the sandbox from stopping', async () => {
    const stoppingSandbox = await startSandbox({ seed: false, checking: false })
    const client = createClient(stoppingSandbox.productionUrl)
    await client('PUT', '/_sandbox/faults', [
      { kind: 'hang', times: 1 },
      { kind: 'delay', ms: 3_600_000, times: 1 },
    ])
    const requests = [1, 2].map(() => client('GET', CHECKS))
    const settled = Promise.allSettled(requests)
    await waitUntil(async () => (await client('GET', '/_sandbox/requests')).json<unknown[]>().length === 2)
    await stoppingSandbox[Symbol.asyncDispose]()
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

it('the fault for a request is the first one that matches and has uses left; control requests never get one', async () => {
  await setFaults(
    { kind: 'status', status: 500, path: '/auth', times: 1 },
    { kind: 'status', status: 501, path: `${CHECKS}?name=a`, times: 2 },
    { kind: 'status', status: 502, method: 'PUT' },
    { kind: 'status', status: 503, path: '/', method: 'GET', times: 1 },
  )
  const status = async (method: string, path: string) => (await call(method, path)).status
  expect(await status('GET', `${CHECKS}?name=abc`)).toBe(501)
  expect(await status('GET', '/auth/v1/tokens')).toBe(500)
  expect(await status('GET', '/auth/v1/tokens')).toBe(503)
  expect(await status('GET', '/auth/v1/tokens')).toBe(200)
  for (let attempt = 0; attempt < 3; attempt++) expect(await status('PUT', `${CHECKS}/x`)).toBe(502)
  expect(await status('GET', '/_sandbox/requests')).toBe(200)
  expect((await ote('PUT', `${CHECKS}/x`)).status).toBe(404)
})

it('a malformed fault is rejected with a message for each invalid field', async () => {
  const malformed = [
    ...[{ path: '/' }, { kind: 'explode' }, { kind: 'delay' }, { kind: 'status' }, { kind: 'body' }],
    ...[{ kind: 'hang', delay: 5 }, 'hang'],
  ]
  expect(errorMessages(await call('PUT', '/_sandbox/faults', malformed))).toEqual([
    '[0].kind is missing.',
    '[1].kind must be one of delay, hold, hang, reset, drop-reply, status, body.',
    '[2].ms is missing.',
    '[3].status is missing.',
    '[4].body is missing.',
    '[5].delay is not a known field; leave it out.',
    '[6] must be an object.',
  ])
})
