import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, readId, receivedEvents, startWorld, type World } from '../app.ts'

const OPEN_MANIFEST = new URL('../open-manifest.yml', import.meta.url).pathname
const RANDOM = 'C0RANDOM01'
const OPERATIONS = 'C0OPERATNS'
const start = () => startWorld(undefined, { manifestPath: OPEN_MANIFEST, rate: 'off' })

/** Waits for an event of this type, or for a message of this subtype, and returns the first one. */
async function waitForEvent(world: World, type: string, subtype?: string): Promise<Fields> {
  const find = () => receivedEvents(world).find((event) => event.type === type && event.subtype === subtype)
  await world.eventually(type, () => find() !== undefined)
  return find() ?? {}
}

describe('channel changes', () => {
  it.each([
    {
      change: { name: 'ops' },
      text: 'has renamed the channel from "operations" to "ops"',
      event: { type: 'channel_rename', channel: { id: OPERATIONS, name: 'ops' } },
      message: { subtype: 'channel_name', old_name: 'operations', name: 'ops', user: 'U0MEMBER01' },
      channel: { name: 'ops' },
    },
    {
      change: { topic: 'quiet' },
      text: 'set the channel topic: quiet',
      message: { subtype: 'channel_topic', topic: 'quiet' },
      channel: { topic: { value: 'quiet' } },
    },
    {
      change: { archived: true },
      text: 'archived the channel',
      event: { type: 'channel_archive', channel: OPERATIONS, user: 'U0MEMBER01' },
      message: { subtype: 'channel_archive' },
      channel: { is_archived: true },
    },
  ])(
    'shows $change in the channel, in the Web API, and in an event to the app',
    async ({ change, text, event, message, channel }) => {
      await using world = await start()
      const { member } = world.slack
      await member.updateChannel(OPERATIONS, change)
      const last = (await member.messages(OPERATIONS)).at(-1)
      expect(last).toMatchObject({ text: `<@U0MEMBER01> ${text}`, subtype: message.subtype })
      expect(await waitForEvent(world, 'message', message.subtype)).toMatchObject({
        ...message,
        channel_type: 'channel',
      })
      if (event) expect(await waitForEvent(world, event.type)).toMatchObject(event)
      expect(await world.api('conversations.info', { channel: OPERATIONS })).toMatchObject({ channel })
    },
  )

  it('shows changes that the app makes in the same way', async () => {
    await using world = await start()
    await world.api('conversations.setTopic', { channel: OPERATIONS, topic: 'by the app' })
    await world.slack.member.see('set the channel topic: by the app')
    await world.api('conversations.leave', { channel: OPERATIONS })
    expect(await waitForEvent(world, 'channel_left')).toMatchObject({ channel: OPERATIONS })
    expect(await waitForEvent(world, 'message', 'channel_leave')).toMatchObject({ user: 'U0PLAYGBOT' })
  })

  it('rejects archiving #general', async () => {
    await using world = await start()
    const archiving = world.slack.admin.updateChannel('general', { archived: true })
    await expect(archiving).rejects.toThrow('Nobody can archive #general')
  })

  it('rejects archiving or leaving the general channel under another name, too', async () => {
    await using world = await start()
    const { admin } = world.slack
    await admin.updateChannel('general', { name: 'lobby' })
    await expect(admin.updateChannel('lobby', { archived: true })).rejects.toThrow(
      'Nobody can archive #lobby',
    )
    await expect(admin.leave('lobby')).rejects.toThrow('Nobody can leave #lobby')
    const channel = 'C0GENERAL1'
    expect(await world.api('conversations.info', { channel })).toMatchObject({
      channel: { is_general: true },
    })
    expect(await world.api('conversations.archive', { channel })).toMatchObject({
      error: 'cant_archive_general',
    })
    await admin.createChannel('general')
    const other = await world.api('conversations.list', {})
    expect(other).toMatchObject({
      channels: expect.arrayContaining([expect.objectContaining({ name: 'general', is_general: false })]),
    })
  })
})

