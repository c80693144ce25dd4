import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../src/protocol/json.ts'
import { isFields } from '../src/protocol/json.ts'
import { startWorld, type World } from './app.ts'

const GENERAL = 'C0GENERAL1'
let world: World
let timestamps: string[]

beforeAll(async () => {
  world = await startWorld(undefined, {})
  timestamps = []
  for (const text of ['one', 'two', 'three', 'four']) {
    const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text })
    timestamps.push(String(ts))
  }
})
afterAll(() => world[Symbol.asyncDispose]())

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

it.each([
  { oldest: 1, latest: 3, texts: ['three'] },
  { oldest: 2, latest: undefined, texts: ['four'] },
  { oldest: undefined, latest: 1, texts: ['one'] },
])(
  'conversations.history returns messages between $oldest and $latest',
  async ({ oldest, latest, texts }) => {
    const bounds = {
      ...(oldest !== undefined && { oldest: timestamps[oldest] }),
      ...(latest !== undefined && { latest: timestamps[latest] }),
    }
    const { messages } = await world.api('conversations.history', { channel: GENERAL, ...bounds })
    expect(messages).toMatchObject(texts.map((text) => ({ text })))
  },
)

async function requestUpload(length: number) {
  const { upload_url, file_id } = await world.api('files.getUploadURLExternal', {
    filename: 'a.csv',
    length,
  })
  return { url: String(upload_url), id: String(file_id) }
}
const upload = (url: string, body: string) => fetch(url, { method: 'POST', body: Buffer.from(body) })

it('an upload can be completed only once, and only in an existing thread', async () => {
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
