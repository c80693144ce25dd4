import { describe, expect, it } from 'vitest'
import { FULL_MANIFEST, startWorld } from '../app.ts'

const GENERAL = 'C0GENERAL1'
const RANDOM = 'C0RANDOM01'
const text = 'hello'

describe('the Web API', () => {
  const message = (more: object) => ({ channel: GENERAL, text, ...more })
  const ERROR_CASES: [
    method: string,
    error: string,
    args: object,
    more?: { token?: string; note?: string },
  ][] = [
    ['chat.nope', 'unknown_method', {}],
    ['auth.test', 'not_authed', {}, { token: '' }],
    ['auth.test', 'invalid_auth', {}, { token: 'xoxb-other' }],
    ['chat.postMessage', 'invalid_arguments', { text }, { note: 'missing required field: channel' }],
    ['chat.postMessage', 'channel_not_found', { channel: 'C0NOPE', text }],
    ['chat.postMessage', 'not_in_channel', { channel: RANDOM, text }],
    ['chat.postMessage', 'no_text', { channel: GENERAL }],
    ['chat.postMessage', 'msg_too_long', message({ text: 'x'.repeat(40_001) })],
    ['chat.postMessage', 'invalid_blocks_format', message({ blocks: 'nope' })],
    ['chat.postMessage', 'thread_not_found', message({ thread_ts: '1.000001' })],
    ['chat.postEphemeral', 'not_in_channel', message({ channel: RANDOM, user: 'U0MEMBER01' })],
    ['chat.update', 'message_not_found', message({ ts: '1.000001' })],
    ['chat.delete', 'message_not_found', { channel: GENERAL, ts: '1.000001' }],
    [
      'users.info',
      'invalid_arguments',
      { user: true },
      { note: 'must provide a string [json-pointer:/user]' },
    ],
    ['conversations.info', 'channel_not_found', { channel: 'C0NOPE' }],
    ['conversations.history', 'not_in_channel', { channel: RANDOM }],
    ['files.info', 'file_not_found', { file: 'F0NOPE' }],
    ['files.completeUploadExternal', 'file_not_found', { files: [{ id: 'F0NOPE' }] }],
  ]
  it('returns Slack’s errors', async () => {
    await using world = await startWorld()
    for (const [method, error, args, { token, note } = {}] of ERROR_CASES) {
      const answer = await world.api(method, args, token)
      expect({ method, error: answer.error }).toEqual({ method, error })
      if (note) expect(answer.response_metadata).toEqual({ messages: [`[ERROR] ${note}`] })
    }
    const deliveries = await world.slack.deliveries()
    expect(deliveries.map(({ verdict }) => verdict)).toEqual(ERROR_CASES.map(([, error]) => error))
    expect(JSON.stringify(deliveries)).not.toContain('xoxb-other')
  })

  it('shows an ephemeral message only to its recipient, and rejects changes to it', async () => {
    await using world = await startWorld()
    const { message_ts: ts } = await world.api('chat.postEphemeral', {
      channel: GENERAL,
      user: 'U0MEMBER01',
      text,
    })
    expect(await world.slack.member.messages()).toMatchObject([{ ephemeral: true, text }])
    expect(await world.slack.admin.messages()).toEqual([])
    expect(await world.api('chat.update', { channel: GENERAL, ts, text })).toMatchObject({
      error: 'message_not_found',
    })
    expect(await world.api('conversations.history', { channel: GENERAL })).toMatchObject({ messages: [] })
  })

  it('edits and deletes only the app’s own messages', async () => {
    await using world = await startWorld()
    const { ts } = await world.slack.member.say('mine')
    expect(await world.api('chat.update', { channel: GENERAL, ts, text })).toMatchObject({
      error: 'cant_update_message',
    })
    expect(await world.api('chat.delete', { channel: GENERAL, ts })).toMatchObject({
      error: 'cant_delete_message',
    })
    const own = await world.api('chat.postMessage', message({}))
    expect(await world.api('chat.delete', { channel: GENERAL, ts: own.ts })).toMatchObject({ ok: true })
    expect((await world.slack.member.messages()).map(({ text }) => text)).toEqual(['mine'])
  })

  it('accepts less text in an edit than in a new message', async () => {
    await using world = await startWorld()
    const long = { channel: GENERAL, text: 'x'.repeat(4001) }
    const { ts } = await world.api('chat.postMessage', long)
    expect(await world.api('chat.update', { ...long, ts })).toMatchObject({ error: 'msg_too_long' })
  })
})

it('needs the scopes of all types of conversation that users.conversations lists', async () => {
  await using world = await startWorld(undefined, {
    manifestPath: FULL_MANIFEST,
    missingScopes: ['im:read'],
  })
  const list = (types: string) => world.api('users.conversations', { types })
  expect(await list('public_channel')).toMatchObject({ ok: true })
  expect(await list('public_channel,im')).toMatchObject({ error: 'missing_scope' })
})
