import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { createClock, startWorld, type World } from '../app.ts'

const WIDE_MANIFEST = new URL('../wide-manifest.yml', import.meta.url).pathname
const GENERAL = 'C0GENERAL1'
const RANDOM = 'C0RANDOM01'
const BOT = 'U0PLAYGBOT'
const clock = createClock()
let world: World
let ts: string

beforeAll(async () => {
  world = await startWorld(undefined, { manifestPath: WIDE_MANIFEST, rate: 'off', now: clock.now })
  ts = String((await world.api('chat.postMessage', { channel: GENERAL, text: 'parent' })).ts)
  await world.api('chat.postMessage', { channel: GENERAL, text: 'reply', thread_ts: ts })
})
afterAll(() => world[Symbol.asyncDispose]())

/** Replaces `$ts` in arguments with the ts of the existing message. */
const fillTs = (args: object): object => JSON.parse(JSON.stringify(args).replaceAll('$ts', ts))
const toFields = (value: Json | undefined): Fields => (isFields(value) ? value : {})

const metadata = { event_type: 'task_created', event_payload: { id: '7' } }
const item = { channel: GENERAL, timestamp: '$ts' }
/** Returns the Unix time in `seconds` from now. */
const unixTimeIn = (seconds: number) => clock.now().getTime() / 1000 + seconds

