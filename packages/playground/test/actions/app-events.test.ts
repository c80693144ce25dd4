import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { receivedEvents, startWorld, type World } from '../app.ts'

const WIDE_MANIFEST = new URL('../wide-manifest.yml', import.meta.url).pathname
const GENERAL = 'C0GENERAL1'
const RANDOM = 'C0RANDOM01'
const start = () => startWorld(undefined, { manifestPath: WIDE_MANIFEST, rate: 'off' })

/** Waits until the app has received this many events, and returns them. */
async function waitForEvents(world: World, count: number): Promise<Fields[]> {
  await world.eventually(`${count} events`, () => receivedEvents(world).length >= count)
  return receivedEvents(world)
}

describe('app events', () => {
  it('sends a person’s message with a rich text block and a client_msg_id', async () => {
    await using world = await start()
    await world.slack.member.say('*R&D*: see https://example.com')
    expect(await waitForEvents(world, 1)).toMatchObject([
      {
        type: 'message',
        client_msg_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        text: '*R&amp;D*: see <https://example.com>',
        blocks: [
          {
            type: 'rich_text',
            elements: [
              {
                type: 'rich_text_section',
                elements: [
                  { type: 'text', text: 'R&D', style: { bold: true } },
                  { type: 'text', text: ': see ' },
                  { type: 'link', url: 'https://example.com' },
                ],
              },
            ],
          },
        ],
      },
    ])
  })

  it('sends posts, edits, and deletions of the app’s own messages, except ephemeral ones', async () => {
    await using world = await start()
    const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text: 'before' })
    await world.api('chat.postEphemeral', { channel: GENERAL, user: 'U0MEMBER01', text: 'hush' })
    await world.api('chat.update', { channel: GENERAL, ts: ts ?? '', text: 'after' })
    await world.api('chat.delete', { channel: GENERAL, ts: ts ?? '' })
    expect(await waitForEvents(world, 3)).toMatchObject([
      {
        type: 'message',
        text: 'before',
        bot_id: 'B0PLAYGRND',
        bot_profile: { name: 'Wide' },
        channel_type: 'channel',
      },
      {
        subtype: 'message_changed',
        hidden: true,
        message: { text: 'after', edited: { user: 'U0PLAYGBOT' } },
        previous_message: { text: 'before' },
      },
      { subtype: 'message_deleted', deleted_ts: ts, previous_message: { text: 'after' } },
    ])
    expect(JSON.stringify(world.sent)).not.toContain('hush')
  })

  it('sends edits and deletions of a person’s message', async () => {
    await using world = await start()
    const sent = await world.slack.member.say('one')
    const ts = 'ts' in sent ? String(sent.ts) : ''
    await world.slack.member.edit({ channel: GENERAL, ts }, 'two')
    await world.slack.member.delete({ channel: GENERAL, ts })
    expect(await waitForEvents(world, 3)).toMatchObject([
      { text: 'one' },
      { subtype: 'message_changed', message: { text: 'two' } },
      { subtype: 'message_deleted', deleted_ts: ts },
    ])
  })

  it('sends reactions and pins', async () => {
    await using world = await start()
    await world.slack.member.say('look')
    const [message] = await world.slack.member.messages()
    const messageId = { channel: GENERAL, ts: message?.ts ?? '' }
    await world.slack.admin.react(messageId, 'eyes')
    await world.slack.admin.react(messageId, 'eyes', { remove: true })
    await world.slack.admin.pin(messageId)
    await world.slack.admin.pin(messageId, { remove: true })
    const item = { type: 'message', ...messageId }
    expect((await waitForEvents(world, 5)).slice(1)).toMatchObject([
      { type: 'reaction_added', user: 'U0ADMIN001', reaction: 'eyes', item, item_user: 'U0MEMBER01' },
      { type: 'reaction_removed', reaction: 'eyes', item },
      {
        type: 'pin_added',
        channel_id: GENERAL,
        item: { channel: GENERAL, message: { ts: messageId.ts, text: 'look' } },
      },
      { type: 'pin_removed', pin_count: 0 },
    ])
    await expect(world.slack.admin.react(messageId, 'not an emoji')).rejects.toThrow("can't be added")
  })

  it('says who pinned a message and when, in events and in pins.list', async () => {
    await using world = await start()
    await world.slack.member.say('look')
    const [message] = await world.slack.member.messages()
    const messageId = { channel: GENERAL, ts: message?.ts ?? '' }
    await world.slack.clock({ at: '2026-11-20T10:00:00Z' })
    await world.slack.admin.pin(messageId)
    const pinned = { created_by: 'U0ADMIN001', created: Date.parse('2026-11-20T10:00:00Z') / 1000 }
    expect(await world.api('pins.list', { channel: GENERAL })).toMatchObject({
      items: [{ type: 'message', message: { text: 'look', user: 'U0MEMBER01' }, ...pinned }],
    })
    await world.slack.clock({ advanceMs: 60_000 })
    await world.slack.member.pin(messageId, { remove: true })
    const pinned_info = { channel: GENERAL, pinned_by: pinned.created_by, pinned_ts: pinned.created }
    const messageFields = { text: 'look', permalink: expect.stringContaining('/archives/') }
    expect((await waitForEvents(world, 3)).slice(1)).toMatchObject([
      { type: 'pin_added', user: 'U0ADMIN001', item: { message: messageFields, ...pinned }, pinned_info },
      { type: 'pin_removed', user: 'U0MEMBER01', item: { message: messageFields, ...pinned }, pinned_info },
    ])
  })

  it('sends channel_shared and channel_unshared when a channel is shared with another organization and unshared', async () => {
    await using world = await start()
    const { member } = world.slack
    for (const sharedWith of ['Partner Company', 'Partner Company', ''])
      await member.updateChannel('general', { sharedWith })
    expect(await waitForEvents(world, 2)).toMatchObject([
      { type: 'channel_shared', channel: 'C0GENERAL1', connected_team_id: 'T0PARTNER1' },
      { type: 'channel_unshared', channel: 'C0GENERAL1', is_ext_shared: false },
    ])
    expect((await member.state()).channels.find(({ name }) => name === 'general')?.sharedWith).toBe(undefined)
  })

  it('sends joins and leaves only for channels that the app’s bot is in', async () => {
    await using world = await start()
    const { slack } = world
    const { admin } = slack
    await admin.leave(RANDOM)
    await admin.join(RANDOM)
    expect(receivedEvents(world)).toEqual([])
    await world.api('conversations.join', { channel: RANDOM })
    await waitForEvents(world, 2)
    await admin.leave(RANDOM)
    await admin.join(RANDOM)
    const all = await waitForEvents(world, 6)
    expect(all.filter(({ type }) => type !== 'message')).toMatchObject([
      {
        type: 'member_joined_channel',
        user: 'U0PLAYGBOT',
        channel: RANDOM,
        channel_type: 'C',
        team: 'T0PLAYGRND',
      },
      { type: 'member_left_channel', user: 'U0ADMIN001' },
      { type: 'member_joined_channel', user: 'U0ADMIN001' },
    ])
    expect(all.filter(({ subtype }) => subtype === 'channel_join')).toMatchObject([
      { user: 'U0PLAYGBOT' },
      { user: 'U0ADMIN001', text: '<@U0ADMIN001> has joined the channel' },
    ])
    expect((await admin.state()).channels.map(({ id }) => id)).toContain(RANDOM)
  })

  it('sends events about channels that the app creates and about profile changes', async () => {
    await using world = await start()
    await world.api('conversations.create', { name: 'incidents' })
    await world.slack.member.updateAccount({ realName: 'Member the Second', role: 'admin' })
    expect(await waitForEvents(world, 2)).toMatchObject([
      { type: 'channel_created', channel: { name: 'incidents', creator: 'U0PLAYGBOT' } },
      { type: 'user_change', user: { id: 'U0MEMBER01', real_name: 'Member the Second', is_admin: true } },
    ])
  })
})
