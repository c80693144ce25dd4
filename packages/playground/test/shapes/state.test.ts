import { expect, it } from 'vitest'
import { isFields } from '../../src/json.ts'
import type { Fields, Json } from '../../src/protocol.ts'
import { startWorld, WHOLE_MANIFEST, type World } from '../app.ts'

const CHANNEL = 'C0GENERAL1'
const start = () => startWorld(undefined, { manifestPath: WHOLE_MANIFEST, rate: 'off' })
const object = (value: Json | undefined): Fields => (isFields(value) ? value : {})

/** The URL of every picture in an answer. */
const picturesIn = (value: Json | undefined): string[] =>
  [...JSON.stringify(value).matchAll(/"(http:[^"]+\.png)"/g)].map(([, url = '']) => url)

it('serves the pictures of people, the app, and the workspace itself', async () => {
  await using world = await start()
  const { ts } = await world.api('chat.postMessage', { channel: CHANNEL, text: 'x' })
  const { messages } = await world.api('conversations.replies', { channel: CHANNEL, ts: ts ?? '' })
  const { user } = await world.api('users.info', { user: 'U0ADMIN001' })
  const [member, admin, app] = [await world.api('users.info', { user: 'U0MEMBER01' }), user, messages]
  expect([member, admin, app].map((one) => picturesIn(one).length)).toEqual([6, 6, 3])
  for (const url of [...picturesIn(admin), ...picturesIn(app)]) {
    expect(new URL(url).origin).toBe(world.playground.url)
    const picture = await fetch(url)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    const bytes = Buffer.from(await picture.arrayBuffer())
    const side = Number(/-(\d+)\.png$/.exec(url)?.[1])
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([side, side])
  }
  const [known = ''] = picturesIn(admin)
  for (const url of [known.replace(/-\d+\.png/, '-25.png'), known.replace('U0ADMIN001', 'U0MEMBER01')])
    expect((await fetch(url)).status).toBe(404)
})

async function thread(world: World): Promise<Fields> {
  const { messages } = await world.api('conversations.history', { channel: CHANNEL })
  const [parent] = Array.isArray(messages) ? messages : []
  return object(parent)
}

it('updates the summary of a thread as replies are added and deleted', async () => {
  await using world = await start()
  const { member, admin } = world.slack
  const { ts } = await member.say('parent')
  expect(await thread(world)).not.toHaveProperty('reply_count')
  const first = await member.reply({ channel: CHANNEL, ts }, 'one')
  await admin.reply({ channel: CHANNEL, ts }, 'two')
  const last = await admin.reply({ channel: CHANNEL, ts }, 'three')
  expect(await thread(world)).toMatchObject({
    ...{ thread_ts: ts, reply_count: 3, reply_users_count: 2, reply_users: ['U0MEMBER01', 'U0ADMIN001'] },
    ...{ latest_reply: last.ts, subscribed: true, is_locked: false },
  })
  const replies = await world.api('conversations.replies', { channel: CHANNEL, ts })
  expect(replies.messages).toMatchObject([
    {},
    ...Array(3).fill({ parent_user_id: 'U0MEMBER01', thread_ts: ts }),
  ])
  await admin.delete(last)
  await member.delete(first)
  const left = await thread(world)
  expect(left).toMatchObject({ reply_count: 1, reply_users: ['U0ADMIN001'] })
  expect(left.latest_reply).not.toBe(last.ts)
})

it('returns the number of members of a channel only if Slack does', async () => {
  await using world = await start()
  const channel = async (method: string, args: object) => {
    const answer = await world.api(method, args)
    const [first] = Array.isArray(answer.channels) ? answer.channels : [answer.channel]
    const { is_member, num_members } = object(first)
    return { is_member, num_members }
  }
  expect(await channel('conversations.info', { channel: CHANNEL })).toEqual({ is_member: true })
  const withCount = { channel: CHANNEL, include_num_members: true }
  expect(await channel('conversations.info', withCount)).toEqual({ is_member: true, num_members: 6 })
  expect(await channel('conversations.list', {})).toEqual({ is_member: true, num_members: 6 })
  expect(await channel('users.conversations', {})).toEqual({})
})

it('says where a file is shared, by the kind of conversation', async () => {
  await using world = await start()
  const { member } = world.slack
  const shared = async (channel: string) => {
    const { id } = await member.upload('a.csv', 'a,b')
    const { ts } = await member.say('look', { channel, files: [id] })
    const { file } = await world.api('files.info', { file: id })
    return { ts, file: object(file) }
  }
  const open = await shared('general')
  expect(open.file).toMatchObject({
    ...{ is_public: true, channels: [CHANNEL], groups: [], ims: [] },
    shares: { public: { [CHANNEL]: [{ ts: open.ts, channel_name: 'general', team_id: 'T0PLAYGRND' }] } },
  })
  const direct = await shared('dm')
  expect(direct.file).toMatchObject({ is_public: false, channels: [], ims: [expect.stringMatching(/^D/)] })
  expect(Object.keys(object(direct.file.shares))).toEqual(['private'])
})