/** Calls with the expected responses. They run in this order, because later calls depend on earlier ones. */
const CALLS: [method: string, args: object, answer: object][] = [
  [
    'conversations.replies',
    { channel: GENERAL, ts: '$ts' },
    { messages: [{ text: 'parent', reply_count: 1 }, { text: 'reply' }], has_more: false },
  ],
  [
    'conversations.replies',
    { channel: GENERAL, ts: '$ts', limit: 1 },
    { messages: [{ text: 'parent' }], has_more: true },
  ],
  ['chat.update', { channel: GENERAL, ts: '$ts', text: 'parent', metadata }, { message: { metadata } }],
  ['chat.update', { channel: GENERAL, ts: '$ts', text: 'parent' }, { message: { metadata } }],
  [
    'conversations.replies',
    { channel: GENERAL, ts: '$ts', limit: 1, include_all_metadata: true },
    { messages: [{ metadata }] },
  ],
  [
    'conversations.replies',
    { channel: GENERAL, ts: '$ts', limit: 1 },
    { messages: [{ metadata: expect.not.objectContaining({ event_payload: expect.anything() }) }] },
  ],
  [
    'chat.update',
    { channel: GENERAL, ts: '$ts', text: 'parent', metadata: {} },
    { message: expect.not.objectContaining({ metadata: expect.anything() }) },
  ],
  ['reactions.add', { ...item, name: ':thumbsup:' }, { ok: true }],
  ['reactions.add', { ...item, name: 'thumbsup' }, { error: 'already_reacted' }],
  ['reactions.add', { ...item, name: 'Thumbs Up' }, { error: 'invalid_name' }],
  ['reactions.add', { ...item, name: 'thumbs_up' }, { error: 'invalid_name' }],
  ['reactions.add', { ...item, name: 'white_tick' }, { error: 'invalid_name' }],
  ['reactions.add', { channel: GENERAL, name: 'x' }, { error: 'no_item_specified' }],
  ['reactions.add', { channel: GENERAL, name: 'x', timestamp: 'x' }, { error: 'bad_timestamp' }],
  ['reactions.add', { channel: GENERAL, name: 'x', timestamp: '1.000001' }, { error: 'message_not_found' }],
  ['reactions.add', { channel: RANDOM, name: 'x', timestamp: '$ts' }, { error: 'not_in_channel' }],
  [
    'reactions.get',
    item,
    {
      type: 'message',
      message: { text: 'parent', reactions: [{ name: 'thumbsup', users: [BOT], count: 1 }] },
    },
  ],
  ['reactions.list', {}, { items: [{ channel: GENERAL, message: { text: 'parent' } }] }],
  ['reactions.remove', { ...item, name: 'thumbsup' }, { ok: true }],
  ['reactions.remove', { ...item, name: 'thumbsup' }, { error: 'no_reaction' }],
  ['pins.add', item, { ok: true }],
  ['pins.add', item, { error: 'already_pinned' }],
  [
    'pins.list',
    { channel: GENERAL },
    { items: [{ type: 'message', message: { text: 'parent', pinned_to: [GENERAL] } }] },
  ],
  ['conversations.history', { channel: GENERAL }, { pin_count: 1 }],
  ['pins.remove', item, { ok: true }],
  ['pins.remove', item, { error: 'no_pin' }],
  ['conversations.join', { channel: RANDOM }, { channel: { id: RANDOM, is_member: true } }],
  ['conversations.join', { channel: RANDOM }, { ok: true, warning: 'already_in_channel' }],
  [
    'users.conversations',
    {},
    { channels: [{ name: 'general' }, { name: 'operations' }, { name: 'random' }, { name: 'partner' }] },
  ],
  ['conversations.invite', { channel: RANDOM, users: 'U0GUEST001' }, { channel: { is_member: true } }],
  ['conversations.info', { channel: RANDOM, include_num_members: true }, { channel: { num_members: 4 } }],
  ['conversations.invite', { channel: RANDOM, users: 'U0GUEST001' }, { error: 'already_in_channel' }],
  ['conversations.invite', { channel: RANDOM, users: 'U0NOPE' }, { error: 'user_not_found' }],
  ['conversations.invite', { channel: RANDOM, users: BOT }, { error: 'cant_invite_self' }],
  ['conversations.kick', { channel: RANDOM, user: 'U0GUEST001' }, { ok: true }],
  ['conversations.kick', { channel: RANDOM, user: 'U0GUEST001' }, { error: 'not_in_channel' }],
  [
    'conversations.setTopic',
    { channel: RANDOM, topic: 'All else' },
    { channel: { topic: { value: 'All else' } } },
  ],
  [
    'conversations.setPurpose',
    { channel: RANDOM, purpose: 'Talk' },
    { channel: { purpose: { value: 'Talk' } } },
  ],
  ['conversations.setTopic', { channel: RANDOM, topic: 'x'.repeat(251) }, { error: 'too_long' }],
  ['conversations.leave', { channel: RANDOM }, { ok: true }],
  ['conversations.leave', { channel: RANDOM }, { not_in_channel: true }],
  ['conversations.leave', { channel: GENERAL }, { error: 'cant_leave_general' }],
  ['conversations.create', { name: 'incidents' }, { channel: { name: 'incidents', is_member: true } }],
  ['conversations.create', { name: 'incidents' }, { error: 'name_taken' }],
  ['conversations.create', {}, { error: 'invalid_name_required' }],
  ['conversations.create', { name: 'x'.repeat(81) }, { error: 'invalid_name_maxlength' }],
  ['conversations.create', { name: 'With Spaces' }, { error: 'invalid_name_specials' }],
  ['conversations.rename', { channel: 'incidents', name: 'x' }, { error: 'channel_not_found' }],
  ['conversations.rename', { channel: GENERAL, name: 'lobby' }, { error: 'not_authorized' }],
  ['conversations.archive', { channel: GENERAL }, { error: 'cant_archive_general' }],
  ['team.info', {}, { team: { id: 'T0PLAYGRND', name: 'Playground', domain: 'playground' } }],
  ['team.info', { team: 'T0NOPE' }, { error: 'team_not_found' }],
  ['users.profile.get', { user: 'U0ADMIN001' }, { profile: { real_name: 'Admin' } }],
  ['users.profile.get', { user: 'U0NOPE' }, { error: 'user_not_found' }],
  ['users.getPresence', { user: 'U0ADMIN001' }, { presence: 'active' }],
  ['emoji.list', {}, { emoji: {} }],
  [
    'chat.scheduleMessage',
    { channel: GENERAL, text: 'later', post_at: unixTimeIn(-1) },
    { error: 'time_in_past' },
  ],
  [
    'chat.scheduleMessage',
    { channel: GENERAL, text: 'later', post_at: unixTimeIn(121 * 86_400) },
    { error: 'time_too_far' },
  ],
  ['chat.scheduleMessage', { channel: GENERAL, text: 'later', post_at: 'soon' }, { error: 'invalid_time' }],
  ['chat.scheduleMessage', { channel: GENERAL, text: '', post_at: unixTimeIn(60) }, { error: 'no_text' }],
  [
    'chat.deleteScheduledMessage',
    { channel: GENERAL, scheduled_message_id: 'Q1' },
    { error: 'invalid_scheduled_message_id' },
  ],
  [
    'assistant.threads.setStatus',
    { channel_id: GENERAL, thread_ts: '$ts', status: 'is thinking…' },
    { ok: true },
  ],
  [
    'assistant.threads.setStatus',
    { channel_id: GENERAL, thread_ts: '1.000001', status: 'x' },
    { error: 'invalid_thread_ts' },
  ],
  ['assistant.threads.setTitle', { channel_id: GENERAL, thread_ts: '$ts' }, { error: 'invalid_arguments' }],
  [
    'assistant.threads.setSuggestedPrompts',
    { channel_id: GENERAL, prompts: [{ title: 'a', message: 'b' }] },
    { ok: true },
  ],
  [
    'assistant.threads.setSuggestedPrompts',
    { channel_id: GENERAL, prompts: [] },
    { error: 'invalid_arguments' },
  ],
  ['chat.startStream', { channel: GENERAL, thread_ts: '$ts' }, { error: 'missing_recipient_user_id' }],
  ['chat.startStream', { channel: GENERAL }, { error: 'invalid_arguments' }],
  [
    'chat.appendStream',
    { channel: GENERAL, ts: '$ts', markdown_text: 'x' },
    { error: 'message_not_in_streaming_state' },
  ],
]

