import { describe, expect, it } from 'vitest'
import { CHECKS, checkBody, useSandbox } from './client.ts'

const { call, ote } = useSandbox({ token: 'first-token' })

it('connection tokens can be generated and listed, and only work in their own environment', async () => {
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

describe('a request', () => {
  const json = JSON.stringify(checkBody())
  it.each([
    ['an invalid body', '{"name":', 'application/json', 'The body is not JSON in UTF-8.'],
    ['JSON labeled as text', json, 'text/plain', 'The content type must be application/json.'],
    ['a list instead of an object', '[]', 'application/json', 'The body must be a JSON object.'],
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

  it.each([
    ['GET', '/unknown', 404],
    ['PATCH', CHECKS, 404],
    ['GET', '/%zz', 400],
  ])('gets an error object if the path or method is unknown: %s %s (%i)', async (method, path, status) => {
    const answer = await call(method, path)
    expect(answer.status).toBe(status)
    expect(answer.json()).toEqual({
      errors: [{ code: status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST', message: expect.any(String) }],
    })
  })
})
