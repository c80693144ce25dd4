import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'
import { CHECKS, type Client, checkBody, createClient, errorMessages } from './client.ts'

let sandbox: Sandbox
let call: Client

beforeAll(async () => {
  sandbox = await startSandbox({ seed: false, checking: false, token: 'first-token' })
  call = createClient(sandbox.productionUrl, 'first-token')
})
afterAll(() => sandbox[Symbol.asyncDispose]())

describe('the bearer token', () => {
  it('isn’t accepted with a different authentication scheme', async () => {
    const answer = await call('GET', CHECKS, undefined, { headers: { authorization: 'Basic first-token' } })
    expect(answer.status).toBe(401)
  })
})

describe('connection tokens', () => {
  it('can be generated and listed, and only work in their own environment', async () => {
    const ote = createClient(sandbox.oteUrl, 'first-token')
    const generated = await call('POST', '/auth/v1/tokens', {})
    expect(generated.status).toBe(200)
    // GenerateResult: { message, data: [{ token, account_id }] }.
    const { data } = generated.json<{ data: { token: string }[] }>()
    expect(data).toEqual([{ token: expect.stringMatching(/^\S{20,}$/), account_id: '100001' }])
    const token = data[0]?.token ?? ''

    const listed = await call('GET', '/auth/v1/tokens', undefined, { token })
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(listed.json()).toEqual({
      message: 'OK',
      data: [
        { data: 'first-token', created_at },
        { data: token, created_at },
      ],
    })
    expect((await ote('GET', '/auth/v1/tokens', undefined, { token })).status).toBe(401)
  })

  it('can be generated without a request body, but not with an invalid one', async () => {
    expect((await call('POST', '/auth/v1/tokens')).status).toBe(200)
    expect(
      (await call('POST', '/auth/v1/tokens', '', { headers: { 'content-type': 'application/json' } })).status,
    ).toBe(200)
    expect((await call('POST', '/auth/v1/tokens', '{')).status).toBe(400)
  })
})

describe('a request', () => {
  const json = JSON.stringify(checkBody())
  it.each([
    ['an invalid body', '{"name":', 'application/json', 'The body is not JSON in UTF-8.'],
    [
      'bytes that aren’t UTF-8',
      Uint8Array.of(0x22, 0xff, 0x22),
      'application/json',
      'The body is not JSON in UTF-8.',
    ],
    ['a form', 'name=x', 'application/x-www-form-urlencoded', 'The content type must be application/json.'],
    ['JSON labeled as text', json, 'text/plain', 'The content type must be application/json.'],
    [
      'a type that only begins like JSON',
      json,
      'application/jsonx',
      'The content type must be application/json.',
    ],
    ['a list instead of an object', '[]', 'application/json', 'The body must be a JSON object.'],
    ['null instead of an object', 'null', 'application/json', 'The body must be a JSON object.'],
    ['no body', '', 'application/json', 'The body is empty; send JSON.'],
    [
      'a body that is too large',
      `"${'x'.repeat(1024 * 1024)}"`,
      'application/json',
      'The body is too large.',
    ],
  ])('gets status 400 if it has %s', async (_name, body, type, message) => {
    const answer = await call('POST', CHECKS, body, { headers: { 'content-type': type } })
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual({ errors: [{ code: 'BAD_REQUEST', message }] })
  })

  it('can have a charset in its content type', async () => {
    const answer = await call('POST', CHECKS, json, {
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(answer.status).toBe(200)
  })

  it.each([
    ['GET', '/unknown', 404],
    ['GET', '/', 404],
    ['PATCH', CHECKS, 404],
    ['DELETE', '/auth/v1/tokens', 404],
    ['GET', '/ssl/v2/orders', 404],
    ['GET', '/%zz', 400],
  ])('gets an error object if the path or method is unknown: %s %s (%i)', async (method, path, status) => {
    const answer = await call(method, path)
    expect(answer.status).toBe(status)
    expect(answer.json()).toEqual({
      errors: [{ code: status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST', message: expect.any(String) }],
    })
  })

  it('gets an error object even if it isn’t valid HTTP', async () => {
    const socket = connect({ port: Number(new URL(sandbox.productionUrl).port), host: '127.0.0.1' })
    socket.end('nonsense\r\n\r\n')
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    const answer = Buffer.concat(chunks).toString()
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toContain('{"errors":[{"code":"BAD_REQUEST"')
  })

  it('is rejected without crashing the sandbox if it contains half a million nested lists', async () => {
    const deep = '['.repeat(500_000) + ']'.repeat(500_000)
    expect(errorMessages(await call('POST', CHECKS, `{"name":${deep}}`))).toContain(
      'name must be a string of 1 to 255 characters.',
    )
    expect((await call('POST', '/ssl/v2/orders', `{"data":${deep}}`)).status).toBe(400)
    const journal = await call('GET', '/_sandbox/requests', undefined, { token: null })
    expect(journal.status).toBe(200)
    expect(journal.text).toContain(deep)
    await call('DELETE', '/_sandbox/requests', undefined, { token: null })
  })
})