describe('private conversations', () => {
  it('are hidden from the app and people who aren’t members', async () => {
    await using world = await start()
    await world.slack.member.createChannel('plans', { privacy: 'private' })
    const { channels } = await world.slack.member.state()
    const { id } = channels.find(({ name }) => name === 'plans') ?? { id: '' }
    expect(await world.api('conversations.info', { channel: id })).toMatchObject({
      error: 'channel_not_found',
    })
    expect(await world.api('chat.postMessage', { channel: id, text: 'x' })).toMatchObject({
      error: 'channel_not_found',
    })
    expect((await world.slack.admin.state()).channels.map(({ name }) => name)).not.toContain('plans')
  })

  it('are called groups in the Web API and in events', async () => {
    await using world = await start()
    const { channel } = await world.api('conversations.create', { name: 'secret', is_private: true })
    const id = readId(channel)
    expect(channel).toMatchObject({ is_private: true, is_group: true, is_channel: false })
    await world.api('conversations.invite', { channel: id, users: 'U0MEMBER01' })
    await world.slack.member.say('hush', { channel: id })
    expect(await waitForEvent(world, 'message')).toMatchObject({ channel_type: 'group' })
  })

  it('require their own scope (groups:history) for history and events', async () => {
    await using world = await startWorld(undefined, {
      manifestPath: OPEN_MANIFEST,
      rate: 'off',
      missingScopes: ['groups:history'],
    })
    const { channel } = await world.api('conversations.create', { name: 'secret', is_private: true })
    const id = readId(channel)
    await world.api('conversations.invite', { channel: id, users: 'U0MEMBER01' })
    await world.slack.member.say('hush', { channel: id })
    expect(receivedEvents(world).filter(({ type }) => type === 'message')).toEqual([])
    expect(await world.api('conversations.history', { channel: id })).toMatchObject({
      error: 'missing_scope',
      needed: 'groups:history',
    })
  })

  it('are reused if the app opens a conversation with the same people', async () => {
    await using world = await start()
    const first = await world.api('conversations.open', { users: 'U0MEMBER01,U0ADMIN001' })
    expect(first).toMatchObject({ no_op: false, channel: { is_mpim: true, is_private: true } })
    const second = await world.api('conversations.open', { users: 'U0ADMIN001,U0MEMBER01' })
    expect(second).toMatchObject({
      no_op: true,
      channel: { id: readId(first.channel) },
    })
  })
})

describe('the app’s scopes', () => {
  it('allow posting without joining (chat:write.public) and under another name (chat:write.customize)', async () => {
    await using world = await start()
    const customized = {
      channel: RANDOM,
      text: 'from outside',
      username: 'Weather',
      icon_emoji: ':sunny:',
    }
    expect(await world.api('chat.postMessage', customized)).toMatchObject({
      ok: true,
      message: { username: 'Weather', icons: { emoji: ':sunny:' } },
    })
  })

  it('expose email addresses only with users:read.email', async () => {
    await using world = await start()
    const { user } = await world.api('users.info', { user: 'U0MEMBER01' })
    expect(JSON.stringify(user)).not.toContain('member@example.com')
  })

  it('allow events about new people and shared files', async () => {
    await using world = await start()
    await world.slack.load({ people: [{ name: 'newcomer' }] })
    expect(await waitForEvent(world, 'team_join')).toMatchObject({ user: { name: 'newcomer' } })
    const { id } = await world.slack.member.upload('a.csv', 'x')
    await world.slack.member.say('see', { files: [id] })
    expect(await waitForEvent(world, 'file_shared')).toMatchObject({ file_id: id, user_id: 'U0MEMBER01' })
  })
})

it('rejects a click, without calling the app, if interactivity is off in the manifest', async () => {
  const manifestPath = new URL('../quiet-manifest.yml', import.meta.url).pathname
  await using world = await startWorld(undefined, { manifestPath })
  const block = {
    type: 'actions',
    elements: [{ type: 'button', text: { type: 'plain_text', text: 'Go' }, action_id: 'go' }],
  }
  await world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'x', blocks: [block] })
  const [message] = await world.slack.member.messages()
  const answer = await world.slack.member.click(message, 'Go', { until: () => true })
  expect(answer.outcome).toMatchObject({ ok: false, error: 'interactivity_off' })
  expect(world.sent).toEqual([])
})

it('sends three events for a profile change, and returns the new profile to the app', async () => {
  await using world = await startWorld(undefined, { manifestPath: FULL_MANIFEST })
  await world.slack.member.updateAccount({
    title: 'Operator',
    status: { text: 'Away', emoji: ':palm_tree:' },
  })
  const profileChange = { profile: { title: 'Operator', status_text: 'Away', status_emoji: ':palm_tree:' } }
  for (const type of ['user_change', 'user_profile_changed', 'user_status_changed'])
    expect(await waitForEvent(world, type)).toMatchObject({ user: profileChange })
  expect(await world.api('users.profile.get', { user: 'U0MEMBER01' })).toMatchObject(profileChange)
})
