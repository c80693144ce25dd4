import { afterAll, beforeAll, expect, it } from 'vitest'
import { objectsIn } from '../../src/protocol/json.ts'
import { readId, startWorld, type World } from '../app.ts'

const GENERAL = 'C0GENERAL1'
const RANDOM = 'C0RANDOM01'
let world: World

beforeAll(async () => {
  const manifestPath = new URL('../shapes/manifest.yml', import.meta.url).pathname
  world = await startWorld(undefined, { manifestPath, rate: 'off' })
})
afterAll(() => world[Symbol.asyncDispose]())

/** The errors that the methods' pages on https://docs.slack.dev/reference/methods list (November 2026). */
it.each([
  ['conversations.open', {}, 'users_list_not_supplied'],
  ['conversations.open', { channel: GENERAL }, 'method_not_supported_for_channel_type'],
  ['conversations.open', { users: 'U0LEFT0001' }, 'user_disabled'],
  ['conversations.create', { name: '---' }, 'invalid_name_punctuation'],
  ['conversations.create', { name: '_-' }, 'invalid_name_punctuation'],
  ['conversations.archive', { channel: RANDOM }, 'not_in_channel'],
  ['chat.scheduledMessages.list', { channel: '#general' }, 'invalid_channel'],
  ['reactions.list', { user: 'U0NOPE' }, 'user_not_found'],
  ['dnd.teamInfo', {}, 'no_users_provided'],
])('%s with %j returns %s', async (method, args, error) => {
  expect(await world.api(method, args)).toMatchObject({ ok: false, error })
})

it.each([
  ['wave::skin-tone-3', undefined],
  ['house::skin-tone-3', 'invalid_name'],
  ['wave::skin-tone-7', 'invalid_name'],
  ['::', 'invalid_name'],
])('reactions.add accepts skin tones only of emoji that have them: %s', async (name, error) => {
  const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text: 'x' })
  const result = await world.api('reactions.add', { channel: GENERAL, timestamp: ts, name })
  expect(result).toMatchObject(error === undefined ? { ok: true } : { error })
})

it('says of every person why they can’t be invited, and then invites nobody', async () => {
  const channel = readId((await world.api('conversations.create', { name: 'invited' })).channel)
  const invite = (users: string) => world.api('conversations.invite', { channel, users })
  const errors = [
    { user: 'U0LEFT0001', ok: false, error: 'cant_invite' },
    { user: 'U0GUEST002', ok: false, error: 'ura_max_channels' },
    { user: 'U0FOREIGN1', ok: false, error: 'no_external_invite_permission' },
    { user: 'U0NOPE', ok: false, error: 'user_not_found' },
    { user: 'U0PLAYGBOT', ok: false, error: 'cant_invite_self' },
  ]
  const users = ['U0MEMBER01', ...errors.map(({ user }) => user)].join(',')
  expect(await invite(users)).toMatchObject({ ok: false, error: 'cant_invite', errors })
  expect(await world.api('conversations.members', { channel })).toMatchObject({ members: ['U0PLAYGBOT'] })
  expect(await invite('U0MEMBER01,U0MEMBER01')).toMatchObject({ ok: true })
  const { messages } = await world.api('conversations.history', { channel })
  expect(objectsIn(messages).filter(({ user }) => user === 'U0MEMBER01')).toHaveLength(1)
})

it('doesn’t let a bot unarchive a channel', async () => {
  const channel = readId((await world.api('conversations.create', { name: 'old' })).channel)
  expect(await world.api('conversations.unarchive', { channel })).toMatchObject({ error: 'not_archived' })
  expect(await world.api('conversations.archive', { channel })).toMatchObject({ ok: true })
  expect(await world.api('conversations.unarchive', { channel })).toMatchObject({ error: 'not_in_channel' })
})

it('doesn’t accept replies to a message about joining', async () => {
  await world.api('conversations.join', { channel: RANDOM })
  const { messages } = await world.api('conversations.history', { channel: RANDOM })
  const joined = objectsIn(messages).find(({ subtype }) => subtype === 'channel_join')
  const reply = { channel: RANDOM, thread_ts: joined?.ts ?? '', text: 'welcome' }
  expect(await world.api('chat.postMessage', reply)).toMatchObject({ error: 'cannot_reply_to_message' })
  const thread = { channel: RANDOM, ts: joined?.ts ?? '' }
  expect(await world.api('conversations.replies', thread)).toMatchObject({ error: 'thread_not_found' })
})

it('returns up to 1,000 replies of a thread on a page', async () => {
  const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text: 'root' })
  for (let count = 0; count < 120; count += 1)
    await world.api('chat.postMessage', { channel: GENERAL, thread_ts: ts, text: 'reply' })
  const { messages, has_more } = await world.api('conversations.replies', { channel: GENERAL, ts })
  expect({ count: objectsIn(messages).length, has_more }).toEqual({ count: 121, has_more: false })
})

it('doesn’t change a message that is still streaming', async () => {
  const { ts: thread_ts } = await world.slack.member.say('question')
  const recipient = { recipient_user_id: 'U0MEMBER01', recipient_team_id: 'T0PLAYGRND' }
  const { ts } = await world.api('chat.startStream', {
    channel: GENERAL,
    thread_ts,
    markdown_text: 'x',
    ...recipient,
  })
  const update = { channel: GENERAL, ts, text: 'y' }
  expect(await world.api('chat.update', update)).toMatchObject({ error: 'streaming_state_conflict' })
  await world.api('chat.stopStream', { channel: GENERAL, ts })
  expect(await world.api('chat.update', update)).toMatchObject({ ok: true })
})

it('knows Slackbot’s profile and presence', async () => {
  const user = 'USLACKBOT'
  expect(await world.api('users.profile.get', { user })).toMatchObject({ profile: { real_name: 'Slackbot' } })
  expect(await world.api('users.getPresence', { user })).toMatchObject({ presence: 'active' })
})

it('names the thread in the permalink of a reply', async () => {
  const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text: 'root' })
  const reply = await world.api('chat.postMessage', { channel: GENERAL, text: 'reply', thread_ts: ts })
  const getPermalink = async (message_ts: unknown) =>
    String((await world.api('chat.getPermalink', { channel: GENERAL, message_ts })).permalink)
  expect(await getPermalink(ts)).toMatch(/\/p\d+$/)
  const query = new URL(await getPermalink(reply.ts)).searchParams
  expect(Object.fromEntries(query)).toEqual({ thread_ts: ts, cid: GENERAL })
})

it('posts an ephemeral message with a custom name', async () => {
  const args = { channel: GENERAL, user: 'U0MEMBER01', text: 'only you', username: 'Helper' }
  await world.api('chat.postEphemeral', args)
  const message = (await world.slack.member.messages('general')).at(-1)
  expect(message).toMatchObject({ text: 'only you', customAuthor: { name: 'Helper' } })
})

it('shows in the inspector which arguments of a webhook are ignored', async () => {
  const webhook = String(world.playground.webhookUrl)
  await fetch(webhook, { method: 'POST', body: JSON.stringify({ text: 'x', unfurl_links: false }) })
  const sent = (await world.slack.deliveries()).filter(({ kind }) => kind === 'incoming_webhook')
  expect(sent.at(-1)?.notes).toEqual(['The playground ignores `unfurl_links`.'])
  expect((await fetch(webhook)).status).toBe(400)
})
