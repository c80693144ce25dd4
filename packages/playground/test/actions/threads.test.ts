import { expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, receivedEvents, startWorld, type World } from '../app.ts'

const CHANNEL = 'C0GENERAL1'

const start = () => startWorld(() => ({}), { manifestPath: FULL_MANIFEST })
const messagesIn = async (world: World, method: string, args: object = {}): Promise<Fields[]> =>
  (await world.api(method, { channel: CHANNEL, ...args })).messages as Fields[]
const summary = ({ text, subtype }: Fields) => [text, subtype]

/** The last event, after the app has received `count` of them. */
async function waitForEvents(
  world: World,
  isWanted: (event: Fields) => boolean,
  count = 1,
): Promise<Fields[]> {
  await world.slack.member.until(
    'the app has the events',
    () => receivedEvents(world).filter(isWanted).length >= count,
  )
  return receivedEvents(world).filter(isWanted)
}

it('shows a broadcast reply in the channel too, with its thread’s root', async () => {
  await using world = await start()
  const root = await world.api('chat.postMessage', { channel: CHANNEL, text: 'root' })
  const args = { channel: CHANNEL, thread_ts: root.ts, reply_broadcast: true }
  const reply = await world.api('chat.postMessage', { ...args, text: 'also in the channel' })
  expect(reply.message).toMatchObject({
    subtype: 'thread_broadcast',
    thread_ts: root.ts,
    root: { ts: root.ts, text: 'root', reply_count: 1 },
  })
  const history = await messagesIn(world, 'conversations.history')
  expect(history.slice(0, 2).map(summary)).toEqual([
    ['also in the channel', 'thread_broadcast'],
    ['root', undefined],
  ])
  const isBroadcast = ({ subtype }: Fields) => subtype === 'thread_broadcast'
  expect(await waitForEvents(world, isBroadcast)).toMatchObject([{ type: 'message', root: { ts: root.ts } }])
  // Without a thread, there is nothing to broadcast.
  const plain = await world.api('chat.postMessage', {
    channel: CHANNEL,
    text: 'plain',
    reply_broadcast: true,
  })
  expect(plain.message).not.toHaveProperty('subtype')
})

it('broadcasts a reply later, when the app updates it', async () => {
  await using world = await start()
  const root = await world.api('chat.postMessage', { channel: CHANNEL, text: 'root' })
  const reply = await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'reply' })
  expect((await messagesIn(world, 'conversations.history')).map(({ ts }) => ts)).not.toContain(reply.ts)
  await world.api('chat.update', {
    channel: CHANNEL,
    ts: reply.ts,
    reply_broadcast: true,
  })
  expect((await messagesIn(world, 'conversations.history')).map(summary)).toContainEqual([
    'reply',
    'thread_broadcast',
  ])
  const edited = { channel: CHANNEL, ts: reply.ts, text: 'edited', reply_broadcast: true }
  expect(await world.api('chat.update', edited)).toMatchObject({ ok: true, text: 'edited' })
})

it('broadcasts only a reply, and doesn’t change it at once', async () => {
  await using world = await start()
  const root = await world.api('chat.postMessage', { channel: CHANNEL, text: 'root' })
  const reply = await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'reply' })
  const broadcast = (args: object) =>
    world.api('chat.update', { channel: CHANNEL, reply_broadcast: true, ...args })
  expect(await broadcast({ ts: root.ts })).toMatchObject({ error: 'cant_broadcast_message' })
  expect(await broadcast({ ts: reply.ts, text: 'other' })).toMatchObject({
    error: 'no_dual_broadcast_content_update',
  })
})

