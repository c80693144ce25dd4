import { beforeEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { readHost } from '../src/target.ts'
import { CHECKS, checkBody, createCheck, createClient, useSandbox, waitUntil } from './client.ts'

const { call, ote } = useSandbox()
beforeEach(async () => {
  for (const environment of [call, ote]) {
    const { data } = (await environment('GET', CHECKS)).json<{ data: { results: { uuid: string }[] } }>()
    for (const { uuid } of data.results) await environment('DELETE', `${CHECKS}/${uuid}`)
  }
})

const HTTPS = { protocol: 'HTTPS', target: 'https://shop.example.com/health', port: 443 }

describe('creating a health check', () => {
  it('is rejected with a message for each missing, invalid, or unknown field', async () => {
    const answer = await call('POST', CHECKS, {
      ...{ name: '', customer_id: '7', protocol: 'UDP', target: 'no target', port: 0, verify_ssl: 'true' },
      ...{ http_server_address: 'shop.example.com', status: 'HEALTHY', ['__proto__']: {} },
    })
    expect(answer.status).toBe(400)
    const messages = [
      'name must be a string of 1 to 255 characters.',
      'customer_id must be a whole number from 1 to 9007199254740991.',
      'protocol must be one of TCP, HTTP, HTTPS.',
      'target must be an IPv4 address, an IPv6 address, a domain or an http(s) URL.',
      'port must be a whole number from 1 to 65535.',
      'frequency is missing.',
      'http_server_address must be an IPv4 or IPv6 address.',
      'verify_ssl must be true or false.',
      'status is not a known field; leave it out.',
      '__proto__ is not a known field; leave it out.',
    ]
    expect(answer.json()).toEqual({ errors: messages.map((message) => ({ code: 'BAD_REQUEST', message })) })
    const names = (await call('POST', CHECKS, {})).text.match(/\w+(?= is missing)/g)
    expect(names).toEqual(['name', 'customer_id', 'protocol', 'target', 'port', 'frequency'])
  })

  it('returns BAD_CONTEXT if the customer already has a check with the same name, ignoring case', async () => {
    await createCheck(call)
    const duplicate = await call('POST', CHECKS, checkBody({ name: 'SHOP' }))
    expect(duplicate.status).toBe(409)
    expect(duplicate.text).toContain('"code":"BAD_CONTEXT"')
    await createCheck(call, { customer_id: 1200 })
    await createCheck(ote)
  })
})

it('a new check is up after a second, unless a control has set its status', async () => {
  await using sandbox = await startSandbox({ seed: false })
  const client = createClient(sandbox.productionUrl)
  const down = await createCheck(client, { name: 'Down' })
  await client('PUT', `/_sandbox/health-checks/${down}/status`, { status: 'UNHEALTHY' })
  const up = await createCheck(client, { name: 'Up' })
  const readStatus = async (uuid: string) =>
    (await client('GET', `${CHECKS}/${uuid}`)).json<{ data: { status: string } }>().data.status
  await waitUntil(async () => (await readStatus(up)) === 'HEALTHY')
  expect(await readStatus(down)).toBe('UNHEALTHY')
})

it.each([
  ['2001:db8::1', '2001:db8::1'],
  ['http://[2001:db8::1]:8080/a', '2001:db8::1'],
  ['https://shop.example.com', 'shop.example.com'],
  ['no target', undefined],
  ['shop.example.com/path', undefined],
  ['javascript:alert(1)', undefined],
])('the host of the target %j is %s', (target, host) => {
  expect(readHost(target)).toBe(host)
})

describe('reading a health check', () => {
  it('returns customer_id, port, frequency, and verify_ssl as strings', async () => {
    const uuid = await createCheck(call, { ...HTTPS, http_server_address: '127.0.0.1' })
    expect((await call('GET', `${CHECKS}/${uuid}`)).json()).toMatchObject({
      message: 'OK',
      data: {
        customer_id: '1100',
        port: '443',
        frequency: '60',
        verify_ssl: 'true',
        http_server_address: '127.0.0.1',
      },
    })
  })

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['localhost', '127.0.0.1'],
    ['shop.example.com', '192.0.2.150'],
  ])('returns the address that %s resolves to if no address was set: %s', async (target, address) => {
    const body = { ...HTTPS, target }
    const uuid = await createCheck(call, body)
    const updated = await call('PUT', `${CHECKS}/${uuid}`, checkBody({ ...body, frequency: 90 }))
    expect((await call('GET', `${CHECKS}/${uuid}`)).json()).toMatchObject({
      data: { frequency: '90', http_server_address: address },
    })
    expect(`${updated.text}${(await call('GET', CHECKS)).text}`).not.toContain('http_server_address')
  })
})

describe('updating a health check', () => {
  it('replaces all fields, and resets missing ones to their defaults', async () => {
    const uuid = await createCheck(call, {
      ...HTTPS,
      http_server_address: '127.0.0.1',
      verify_ssl: false,
    })
    const answer = await call('PUT', `${CHECKS}/${uuid}`, checkBody({ ...HTTPS, name: 'Outlet' }))
    expect(answer.status).toBe(200)
    expect(answer.json()).toMatchObject({
      message: 'OK',
      data: { uuid, name: 'Outlet', port: 443, verify_ssl: true },
    })
    expect(answer.text).not.toContain('http_server_address')
  })
})

it('deleting a health check returns only a message, and also deletes the check’s alerts', async () => {
  const uuid = await createCheck(call)
  await call('POST', `${CHECKS}/${uuid}/alerts`, { type: 'EMAIL', recipients: ['a@example.com'] })
  const answer = await call('DELETE', `${CHECKS}/${uuid}`)
  expect([answer.status, answer.text]).toEqual([200, '{"message":"OK"}'])
  expect((await call('GET', `${CHECKS}/${uuid}/alerts`)).status).toBe(404)
  expect((await call('DELETE', `${CHECKS}/${uuid}`)).status).toBe(404)
})
