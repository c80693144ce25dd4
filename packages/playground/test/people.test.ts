import { describe, expect, it } from 'vitest'
import { isFields } from '../src/protocol/json.ts'
import { shownName } from '../src/web/people.ts'
import { createClock, FULL_MANIFEST, startWorld } from './app.ts'

const OPEN_MANIFEST = new URL('open-manifest.yml', import.meta.url).pathname

describe('the people of the playground', () => {
  const people: { id: string; fields: object }[] = [
    { id: 'U0MEMBER01', fields: { is_admin: false, is_restricted: false, is_bot: false, deleted: false } },
    { id: 'U0ADMIN001', fields: { is_admin: true } },
    { id: 'U0GUEST001', fields: { is_restricted: true, is_ultra_restricted: false } },
    { id: 'U0GUEST002', fields: { is_restricted: true, is_ultra_restricted: true } },
    { id: 'U0FOREIGN1', fields: { team_id: 'T0PARTNER1', is_restricted: false } },
    { id: 'U0LEFT0001', fields: { deleted: true, is_bot: false } },
    { id: 'U0OTHERBOT', fields: { is_bot: true } },
    { id: 'U0PLAYGBOT', fields: { is_bot: true, profile: { bot_id: 'B0PLAYGRND' } } },
  ]
  it.each(people)('have the right roles and teams: $id', async ({ id, fields }) => {
    await using world = await startWorld()
    const answer = await world.api('users.info', { user: id })
    expect(answer).toMatchObject({ ok: true, user: { team_id: 'T0PLAYGRND', ...fields } })
  })

  it.each(['U0GUEST001', 'U0GUEST002'])(
    'can’t join channels themselves if they are guests: %s',
    async (id) => {
      await using world = await startWorld()
      expect((await world.slack.user(id).state()).joinable).toEqual([])
    },
  )

  it('can’t act with a deactivated account until it’s reactivated, but their view can still be read', async () => {
    await using world = await startWorld(undefined, { manifestPath: FULL_MANIFEST })
    const { member } = world.slack
    await member.say('before')
    await member.updateAccount({ deleted: true })
    const actions = [
      () => member.command('/hc', 'list'),
      () => member.say('after'),
      () => member.openHome(),
      () => member.shortcut('ask'),
      () => member.join('random'),
    ]
    for (const act of actions)
      await expect(act()).rejects.toThrow("member's account is deactivated. Act as someone else")
    expect((await member.messages()).map(({ text }) => text)).toEqual(['before'])
    await member.updateAccount({ deleted: false })
    await member.say('after')
    expect((await member.messages()).map(({ text }) => text)).toEqual(['before', 'after'])
  })

  it('have an empty display name until they choose one, and then their mention shows it', async () => {
    await using world = await startWorld(undefined, { manifestPath: FULL_MANIFEST })
    const fetchProfile = async (user: string) => (await world.api('users.info', { user })).user
    expect(await fetchProfile('U0MEMBER01')).toMatchObject({
      name: 'member',
      real_name: 'Member',
      profile: { display_name: '', display_name_normalized: '', real_name: 'Member' },
    })
    await world.slack.member.updateAccount({ displayName: 'Mem' })
    expect(await world.waitForEvent('user_change')).toMatchObject({
      user: { profile: { display_name: 'Mem', real_name: 'Member' } },
    })
    await world.slack.load({ people: [{ name: 'ann', realName: 'Ann Example', displayName: 'Annie' }] })
    const { people } = await world.slack.member.state()
    const ann = people.find(({ name }) => name === 'ann')
    expect(await fetchProfile(ann?.id ?? '')).toMatchObject({
      name: 'ann',
      profile: { display_name: 'Annie' },
    })
    expect(ann && shownName(ann)).toBe('Annie')
  })

  it('are strangers if they share no channel with the app', async () => {
    await using world = await startWorld()
    const fetchPartner = async () => (await world.api('users.info', { user: 'U0FOREIGN1' })).user
    expect(await fetchPartner()).not.toHaveProperty('is_stranger')
    await world.slack.user('U0FOREIGN1').leave('partner')
    expect(await fetchPartner()).toMatchObject({ is_stranger: true, team_id: 'T0PARTNER1' })
  })

  it('have the time zone UTC unless the browser, a test, or a scenario sets another', async () => {
    // On this day, Berlin is 2 hours ahead of UTC, Kathmandu is 5:45 ahead, and St. John's is 2:30 behind.
    const clock = createClock(Date.UTC(2026, 6, 1, 22, 59, 59))
    await using world = await startWorld(undefined, { manifestPath: FULL_MANIFEST, now: clock.now })
    const fetchUser = async (user: string) => (await world.api('users.info', { user })).user
    expect(await fetchUser('U0MEMBER01')).toMatchObject({
      tz: 'Etc/UTC',
      tz_label: 'Coordinated Universal Time',
      tz_offset: 0,
    })
    await world.callControlApi('zone', { tz: 'Asia/Kathmandu' })
    expect(await fetchUser('U0ADMIN001')).toMatchObject({ tz: 'Asia/Kathmandu', tz_offset: 20_700 })
    await world.slack.member.updateAccount({ tz: 'Europe/Berlin' })
    expect(await world.waitForEvent('user_change')).toMatchObject({
      user: { id: 'U0MEMBER01', tz: 'Europe/Berlin', tz_offset: 7200 },
    })
    await world.slack.load({ people: [{ name: 'nadia', tz: 'America/St_Johns' }] })
    const { people } = await world.slack.member.state()
    const nadia = people.find(({ name }) => name === 'nadia')?.id ?? ''
    expect(await fetchUser(nadia)).toMatchObject({ tz: 'America/St_Johns', tz_offset: -9000 })
    await expect(world.slack.member.updateAccount({ tz: 'Mars/Base' })).rejects.toThrow('must be a time zone')
    clock.advance(180 * 86_400_000)
    expect(await fetchUser('U0MEMBER01')).toMatchObject({ tz_offset: 3600 })
  })

  it('can all be chosen under “Acting as”, except the app’s own bots', async () => {
    await using world = await startWorld()
    const { actors, people: allPeople, workspaces } = await world.slack.member.state()
    expect(actors.slice(0, 2)).toEqual(['U0MEMBER01', 'U0ADMIN001'])
    expect(actors).not.toContain('U0PLAYGBOT')
    const roles = new Set(allPeople.filter(({ id }) => actors.includes(id)).map(({ role }) => role))
    expect(roles).toEqual(new Set(['member', 'admin', 'guest', 'single-channel-guest', 'foreign', 'bot']))
    expect(workspaces.map(({ id, installed }) => [id, installed])).toEqual([
      ['T0PLAYGRND', true],
      ['T0WORKSHOP', false],
      ['T0FACTORY1', false],
    ])
  })

  it('act in the workspace of a shared channel, even if they belong to another workspace', async () => {
    await using world = await startWorld()
    const partner = world.slack.user('U0FOREIGN1')
    await world.slack.member.say('hello', { channel: 'partner' })
    await partner.command('/hc', '', { channel: 'partner', until: () => true })
    expect(world.sent.at(-1)?.body).toMatchObject({ team_id: 'T0PLAYGRND', user_id: 'U0FOREIGN1' })
    const { channels } = await partner.state()
    expect(channels.map(({ name, sharedWith }) => [name, sharedWith])).toEqual([
      ['partner', 'Partner Company'],
    ])
    expect(await world.api('conversations.info', { channel: 'C0PARTNER1' })).toMatchObject({
      channel: { is_ext_shared: true },
    })
  })

  it('can’t use the app in a workspace that hasn’t installed it', async () => {
    await using world = await startWorld()
    const answer = await world.slack.user('U0WSMEMBR1').command('/hc')
    expect(answer.text).toBe('/hc is not a valid command.')
    expect(world.sent).toEqual([])
  })

  it('belong to user groups', async () => {
    await using world = await startWorld()
    const listed = await world.api('usergroups.list', { include_users: true })
    expect(listed).toMatchObject({
      usergroups: [
        { id: 'S0ONCALL01', handle: 'on-call', users: ['U0MEMBER01'] },
        { id: 'S0APPROVER', handle: 'approvers' },
      ],
    })
    expect(await world.api('usergroups.users.list', { usergroup: 'S0ONCALL01' })).toMatchObject({
      users: ['U0MEMBER01'],
    })
    expect(await world.api('usergroups.users.list', { usergroup: 'S0NOPE' })).toMatchObject({
      error: 'no_such_subteam',
    })
  })
})