it('broadcasts a scheduled reply', async () => {
  await using world = await start()
  const root = await world.api('chat.postMessage', { channel: CHANNEL, text: 'root' })
  const post_at = Math.floor(Date.now() / 1000) + 3600
  const draft = { channel: CHANNEL, thread_ts: root.ts, text: 'later', post_at, reply_broadcast: true }
  expect(await world.api('chat.scheduleMessage', draft)).toMatchObject({ ok: true })
  await world.slack.clock({ advanceMs: 3_700_000 })
  const isLater = ({ text, subtype }: Fields) => text === 'later' && subtype === 'thread_broadcast'
  expect(await waitForEvents(world, isLater)).toMatchObject([{ root: { ts: root.ts } }])
})

it('lets nobody react to a deleted root or pin it', async () => {
  await using world = await start()
  const root = await world.slack.member.say('root')
  await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'reply' })
  await world.slack.member.delete(root)
  await expect(world.slack.member.react(root, 'wave')).rejects.toThrow('There is no message')
  await expect(world.slack.member.pin(root)).rejects.toThrow('There is no message')
})

it('sends the last reply’s deletion before that of its deleted root', async () => {
  await using world = await start()
  const root = await world.api('chat.postMessage', { channel: CHANNEL, text: 'root' })
  const reply = await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'reply' })
  await world.api('chat.delete', { channel: CHANNEL, ts: root.ts })
  await world.api('chat.delete', { channel: CHANNEL, ts: reply.ts })
  const isDeletion = ({ subtype }: Fields) => subtype === 'message_deleted'
  expect(await waitForEvents(world, isDeletion, 2)).toMatchObject([
    { deleted_ts: reply.ts },
    { deleted_ts: root.ts },
  ])
})

it('sends a person’s broadcast reply, which they can edit', async () => {
  await using world = await start()
  const root = await world.slack.member.say('root')
  const reply = await world.slack.member.say('reply', { threadTs: root.ts, broadcast: true })
  const isBroadcast = ({ subtype }: Fields) => subtype === 'thread_broadcast'
  expect(await waitForEvents(world, isBroadcast)).toMatchObject([
    { ts: reply.ts, user: 'U0MEMBER01', root: { ts: root.ts }, client_msg_id: expect.any(String) },
  ])
  await world.slack.member.edit(reply, 'edited')
  expect(await messagesIn(world, 'conversations.history')).toMatchObject([
    { text: 'edited', subtype: 'thread_broadcast' },
    { text: 'root' },
  ])
})

it('leaves a tombstone of a deleted root while it has replies', async () => {
  await using world = await start()
  const root = await world.slack.member.say('question')
  await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'answer' })
  await world.slack.member.delete(root)
  const tombstone = {
    subtype: 'tombstone',
    text: 'This message was deleted.',
    user: 'USLACKBOT',
    hidden: true,
    ts: root.ts,
    thread_ts: root.ts,
    parent_user_id: 'USLACKBOT',
    reply_count: 1,
    is_locked: false,
    subscribed: false,
  }
  const isChange = ({ subtype }: Fields) => subtype === 'message_changed'
  expect((await waitForEvents(world, isChange)).at(-1)).toMatchObject({
    message: tombstone,
    previous_message: { text: 'question', user: 'U0MEMBER01' },
    hidden: true,
  })
  expect(receivedEvents(world).filter(({ subtype }) => subtype === 'message_deleted')).toEqual([])
  expect(await messagesIn(world, 'conversations.history')).toMatchObject([tombstone])
  expect(await messagesIn(world, 'conversations.replies', { ts: root.ts })).toMatchObject([
    tombstone,
    { text: 'answer' },
  ])
  // Replies still work, but nothing can be done with the tombstone.
  expect(
    await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'more' }),
  ).toMatchObject({
    ok: true,
  })
  for (const [method, args] of [
    ['chat.update', { channel: CHANNEL, ts: root.ts, text: 'x' }],
    ['chat.delete', { channel: CHANNEL, ts: root.ts }],
  ] as const)
    expect(await world.api(method, args), method).toMatchObject({ error: 'message_not_found' })
})

