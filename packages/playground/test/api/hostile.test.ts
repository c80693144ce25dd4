import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, startWorld, type World } from '../app.ts'

// The sources of the expected answers are at each case: Slack's documentation, or what developers recorded; November 2026.

const GENERAL = 'C0GENERAL1'
const post = { channel: GENERAL, text: 'x' }
const plain = (text: string): Fields => ({ type: 'plain_text', text })

let world: World
beforeAll(async () => {
  world = await startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })
})
afterAll(() => world[Symbol.asyncDispose]())

const FORM = 'application/x-www-form-urlencoded'
async function call(
  method: string,
  type: string | undefined,
  body: string,
  token = world.playground.botToken,
) {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(type && { 'content-type': type }),
  }
  const response = await fetch(world.playground.apiUrl + method, { method: 'POST', headers, body })
  const answer: unknown = await response.json()
  return { status: response.status, ...(isFields(answer) && answer) }
}

/** Nests a rich text block in itself. */
function nest(depth: number): Fields {
  let block: Fields = { type: 'rich_text_section', elements: [] }
  for (let count = 0; count < depth; count += 1) block = { type: 'rich_text', elements: [block] }
  return block
}

describe('an argument of the wrong type', () => {
  it.each<[method: string, args: Fields, error: string, note?: string]>([
    // node-slack-sdk#780 and python-slack-sdk#840: Slack posts it where nobody sees it.
    ['chat.postMessage', { ...post, thread_ts: 1_795_688_958.2 }, 'invalid_thread_ts'],
    ['chat.postMessage', { ...post, thread_ts: ['1.000001'] }, 'invalid_arguments', '/thread_ts'],
    ['chat.postMessage', { ...post, channel: [GENERAL] }, 'invalid_arguments', '/channel'],
    ['chat.postMessage', { ...post, channel: { id: GENERAL } }, 'invalid_arguments', '/channel'],
    ['chat.postMessage', { ...post, channel: null }, 'invalid_arguments', 'missing required field: channel'],
    ['chat.postMessage', { ...post, text: { a: 1 } }, 'invalid_arguments', '/text'],
    ['users.info', { user: true }, 'invalid_arguments', '/user'],
    ['conversations.history', { channel: GENERAL, cursor: {} }, 'invalid_arguments', '/cursor'],
  ])('is refused by %s: %j (%s)', async (method, args, error, note = '') => {
    const answer = await world.api(method, args)
    expect(answer.error).toBe(error)
    expect(JSON.stringify(answer.response_metadata ?? '')).toContain(note)
  })
})

describe('JSON and forms', () => {
  it.each([
    ['blocks=[{"type"', 'invalid_blocks_format'],
    ['blocks={"blocks":[{"type":"divider"}]}', 'invalid_blocks_format'],
    ['metadata=nope', 'invalid_metadata_format'],
  ])('broken JSON in a form field is refused: %s (%s)', async (field, error) => {
    expect(await call('chat.postMessage', FORM, `channel=${GENERAL}&text=x&${field}`)).toMatchObject({
      error,
    })
  })

  it('of an argument that occurs twice, the last value counts, in a form and in the URL', async () => {
    expect(
      await call('chat.postMessage', FORM, `channel=C0NOPE&channel=${GENERAL}&text=a&text=b`),
    ).toMatchObject({ ok: true, message: { text: 'b' } })
    expect(await call(`conversations.info?channel=C0NOPE&channel=${GENERAL}`, undefined, '')).toMatchObject({
      channel: { name: 'general' },
    })
  })

  it('the arguments in the body take precedence over those in the URL', async () => {
    const body = JSON.stringify({ ...post, text: 'body' })
    expect(await call('chat.postMessage?channel=C0NOPE&text=url', 'application/json', body)).toMatchObject({
      message: { text: 'body' },
    })
  })
})

describe('nested blocks', () => {
  it.each<[blocks: Json, error: string]>([
    [[{ type: 'actions', elements: [{ type: 'section', text: plain('x') }] }], 'invalid_blocks'],
    [[[{ type: 'divider' }]], 'invalid_blocks_format'],
    [[null], 'invalid_blocks_format'],
    [[{ type: 5 }], 'invalid_blocks'],
    [[{ type: 'section', text: 'text' }], 'invalid_blocks'],
  ])('are refused in the wrong place: %j (%s)', async (blocks, error) => {
    expect(await world.api('chat.postMessage', { ...post, blocks })).toMatchObject({ ok: false, error })
  })

  it('are refused at any depth', async () => {
    const send = (depth: number) => world.api('chat.postMessage', { ...post, blocks: [nest(depth)] })
    expect(await send(100)).toMatchObject({ status: 200, error: 'invalid_blocks' })
    expect(await send(2000)).toMatchObject({ status: 200, error: 'invalid_json' })
    const form = new URLSearchParams({ ...post, blocks: '['.repeat(100_000) + ']'.repeat(100_000) })
    expect(await call('chat.postMessage', FORM, form.toString())).toMatchObject({
      status: 200,
      error: 'invalid_blocks_format',
    })
  })
})

describe('a token', () => {
  it.each([
    ['"xoxb-playground"', 'invalid_auth'],
    // https://docs.slack.dev/reference/methods/chat.postMessage: “The token type used in this request is not allowed.”
    ['xapp-playground', 'not_allowed_token_type'],
  ])('%s gets %s', async (token, error) => {
    expect(await world.api('chat.postMessage', post, token)).toMatchObject({ error })
  })

  it('can be in the header or in a form, but not in JSON or in the URL', async () => {
    const { botToken } = world.playground
    const inJson = JSON.stringify({ token: botToken })
    expect(await call('auth.test', FORM, `token=${botToken}`, '')).toMatchObject({ ok: true })
    expect(await call('auth.test', 'application/json', inJson, '')).toMatchObject({ error: 'not_authed' })
    expect(await call(`auth.test?token=${botToken}`, undefined, '', '')).toMatchObject({
      error: 'invalid_auth',
    })
    expect((await world.slack.deliveries()).at(-1)?.notes).toEqual([
      'Slack reads tokens only from the Authorization header or a form.',
    ])
  })
})
