import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'
import { CHECKS, checkBody, useSandbox } from './client.ts'

const { call, started } = useSandbox()
beforeEach(async () => void (await call('DELETE', '/_sandbox/requests')))

describe('the journal', () => {
  it('lists every request to the service in order, but no control requests and no tokens', async () => {
    await call('POST', CHECKS, ` ${JSON.stringify(checkBody())}`)
    await call('GET', `${CHECKS}?name=a*`, undefined, { token: 'a-secret-token' })
    await call('POST', '/ssl/v2/orders', 'no { json')
    await call('GET', '/unknown')
    const journal = await call('GET', '/_sandbox/requests', undefined, { token: null })
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(journal.json()).toEqual([
      {
        method: 'POST',
        path: CHECKS,
        status: 200,
        time,
        body: checkBody(),
        text: ` ${JSON.stringify(checkBody())}`,
      },
      { method: 'GET', path: `${CHECKS}?name=a*`, status: 401, time, body: null, text: null },
      { method: 'POST', path: '/ssl/v2/orders', status: 400, time, body: 'no { json', text: 'no { json' },
      { method: 'GET', path: '/unknown', status: 404, time, body: null, text: null },
    ])
    expect(journal.text).not.toContain('token')
  })
})

const ID = '0A0A0A0A-0000-4000-8000-000000000001'

it.each([
  ['a complete event', '{"id":"1", "domain":"a.test"}', 'a.test'],
  ['no object', '[1, 2]', null],
])('stored threat events are returned exactly as they were stored: %s', async (_name, body, domain) => {
  await call('PUT', `/_sandbox/threat-events/${ID}`, body, { token: null })
  const answer = await call('GET', `/cti/v2/events/${ID}`)
  expect([answer.status, answer.text]).toEqual([200, body])
  const list = await call('GET', '/_sandbox/threat-events', undefined, { token: null })
  expect(list.json()).toEqual([{ id: ID.toLowerCase(), domain }])
})

/** Sends a request with node:http, because `fetch` doesn't allow setting the Host header. */
function requestWithHeaders(
  headers: Record<string, string>,
  path = '/_sandbox/requests',
): Promise<{ status: number | undefined; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>()
  request(`${started().productionUrl}${path}`, { headers }, async (response) =>
    resolve({ status: response.statusCode, body: await text(response) }),
  )
    .on('error', reject)
    .end()
  return promise
}

describe('access to the controls', () => {
  it.each([
    [{ host: 'localhost:4010' }, 200],
    [{ host: '127.0.0.1', origin: 'http://localhost:3100' }, 200],
    [{ host: 'rebound.example.com' }, 403],
    [{ host: '127.0.0.1.example.com' }, 403],
    [{ host: '127.0.0.1', origin: 'https://page.example.com' }, 403],
  ])('depends on the headers: %j (%i)', async (headers, status) => {
    const answer = await requestWithHeaders(headers)
    expect(answer.status).toBe(status)
    const escaped = await requestWithHeaders(
      { authorization: 'Bearer sandbox-token', ...headers },
      '/%5Fsandbox/requests',
    )
    expect([escaped.status, escaped.body.includes('%5F')]).toEqual([status, false])
    if (status === 403) expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ code: 'FORBIDDEN' }] })
  })
})