describe('Web API methods', () => {
  it('return what Slack returns', async () => {
    for (const [method, args, answer] of CALLS) {
      const received = await world.api(method, fillTs(args))
      expect({ method, args, answer: received }).toMatchObject({ method, args, answer })
    }
  })
})

describe('methods that need a user token', () => {
  it.each(['users.profile.set', 'search.messages', 'reminders.add', 'admin.users.list'])(
    'reject a bot token: %s',
    async (method) => {
      const { error, response_metadata } = await world.api(method)
      expect(error).toBe('not_allowed_token_type')
      expect(JSON.stringify(response_metadata)).toContain(`Slack accepts ${method} only with a user token`)
      expect(await world.api(method, {}, 'xoxb-none')).toMatchObject({ error: 'invalid_auth' })
    },
  )
})

describe('a conversation', () => {
  it('can be closed, reopened, and marked as read', async () => {
    const { channel } = await world.api('conversations.open', { users: 'U0ADMIN001' })
    const conversation = { channel: toFields(channel).id ?? '' }
    expect(await world.api('conversations.close', conversation)).toMatchObject({ ok: true })
    expect(await world.api('conversations.close', conversation)).toMatchObject({
      no_op: true,
      already_closed: true,
    })
    expect(await world.api('conversations.open', { users: 'U0ADMIN001' })).toMatchObject({
      no_op: false,
      channel: { id: conversation.channel },
    })
    expect(await world.api('conversations.open', { users: 'U0ADMIN001' })).toMatchObject({ no_op: true })
    await world.api('conversations.close', conversation)
    const reopened = { no_op: false, channel: { id: conversation.channel } }
    expect(await world.api('conversations.open', conversation)).toMatchObject(reopened)
    expect(await world.api('conversations.open', conversation)).toMatchObject({ already_open: true })
    expect(await world.api('conversations.close', { channel: GENERAL })).toMatchObject({
      error: 'method_not_supported_for_channel_type',
    })
    expect(await world.api('conversations.mark', { channel: GENERAL, ts })).toMatchObject({ ok: true })
    expect(await world.api('conversations.info', { channel: GENERAL })).toMatchObject({
      channel: { last_read: ts },
    })
    expect(await world.api('conversations.mark', { channel: GENERAL, ts: 'x' })).toMatchObject({
      error: 'invalid_timestamp',
    })
    expect(await world.api('conversations.mark', { channel: RANDOM, ts })).toMatchObject({
      error: 'not_in_channel',
    })
  })
})

describe('a message that the app posts with chat.meMessage', () => {
  it('has the subtype me_message', async () => {
    const { ts: messageTs } = await world.api('chat.meMessage', { channel: GENERAL, text: 'waves' })
    const { messages } = await world.api('conversations.history', { channel: GENERAL, limit: 1 })
    expect(messages).toMatchObject([
      { ts: messageTs, subtype: 'me_message', text: 'waves', bot_id: 'B0PLAYGRND' },
    ])
    expect(await world.api('chat.meMessage', { channel: GENERAL })).toMatchObject({ error: 'no_text' })
  })
})

it('numbers attachments, and gives those without a fallback Slack’s own', async () => {
  const attachments = [{ text: 'one', fallback: 'first', id: 7 }, { title: 'two' }]
  expect(await world.api('chat.postMessage', { channel: GENERAL, text: 'x', attachments })).toMatchObject({
    message: {
      attachments: [
        { id: 1, text: 'one', fallback: 'first' },
        { id: 2, title: 'two', fallback: '[no preview available]' },
      ],
    },
  })
})

describe('a scheduled message', () => {
  it('is listed until it is due, and then posted, unless it has been deleted', async () => {
    const schedule = (text: string, seconds: number) =>
      world.api('chat.scheduleMessage', { channel: GENERAL, text, post_at: unixTimeIn(seconds) })
    await schedule('second', 120)
    await schedule('first', 60)
    const { scheduled_message_id: id } = await schedule('never', 90)
    const remove = (channel: string) =>
      world.api('chat.deleteScheduledMessage', { channel, scheduled_message_id: id ?? '' })
    expect(await remove(RANDOM)).toMatchObject({ ok: false })
    expect(await remove(GENERAL)).toMatchObject({ ok: true })
    expect(await world.api('chat.scheduledMessages.list')).toMatchObject({
      scheduled_messages: [{ text: 'first', channel_id: GENERAL }, { text: 'second' }],
    })
    clock.advance(61_000)
    const state = await world.slack.member.until(
      'the first',
      ({ messages }) => messages[GENERAL]?.at(-1)?.text === 'first',
    )
    expect(state.messages[GENERAL]?.some(({ text }) => text === 'second' || text === 'never')).toBe(false)
  })
})