it('leaves a tombstone of the app’s own root, and removes it with the last reply', async () => {
  await using world = await start()
  const root = await world.api('chat.postMessage', {
    channel: CHANNEL,
    text: 'root',
    metadata: { event_type: 'x', event_payload: {} },
  })
  const reply = await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'reply' })
  await world.api('chat.delete', { channel: CHANNEL, ts: root.ts })
  const isTombstone = ({ message }: Fields) => (message as Fields | undefined)?.subtype === 'tombstone'
  const [changed] = await waitForEvents(world, isTombstone)
  expect(changed?.previous_message).toMatchObject({ text: 'root', bot_id: expect.any(String) })
  expect(changed?.message).not.toHaveProperty('metadata')
  await world.api('chat.delete', { channel: CHANNEL, ts: reply.ts })
  const isGone = ({ deleted_ts }: Fields) => deleted_ts === root.ts
  expect(await waitForEvents(world, isGone)).toMatchObject([
    {
      subtype: 'message_deleted',
      previous_message: {
        subtype: 'tombstone',
        reply_count: 0,
        reply_users_count: 0,
        latest_reply: '0000000000.000000',
        reply_users: [],
      },
    },
  ])
  expect(await messagesIn(world, 'conversations.history')).toEqual([])
  expect(await world.api('conversations.replies', { channel: CHANNEL, ts: root.ts })).toMatchObject({
    error: 'thread_not_found',
  })
})

it('deletes a root without replies, and one whose replies are gone', async () => {
  await using world = await start()
  const root = await world.api('chat.postMessage', { channel: CHANNEL, text: 'root' })
  const reply = await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'reply' })
  await world.api('chat.delete', { channel: CHANNEL, ts: reply.ts })
  await world.api('chat.delete', { channel: CHANNEL, ts: root.ts })
  expect(await messagesIn(world, 'conversations.history')).toEqual([])
})

it('sends app_mention again with `edited` when a mention is edited, or added by an edit', async () => {
  await using world = await startWorld()
  const mention = await world.slack.member.say('@example list')
  const added = await world.slack.member.say('list')
  await world.slack.member.edit(mention, '@example down')
  await world.slack.member.edit(added, '@example list')
  await world.slack.member.edit(added, 'list')
  const isMention = ({ type }: Fields) => type === 'app_mention'
  const events = await waitForEvents(world, isMention, 3)
  expect(events).toMatchObject([
    { ts: mention.ts, text: expect.stringMatching(/list$/) },
    {
      ts: mention.ts,
      event_ts: mention.ts,
      text: expect.stringMatching(/down$/),
      edited: { user: 'U0MEMBER01' },
    },
    { ts: added.ts, edited: { user: 'U0MEMBER01', ts: expect.stringMatching(/^\d+\.000000$/) } },
  ])
  expect(events).toHaveLength(3)
  expect(events[0]).not.toHaveProperty('edited')
  expect(new Set(world.sent.map(({ body }) => body.event_id)).size).toBe(world.sent.length)
})

it('refuses reactions to a tombstone', async () => {
  await using world = await startWorld(() => ({}), { manifestPath: WIDE_MANIFEST })
  const root = await world.api('chat.postMessage', { channel: CHANNEL, text: 'root' })
  await world.api('chat.postMessage', { channel: CHANNEL, thread_ts: root.ts, text: 'reply' })
  await world.api('reactions.add', { channel: CHANNEL, timestamp: root.ts, name: 'eyes' })
  await world.api('chat.delete', { channel: CHANNEL, ts: root.ts })
  expect((await messagesIn(world, 'conversations.replies', { ts: root.ts }))[0]).not.toHaveProperty(
    'reactions',
  )
  const react = { channel: CHANNEL, timestamp: root.ts, name: 'eyes' }
  expect(await world.api('reactions.add', react)).toMatchObject({ error: 'message_not_found' })
})

const WIDE_MANIFEST = new URL('../wide-manifest.yml', import.meta.url).pathname
