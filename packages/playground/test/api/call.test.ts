import { webApi } from '@slack/bolt'
import { describe, expect, it } from 'vitest'
import { createClock, FULL_MANIFEST, startWorld, type World } from '../app.ts'

const GENERAL = 'C0GENERAL1'
const RANDOM = 'C0RANDOM01'
const text = 'hello'

const NEXT_CURSOR = Buffer.from('next:U0MEMBER01').toString('base64')

describe('the Web API', () => {
  const ERROR_CASES: { method: string; args: object; token?: string; error: string; note?: string }[] = [
    { method: 'chat.nope', args: {}, error: 'unknown_method' },
    { method: 'constructor', args: {}, error: 'unknown_method' },
    { method: 'auth.test', args: {}, token: '', error: 'not_authed' },
    { method: 'auth.test', args: {}, token: 'xoxb-other', error: 'invalid_auth' },
    { method: 'api.test', args: { error: 'my_error' }, error: 'my_error' },
    {
      method: 'chat.postMessage',
      args: { text },
      error: 'invalid_arguments',
      note: 'missing required field: channel',
    },
    { method: 'chat.postMessage', args: { channel: 'C0NOPE', text }, error: 'channel_not_found' },
    { method: 'chat.postMessage', args: { channel: RANDOM, text }, error: 'not_in_channel' },
    { method: 'chat.postMessage', args: { channel: GENERAL }, error: 'no_text' },
    {
      method: 'chat.postMessage',
      args: { channel: GENERAL, text: 'x'.repeat(40_001) },
      error: 'msg_too_long',
    },
    {
      method: 'chat.postMessage',
      args: { channel: GENERAL, text, blocks: 'nope' },
      error: 'invalid_blocks_format',
    },
    {
      method: 'chat.postMessage',
      args: { channel: GENERAL, text, thread_ts: '1' },
      error: 'invalid_thread_ts',
    },
    {
      method: 'chat.postMessage',
      args: { channel: GENERAL, text, thread_ts: '1.000001' },
      error: 'thread_not_found',
    },
    {
      method: 'chat.postMessage',
      args: { channel: GENERAL, text, attachments: ['x'] },
      error: 'invalid_attachments',
    },
    { method: 'chat.postEphemeral', args: { channel: GENERAL, text }, error: 'invalid_arguments' },
    {
      method: 'chat.postEphemeral',
      args: { channel: GENERAL, text, user: 'U0NOPE' },
      error: 'user_not_found',
    },
    {
      method: 'chat.postEphemeral',
      args: { channel: RANDOM, text, user: 'U0MEMBER01' },
      error: 'not_in_channel',
    },
    { method: 'chat.update', args: { channel: GENERAL, text, ts: '1.000001' }, error: 'message_not_found' },
    { method: 'chat.delete', args: { channel: GENERAL, ts: '1.000001' }, error: 'message_not_found' },
    { method: 'users.info', args: { user: 'U0NOPE' }, error: 'user_not_found' },
    { method: 'conversations.info', args: { channel: 'C0NOPE' }, error: 'channel_not_found' },
    { method: 'conversations.history', args: { channel: RANDOM }, error: 'not_in_channel' },
    { method: 'files.info', args: { file: 'F0NOPE' }, error: 'file_not_found' },
    { method: 'files.getUploadURLExternal', args: { filename: 'a', length: 0 }, error: 'invalid_arguments' },
    { method: 'files.completeUploadExternal', args: { files: [{ id: 'F0NOPE' }] }, error: 'file_not_found' },
  ]
  it('returns Slack’s errors', async () => {
    await using world = await startWorld()
    for (const { method, args, token, error, note } of ERROR_CASES) {
      const answer = await world.api(method, args, token)
      expect({ method, error: answer.error }).toEqual({ method, error })
      if (note) expect(answer.response_metadata).toEqual({ messages: [`[ERROR] ${note}`] })
    }
    const deliveries = await world.slack.deliveries()
    expect(deliveries.map(({ verdict }) => verdict)).toEqual(ERROR_CASES.map(({ error }) => error))
    expect(JSON.stringify(deliveries)).not.toContain('xoxb-other')
  })

  const SUCCESS_CASES: { method: string; args: object; expected: object }[] = [
    { method: 'api.test', args: { foo: 'bar' }, expected: { args: { foo: 'bar' } } },
    {
      method: 'auth.test',
      args: {},
      expected: { team_id: 'T0PLAYGRND', user_id: 'U0PLAYGBOT', bot_id: 'B0PLAYGRND' },
    },
    {
      method: 'users.info',
      args: { user: 'U0ADMIN001' },
      expected: { user: { is_admin: true, profile: { email: 'admin@example.com' } } },
    },
    {
      method: 'users.info',
      args: { user: 'USLACKBOT' },
      expected: { user: { name: 'slackbot', is_bot: false, profile: { always_active: true } } },
    },
    {
      method: 'users.list',
      args: { limit: 1 },
      expected: {
        members: [{ id: 'USLACKBOT', is_bot: false }],
        response_metadata: { next_cursor: NEXT_CURSOR },
      },
    },
    {
      method: 'users.list',
      args: { limit: 5, cursor: NEXT_CURSOR },
      expected: {
        members: [{ id: 'U0MEMBER01' }, { id: 'U0ADMIN001' }, {}, {}, {}],
        response_metadata: { next_cursor: expect.any(String) },
      },
    },
    {
      method: 'conversations.info',
      args: { channel: RANDOM },
      expected: { channel: { name: 'random', is_member: false } },
    },
    {
      method: 'conversations.members',
      args: { channel: RANDOM },
      expected: { members: ['U0MEMBER01', 'U0ADMIN001'] },
    },
  ]
  it('returns data about people, channels, and the bot', async () => {
    await using world = await startWorld()
    for (const { method, args, expected } of SUCCESS_CASES)
      expect(await world.api(method, args)).toMatchObject({ ok: true, ...expected })
  })

  it('posts, edits, and deletes messages, and replies in threads', async () => {
    await using world = await startWorld()
    const posted = await world.api('chat.postMessage', { channel: '#general', text: '<!here> up' })
    expect(posted).toMatchObject({ channel: GENERAL, message: { bot_id: 'B0PLAYGRND', text: '<!here> up' } })
    const reply = await world.api('chat.postMessage', {
      channel: GENERAL,
      text: 'more',
      thread_ts: posted.ts,
    })
    expect(reply).toMatchObject({ message: { thread_ts: posted.ts } })
    await world.api('chat.update', { channel: GENERAL, ts: posted.ts, text: 'down' })
    const [parent] = await world.slack.member.messages()
    expect(parent).toMatchObject({ text: 'down', edited: true, replyCount: 1 })
    const long = { channel: GENERAL, ts: posted.ts, text: 'x'.repeat(4001) }
    expect(await world.api('chat.update', long)).toMatchObject({ error: 'msg_too_long' })
    expect(await world.api('conversations.history', { channel: GENERAL })).toMatchObject({
      messages: [{ text: 'down' }],
    })
    await world.api('chat.delete', { channel: GENERAL, ts: reply.ts })
    expect(await world.slack.admin.messages()).toMatchObject([{ replyCount: 0 }])
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

  it('posts to a user ID as a direct message, and edits only the app’s own messages', async () => {
    await using world = await startWorld()
    await world.api('chat.postMessage', { channel: 'U0ADMIN001', text })
    expect(await world.slack.admin.messages('dm')).toMatchObject([{ text }])
    const { ts } = await world.slack.member.say('mine')
    expect(await world.api('chat.update', { channel: GENERAL, ts, text })).toMatchObject({
      error: 'cant_update_message',
    })
    expect(await world.api('chat.delete', { channel: GENERAL, ts })).toMatchObject({
      error: 'cant_delete_message',
    })
  })

  it('allows a burst of 3 posts per channel, then one a second', async () => {
    const clock = createClock()
    await using world = await startWorld(undefined, { now: clock.now })
    const post = (channel: string) => world.api('chat.postMessage', { channel, text })
    for (const _ of [1, 2, 3]) expect(await post(GENERAL)).toMatchObject({ ok: true })
    expect(await post(GENERAL)).toMatchObject({ status: 429, retryAfter: '1', error: 'ratelimited' })
    expect(await post('C0OPERATNS')).toMatchObject({ ok: true })
    clock.advance(1000)
    expect(await post(GENERAL)).toMatchObject({ ok: true })
    expect(await post(GENERAL)).toMatchObject({ status: 429 })
  })
})

describe('Slack’s own client library', () => {
  const createClient = ({ playground }: World) =>
    new webApi.WebClient(playground.botToken, { slackApiUrl: playground.apiUrl, retryConfig: { retries: 0 } })

  it('can post blocks in a form-encoded body', async () => {
    await using world = await startWorld()
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*hi*' } }]
    const answer = await createClient(world).chat.postMessage({ channel: GENERAL, text, blocks })
    expect(answer.message?.blocks).toMatchObject(blocks)
  })

  it('can upload a file', async () => {
    await using world = await startWorld()
    const bytes = Buffer.from('id,name\r\n\r\n1,web\r\n')
    await createClient(world).files.uploadV2({
      channel_id: GENERAL,
      file: bytes,
      filename: 'checks.csv',
      title: 'Checks',
      initial_comment: 'All',
    })
    const [message] = await world.slack.member.messages()
    expect(message).toMatchObject({
      text: 'All',
      files: [{ name: 'checks.csv', title: 'Checks', size: bytes.length }],
    })
    const answer = await fetch(world.playground.url + message?.files[0]?.href)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
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