describe('scheduled messages', () => {
  const schedule = (seconds: number, channel = GENERAL) =>
    world.api('chat.scheduleMessage', { channel, text: 'later', post_at: unixTimeIn(seconds) })

  it('can’t be more than 30 in a channel within 5 minutes', async () => {
    for (let index = 0; index < 30; index += 1)
      expect(await schedule(90_000 + index * 9)).toMatchObject({ ok: true })
    expect(await schedule(90_000 + 150)).toMatchObject({ error: 'restricted_too_many' })
    expect(await schedule(90_000 - 20)).toMatchObject({ error: 'restricted_too_many' })
    expect(await schedule(90_000 - 200)).toMatchObject({ ok: true })
    expect(await schedule(90_000 + 400)).toMatchObject({ ok: true })
  })

  it.each([
    ['the channel is archived', 'is_archived'],
    ['the app is uninstalled', 'account_inactive'],
  ])('aren’t posted after %s, and the inspector says so', async (change, error) => {
    const time = createClock()
    await using other = await startWorld(undefined, { manifestPath: WIDE_MANIFEST, now: time.now })
    const { channel } = await other.api('conversations.create', { name: 'plans' })
    const id = String(toFields(channel).id)
    const { member } = other.slack
    await member.join('plans')
    const post_at = time.now().getTime() / 1000 + 100
    expect(await other.api('chat.scheduleMessage', { channel: id, text: 'late', post_at })).toMatchObject({
      ok: true,
    })
    if (change === 'the app is uninstalled') await other.slack.uninstall('T0PLAYGRND')
    else await member.updateChannel('plans', { archived: true })
    await other.slack.clock({ advanceMs: 101_000 })
    expect((await member.messages('plans')).filter(({ text }) => text === 'late')).toEqual([])
    expect(await other.slack.deliveries('scheduled message')).toMatchObject([
      { verdict: error, request: { body: { channel: id, text: 'late', post_at } }, response: null },
    ])
  })

  it('can’t be deleted in the last minute', async () => {
    const deleteAfter = async (seconds: number) => {
      const { scheduled_message_id } = await schedule(seconds)
      return world.api('chat.deleteScheduledMessage', { channel: GENERAL, scheduled_message_id })
    }
    expect(await deleteAfter(50)).toMatchObject({ error: 'invalid_scheduled_message_id' })
    expect(await deleteAfter(70)).toMatchObject({ ok: true })
  })
})

describe('a message stream', () => {
  it('can be extended with text, tasks, and blocks, and becomes an ordinary message when stopped', async () => {
    const recipient = { recipient_user_id: 'U0MEMBER01', recipient_team_id: 'T0PLAYGRND' }
    const started = await world.api('chat.startStream', {
      channel: GENERAL,
      thread_ts: ts,
      markdown_text: '**One**',
      ...recipient,
    })
    const stream = { channel: GENERAL, ts: started.ts ?? '' }
    const task = { type: 'task_update', id: 't', title: 'Look', status: 'in_progress' }
    expect(await world.api('chat.appendStream', { ...stream, markdown_text: ' two' })).toMatchObject({
      ok: true,
    })
    await world.api('chat.appendStream', {
      ...stream,
      chunks: [{ type: 'plan_update', title: 'Steps' }, task],
    })
    await world.api('chat.appendStream', {
      ...stream,
      chunks: [{ ...task, status: 'complete', output: 'Found' }],
    })
    expect(await world.api('chat.appendStream', { ...stream, chunks: [{ type: 'nope' }] })).toMatchObject({
      error: 'invalid_chunks',
    })
    const divider = { type: 'divider' }
    const { message } = await world.api('chat.stopStream', { ...stream, blocks: [divider] })
    expect(toFields(message)).toMatchObject({
      thread_ts: ts,
      text: '**One** two',
      blocks: [
        {
          type: 'plan',
          title: 'Steps',
          tasks: [{ task_id: 't', status: 'complete', output: { type: 'rich_text' } }],
        },
        { type: 'markdown', text: '**One** two' },
        divider,
      ],
    })
    expect(await world.api('chat.stopStream', stream)).toMatchObject({
      error: 'message_not_in_streaming_state',
    })
  })
})