describe('a workspace’s token', () => {
  const REJECTED_CALLS: { method: string; args: object; error: string }[] = [
    { method: 'users.info', args: { user: 'U0WSMEMBR1' }, error: 'user_not_found' },
    { method: 'users.lookupByEmail', args: { email: 'wanda@example.com' }, error: 'users_not_found' },
    { method: 'conversations.info', args: { channel: 'C0WSGENERL' }, error: 'channel_not_found' },
    { method: 'conversations.open', args: { users: 'U0WSMEMBR1' }, error: 'user_not_found' },
    { method: 'chat.postMessage', args: { channel: 'C0WSGENERL', text: 'x' }, error: 'channel_not_found' },
    { method: 'chat.postMessage', args: { channel: 'U0WSMEMBR1', text: 'x' }, error: 'channel_not_found' },
    {
      method: 'views.publish',
      args: { user_id: 'U0WSMEMBR1', view: { type: 'home', blocks: [{ type: 'divider' }] } },
      error: 'user_not_found',
    },
  ]
  it.each(REJECTED_CALLS)('can’t access another workspace: $method', async ({ method, args, error }) => {
    await using world = await startWorld()
    expect(await world.api(method, args)).toMatchObject({ ok: false, error })
  })

  it('doesn’t list a person’s private channels that the app isn’t in', async () => {
    await using world = await startWorld(undefined, { manifestPath: OPEN_MANIFEST })
    const { member } = world.slack
    await member.createChannel('secret-plans', { privacy: 'private' })
    await member.createChannel('open-plans')
    const listNames = async (types: string) => {
      const { channels } = await world.api('users.conversations', { user: 'U0MEMBER01', types })
      return Array.isArray(channels) ? channels.map((channel) => isFields(channel) && channel.name) : []
    }
    expect(await listNames('private_channel,mpim')).toEqual([])
    expect(await listNames('public_channel,private_channel')).toContain('open-plans')
  })

  it('can list only people in its workspace and in shared channels', async () => {
    await using world = await startWorld()
    const { members } = await world.api('users.list')
    const teams = Array.isArray(members) ? members.map((member) => isFields(member) && member.team_id) : []
    expect(new Set(teams)).toEqual(new Set(['T0PLAYGRND', 'T0PARTNER1']))
  })
})
