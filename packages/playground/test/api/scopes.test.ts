import { describe, expect, it } from 'vitest'
import { isFields } from '../../src/json.ts'
import { receivedEvents, startWorld, type World } from '../app.ts'

const ALL = new URL('../shapes/manifest.yml', import.meta.url).pathname
const start = (...missingScopes: string[]) =>
  startWorld(undefined, { manifestPath: ALL, rate: 'off', missingScopes })

describe('the scope for a kind of conversation', () => {
  it.each([
    {
      missing: 'groups:read',
      method: 'conversations.list',
      args: { types: 'public_channel,private_channel' },
    },
    { missing: 'channels:read', method: 'conversations.list', args: {} },
    { missing: 'im:read', method: 'users.conversations', args: { types: 'im' } },
    { missing: 'groups:write', method: 'conversations.create', args: { name: 'x', is_private: true } },
    { missing: 'channels:manage', method: 'conversations.create', args: { name: 'x' } },
    { missing: 'im:write', method: 'conversations.open', args: { users: 'U0MEMBER01' } },
    { missing: 'mpim:write', method: 'conversations.open', args: { users: 'U0MEMBER01,U0ADMIN001' } },
  ])('is required: $method without $lacks', async ({ missing, method, args }) => {
    await using refused = await start(missing)
    expect(await refused.api(method, args)).toMatchObject({ error: 'missing_scope', needed: missing })
    await using allowed = await start()
    expect(await allowed.api(method, args)).toMatchObject({ ok: true })
  })

  it('can be narrower for a topic and for invitations', async () => {
    await using world = await start('channels:manage')
    const topic = { channel: 'C0GENERAL1', topic: 'x' }
    const invited = { channel: 'C0GENERAL1', users: 'U0GUEST002' }
    for (const [method, args] of [['setTopic', topic] as const, ['invite', invited] as const])
      expect(await world.api(`conversations.${method}`, args)).toMatchObject({
        ...{ error: 'missing_scope', needed: expect.stringContaining('channels:write.') },
      })
  })
})

describe('the scope for an event', () => {
  const eventTypes = (world: World) => receivedEvents(world).map(({ type }) => type)
  /** A person joins a public and a private channel that the app is in. */
  async function join(world: World): Promise<void> {
    const created = await world.api('conversations.create', { name: 'closed', is_private: true })
    const id = isFields(created.channel) ? String(created.channel.id) : ''
    await world.api('conversations.invite', { channel: id, users: 'U0ADMIN001' })
    await world.slack.admin.leave('operations')
    await world.slack.admin.join('operations')
    await world.waitForEvent('member_left_channel')
  }

  it('is the one for that kind of channel', async () => {
    await using world = await start()
    await join(world)
    expect(eventTypes(world).filter((one) => one === 'member_joined_channel')).toHaveLength(2)
  })

  it('isn’t the one for another kind of channel', async () => {
    await using world = await start('groups:read')
    await join(world)
    expect(receivedEvents(world).filter(({ type }) => type === 'member_joined_channel')).toMatchObject([
      { channel: 'C0OPERATNS' },
    ])
  })

  it('isn’t enough without a subscription', async () => {
    await using world = await startWorld(undefined, {
      manifestPath: ALL.replace('shapes/manifest', 'wide-manifest'),
    })
    await world.slack.admin.change('general', { name: 'general-2' })
    await world.slack.admin.say('x', { channel: 'operations' })
    await world.waitForEvent('message')
    expect(eventTypes(world)).not.toContain('channel_rename')
  })
})
