import { describe, expect, it } from 'vitest'
import { readId, receivedEvents, startWorld, type World } from '../app.ts'

const ALL_SCOPES = new URL('../shapes/manifest.yml', import.meta.url).pathname
const start = (...missingScopes: string[]) =>
  startWorld(undefined, { manifestPath: ALL_SCOPES, rate: 'off', missingScopes })

describe('conversation scopes', () => {
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
  ])('require $missing for $method', async ({ missing, method, args }) => {
    await using withoutScope = await start(missing)
    expect(await withoutScope.api(method, args)).toMatchObject({ error: 'missing_scope', needed: missing })
    await using withScope = await start()
    expect(await withScope.api(method, args)).toMatchObject({ ok: true })
  })

  it('are reported with the narrower scope by conversations.setTopic and conversations.invite', async () => {
    await using world = await start('channels:manage')
    const topic = { channel: 'C0GENERAL1', topic: 'x' }
    const invitation = { channel: 'C0GENERAL1', users: 'U0GUEST002' }
    for (const [method, args] of [['setTopic', topic] as const, ['invite', invitation] as const])
      expect(await world.api(`conversations.${method}`, args)).toMatchObject({
        error: 'missing_scope',
        needed: expect.stringContaining('channels:write.'),
      })
  })
})

describe('channel events and scopes', () => {
  const eventTypes = (world: World) => receivedEvents(world).map(({ type }) => type)
  /** Makes a person join a public and a private channel that the app is in. */
  async function joinChannels(world: World): Promise<void> {
    const created = await world.api('conversations.create', { name: 'closed', is_private: true })
    const id = readId(created.channel)
    await world.api('conversations.invite', { channel: id, users: 'U0ADMIN001' })
    await world.slack.admin.leave('operations')
    await world.slack.admin.join('operations')
    await world.waitForEvent('member_left_channel')
  }

  it('sends events for public and private channels if the app has both scopes', async () => {
    await using world = await start()
    await joinChannels(world)
    expect(eventTypes(world).filter((type) => type === 'member_joined_channel')).toHaveLength(2)
  })

  it('sends no events for private channels without groups:read', async () => {
    await using world = await start('groups:read')
    await joinChannels(world)
    expect(receivedEvents(world).filter(({ type }) => type === 'member_joined_channel')).toMatchObject([
      { channel: 'C0OPERATNS' },
    ])
  })

  it('sends no events without a subscription, regardless of the scopes', async () => {
    await using world = await startWorld(undefined, {
      manifestPath: ALL_SCOPES.replace('shapes/manifest', 'wide-manifest'),
    })
    await world.slack.admin.updateChannel('general', { name: 'general-2' })
    await world.slack.admin.say('x', { channel: 'operations' })
    await world.waitForEvent('message')
    expect(eventTypes(world)).not.toContain('channel_rename')
  })
})
