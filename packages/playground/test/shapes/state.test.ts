import { expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, startWorld, type World } from '../app.ts'

const CHANNEL = 'C0GENERAL1'
const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })
const toFields = (value: Json | undefined): Fields => (isFields(value) ? value : {})

/** Returns the URLs of the pictures in a response. */
const findPictures = (value: Json | undefined): string[] =>
  [...JSON.stringify(value).matchAll(/"(http:[^"]+\.png)"/g)].map(([, url = '']) => url)

it('serves the profile pictures of people and the icon of the app', async () => {
  await using world = await start()
  const { ts } = await world.api('chat.postMessage', { channel: CHANNEL, text: 'x' })
  const { messages } = await world.api('conversations.replies', { channel: CHANNEL, ts: ts ?? '' })
  const { user } = await world.api('users.info', { user: 'U0ADMIN001' })
  const [member, admin, app] = [await world.api('users.info', { user: 'U0MEMBER01' }), user, messages]
  expect([member, admin, app].map((answer) => findPictures(answer).length)).toEqual([6, 6, 3])
  for (const url of [...findPictures(admin), ...findPictures(app)]) {
    expect(new URL(url).origin).toBe(world.playground.url)
    const picture = await fetch(url)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    const bytes = Buffer.from(await picture.arrayBuffer())
    const side = Number(/-(\d+)\.png$/.exec(url)?.[1])
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([side, side])
  }
  const [pictureUrl = ''] = findPictures(admin)
  for (const url of [
    pictureUrl.replace(/-\d+\.png/, '-25.png'),
    pictureUrl.replace('U0ADMIN001', 'U0MEMBER01'),
  ])
    expect((await fetch(url)).status).toBe(404)
})

async function fetchParent(world: World): Promise<Fields> {
  const { messages } = await world.api('conversations.history', { channel: CHANNEL })
  const [parent] = Array.isArray(messages) ? messages : []
  return toFields(parent)
}

it('updates a thread’s summary as replies are added and deleted', async () => {
  await using world = await start()
  const { member, admin } = world.slack
  const { ts } = await member.say('parent')
  expect(await fetchParent(world)).not.toHaveProperty('reply_count')
  const first = await member.reply({ channel: CHANNEL, ts }, 'one')
  await admin.reply({ channel: CHANNEL, ts }, 'two')
  const last = await admin.reply({ channel: CHANNEL, ts }, 'three')
  expect(await fetchParent(world)).toMatchObject({
    thread_ts: ts,
    reply_count: 3,
    reply_users_count: 2,
    reply_users: ['U0MEMBER01', 'U0ADMIN001'],
    latest_reply: last.ts,
    subscribed: false,
    is_locked: false,
  })
  const replies = await world.api('conversations.replies', { channel: CHANNEL, ts })
  expect(replies.messages).toMatchObject([
    {},
    ...Array(3).fill({ parent_user_id: 'U0MEMBER01', thread_ts: ts }),
  ])
  const { ts: own } = await world.api('chat.postMessage', { channel: CHANNEL, text: 'own', thread_ts: ts })
  expect(await fetchParent(world)).toMatchObject({ subscribed: true })
  await world.api('chat.delete', { channel: CHANNEL, ts: own ?? '' })
  await admin.delete(last)
  await member.delete(first)
  const remaining = await fetchParent(world)
  expect(remaining).toMatchObject({ reply_count: 1, reply_users: ['U0ADMIN001'] })
  expect(remaining.latest_reply).not.toBe(last.ts)
})

it('returns num_members only from the methods that return it in Slack', async () => {
  await using world = await start()
  const fetchCounts = async (method: string, args: object) => {
    const answer = await world.api(method, args)
    const [first] = Array.isArray(answer.channels) ? answer.channels : [answer.channel]
    const { is_member, num_members } = toFields(first)
    return { is_member, num_members }
  }
  expect(await fetchCounts('conversations.info', { channel: CHANNEL })).toEqual({ is_member: true })
  const withCount = { channel: CHANNEL, include_num_members: true }
  expect(await fetchCounts('conversations.info', withCount)).toEqual({ is_member: true, num_members: 6 })
  expect(await fetchCounts('conversations.list', {})).toEqual({ is_member: true, num_members: 6 })
  expect(await fetchCounts('users.conversations', {})).toEqual({})
})

it('lists the conversations in which a file is shared, by type', async () => {
  await using world = await start()
  const { member } = world.slack
  const shareFile = async (channel: string) => {
    const { id } = await member.upload('a.csv', 'a,b')
    const { ts } = await member.say('look', { channel, files: [id] })
    const { file } = await world.api('files.info', { file: id })
    return { ts, file: toFields(file) }
  }
  const publicFile = await shareFile('general')
  expect(publicFile.file).toMatchObject({
    is_public: true,
    channels: [CHANNEL],
    groups: [],
    ims: [],
    shares: {
      public: { [CHANNEL]: [{ ts: publicFile.ts, channel_name: 'general', team_id: 'T0PLAYGRND' }] },
    },
  })
  const directFile = await shareFile('dm')
  expect(directFile.file).toMatchObject({
    is_public: false,
    channels: [],
    ims: [expect.stringMatching(/^D/)],
  })
  expect(Object.keys(toFields(directFile.file.shares))).toEqual(['private'])
})
