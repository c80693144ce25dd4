import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fields, Json } from '../src/protocol/json.ts'
import { isFields } from '../src/protocol/json.ts'
import { startWorld, type World } from './app.ts'

const GENERAL = 'C0GENERAL1'
let world: World
let timestamps: string[]

beforeAll(async () => {
  world = await startWorld(undefined, { rate: 'off' })
  timestamps = []
  for (const text of ['one', 'two', 'three', 'four']) {
    const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text })
    timestamps.push(String(ts))
  }
})
afterAll(() => world[Symbol.asyncDispose]())

async function send(type: string | undefined, body: string, method = 'auth.test') {
  const headers = {
    authorization: `Bearer ${world.playground.botToken}`,
    ...(type && { 'content-type': type }),
  }
  const response = await fetch(world.playground.apiUrl + method, {
    method: 'POST',
    headers,
    body: Buffer.from(body),
  })
  // Safe cast: Web API responses are objects.
  return { headers: response.headers, body: (await response.json()) as Fields }
}

describe('a response of the Web API', () => {
  it('has headers with the token’s scopes and the method’s scopes', async () => {
    const { headers } = await send('application/json', '{}', 'users.list')
    expect(headers.get('x-oauth-scopes')).toContain('chat:write')
    expect(headers.get('x-accepted-oauth-scopes')).toBe('users:read')
  })
})

describe('list methods', () => {
  it.each<[method: string, args: { [name: string]: Json }, error: string]>([
    ['users.list', { cursor: 'nope' }, 'invalid_cursor'],
    ['users.list', { cursor: Buffer.from('next:9999').toString('base64') }, 'invalid_cursor'],
    ['users.list', { limit: -4 }, 'invalid_limit'],
    ['users.list', { limit: 1000 }, 'invalid_limit'],
    ['conversations.history', { channel: GENERAL, oldest: 'yesterday' }, 'invalid_ts_oldest'],
    ['conversations.history', { channel: GENERAL, latest: 'today' }, 'invalid_ts_latest'],
    ['conversations.replies', { channel: GENERAL, ts: '1.000001' }, 'thread_not_found'],
  ])('reject invalid arguments: %s with %j (%s)', async (method, args, error) => {
    expect(await world.api(method, args)).toMatchObject({ ok: false, error })
  })

  it('return every item exactly once when they are paginated', async () => {
    const messages: Json[] = []
    let cursor = ''
    do {
      const page = await world.api('conversations.history', {
        channel: GENERAL,
        limit: 3,
        ...(cursor && { cursor }),
      })
      messages.push(...(Array.isArray(page.messages) ? page.messages : []))
      const meta = page.response_metadata
      cursor = isFields(meta) ? String(meta.next_cursor ?? '') : ''
    } while (cursor !== '' && messages.length < 20)
    expect(messages).toMatchObject([{ text: 'four' }, { text: 'three' }, { text: 'two' }, { text: 'one' }])
  })
})

describe('conversations.history', () => {
  it.each([
    { oldest: 1, latest: 3, texts: ['three'] },
    { oldest: 2, latest: undefined, texts: ['four'] },
    { oldest: undefined, latest: 1, texts: ['one'] },
  ])('returns messages between $oldest and $latest', async ({ oldest, latest, texts }) => {
    const bounds = {
      ...(oldest !== undefined && { oldest: timestamps[oldest] }),
      ...(latest !== undefined && { latest: timestamps[latest] }),
    }
    const { messages } = await world.api('conversations.history', { channel: GENERAL, ...bounds })
    expect(messages).toMatchObject(texts.map((text) => ({ text })))
  })
})

it('loses its blocks if the app edits only its text', async () => {
  const blocks = [{ type: 'divider' }]
  const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text: 'before', blocks })
  const { message } = await world.api('chat.update', { channel: GENERAL, ts, text: 'after' })
  expect(message).toMatchObject({ text: 'after' })
  expect(message).not.toHaveProperty('blocks')
})

describe('an upload', () => {
  async function requestUpload(length: number) {
    const { upload_url, file_id } = await world.api('files.getUploadURLExternal', {
      filename: 'a.csv',
      length,
    })
    return { url: String(upload_url), id: String(file_id) }
  }
  const upload = (url: string, body: string) => fetch(url, { method: 'POST', body: Buffer.from(body) })

  it('must have exactly the declared number of bytes', async () => {
    const { url, id } = await requestUpload(5)
    expect((await upload(url, 'fifteen bytes..')).status).toBe(400)
    expect(await world.api('files.completeUploadExternal', { files: [{ id }] })).toMatchObject({
      error: 'file_not_found',
    })
    expect((await upload(url, '12345')).status).toBe(200)
  })

  it('can be completed only once, and only in an existing thread', async () => {
    const { url, id } = await requestUpload(3)
    await upload(url, 'abc')
    const complete = (extraFields: object) =>
      world.api('files.completeUploadExternal', { files: [{ id }], ...extraFields })
    expect(await complete({ channel_id: GENERAL, thread_ts: '1.000001' })).toMatchObject({
      error: 'thread_not_found',
    })
    expect(await complete({ channel_id: GENERAL })).toMatchObject({ ok: true })
    expect(await complete({ channel_id: GENERAL })).toMatchObject({ error: 'file_not_found' })
  })
})
