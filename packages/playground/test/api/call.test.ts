import { webApi } from '@slack/bolt'
import { describe, expect, it } from 'vitest'
import { createClock, FULL_MANIFEST, startWorld, type World } from '../app.ts'

const GENERAL = 'C0GENERAL1'
const RANDOM = 'C0RANDOM01'
const text = 'hello'

const NEXT_CURSOR = Buffer.from('next:U0MEMBER01').toString('base64')

describe('the Web API', () => {
  const message = (more: object) => ({ channel: GENERAL, text, ...more })
  const ERROR_CASES: [
    method: string,
    error: string,
    args: object,
    more?: { token?: string; note?: string },
  ][] = [
    ['chat.nope', 'unknown_method', {}],
    ['constructor', 'unknown_method', {}],
    ['auth.test', 'not_authed', {}, { token: '' }],
    ['auth.test', 'invalid_auth', {}, { token: 'xoxb-other' }],
    ['chat.postMessage', 'invalid_arguments', { text }, { note: 'missing required field: channel' }],
    ['chat.postMessage', 'channel_not_found', { channel: 'C0NOPE', text }],
    ['chat.postMessage', 'not_in_channel', { channel: RANDOM, text }],
    ['chat.postMessage', 'no_text', { channel: GENERAL }],
    ['chat.postMessage', 'msg_too_long', message({ text: 'x'.repeat(40_001) })],
    ['chat.postMessage', 'invalid_blocks_format', message({ blocks: 'nope' })],
    ['chat.postMessage', 'invalid_thread_ts', message({ thread_ts: '1' })],
    ['chat.postMessage', 'thread_not_found', message({ thread_ts: '1.000001' })],
    ['chat.postMessage', 'invalid_attachments', message({ attachments: ['x'] })],
    ['chat.postEphemeral', 'invalid_arguments', message({})],
    ['chat.postEphemeral', 'user_not_found', message({ user: 'U0NOPE' })],
    ['chat.postEphemeral', 'not_in_channel', message({ channel: RANDOM, user: 'U0MEMBER01' })],
    ['chat.update', 'message_not_found', message({ ts: '1.000001' })],
    ['chat.delete', 'message_not_found', { channel: GENERAL, ts: '1.000001' }],
    ['users.info', 'user_not_found', { user: 'U0NOPE' }],
    ['conversations.info', 'channel_not_found', { channel: 'C0NOPE' }],
    ['conversations.history', 'not_in_channel', { channel: RANDOM }],
    ['files.info', 'file_not_found', { file: 'F0NOPE' }],
    ['files.getUploadURLExternal', 'invalid_arguments', { filename: 'a', length: 0 }],
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

  const admin = { is_admin: true, profile: { email: 'admin@example.com' } }
  const slackbot = { name: 'slackbot', is_bot: false, profile: { always_active: true } }
  const firstPage = {
    members: [{ id: 'USLACKBOT', is_bot: false }],
    response_metadata: { next_cursor: NEXT_CURSOR },
  }
  const secondPage = {
    members: [{ id: 'U0MEMBER01' }, { id: 'U0ADMIN001' }, {}, {}, {}],
    response_metadata: { next_cursor: expect.any(String) },
  }
  it('returns data about people, channels, and the bot', async () => {
    await using world = await startWorld()
    for (const [method, args, expected] of [
      ['auth.test', {}, { team_id: 'T0PLAYGRND', user_id: 'U0PLAYGBOT', bot_id: 'B0PLAYGRND' }],
      ['users.info', { user: 'U0ADMIN001' }, { user: admin }],
      ['users.info', { user: 'USLACKBOT' }, { user: slackbot }],
      ['users.list', { limit: 1 }, firstPage],
      ['users.list', { limit: 5, cursor: NEXT_CURSOR }, secondPage],
      ['conversations.info', { channel: RANDOM }, { channel: { name: 'random', is_member: false } }],
      ['conversations.members', { channel: RANDOM }, { members: ['U0MEMBER01', 'U0ADMIN001'] }],
    ] as const)
      expect(await world.api(method, args)).toMatchObject({ ok: true, ...expected })
  })

  it('posts, edits, and deletes messages, and replies in threads', async () => {
    await using world = await startWorld()
    const posted = await world.api('chat.postMessage', { channel: GENERAL, text: '<!here> up' })
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
