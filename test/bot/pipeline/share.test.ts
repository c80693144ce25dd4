import type { PlaygroundOptions } from '@signalman/playground'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createThreatEvent } from '../../features/threats/events.ts'
import { CHANNEL_SCOPES } from '../../manifest.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'

const PARTNER = { channel: 'partner' }
const FOREIGNER = 'U0FOREIGN1'
const THREAT = '7e57ed00-0000-4000-8000-00000000000a'

const WEB = { name: 'web', target: 'www.example.com', alerts: [['oncall@example.com']] }

async function start(
  playground: Partial<PlaygroundOptions> = {},
  options: WorldOptions = {},
): Promise<World> {
  const world = await startWorld({ playground, checks: [WEB], ...options })
  await world.service.storeThreat(THREAT, { ...createThreatEvent('site.example'), id: THREAT })
  return world
}

/** The messages that a person of the other organization sees in the channel. */
const listPartnerMessages = (world: World) => world.slack.user(FOREIGNER).messages('partner')

/** Most tests share one world, without the messages of the others. */
let world: World
beforeAll(async () => {
  world = await start()
})
afterEach(() => world.slack.reset())
afterAll(() => world?.[Symbol.asyncDispose]())

describe('a channel shared with another organization', () => {
  it('shows responses only to the person who ran the command', async () => {
    for (const [command, text] of [
      ['/hc', 'show web'],
      ['/threat', THREAT],
      ['/hc', 'access'],
      ['/hc', 'nonsense'],
    ] as const) {
      const { message } = await world.slack.member.command(command, text, PARTNER)
      expect(message?.ephemeral).toBe(true)
    }
    expect(await listPartnerMessages(world)).toEqual([])
  })

  it('never learns who has the case of a threat event that was shared there', async () => {
    // The card of a case may change later, so this has its own world.
    await using world = await start()
    const { member } = world.slack
    await member.command('/threat', `${THREAT} --share --yes`, { ...PARTNER, until: 'Shared by' })
    const shared = await listPartnerMessages(world)
    await member.command('/threat', `take ${THREAT}`, { until: 'Posting its card in <#C0GENERAL1>' })
    await member.see('Taken by Member · reported')
    expect(await listPartnerMessages(world)).toEqual(shared)
    await member.command('/threat', `case ${THREAT}`, { until: 'Its card is in <#C0GENERAL1>' })
  })

  it('rejects sharing if Slack doesn’t report whether it is shared with another organization', async () => {
    await using world = await start({ missingScopes: CHANNEL_SCOPES.read })
    const { member } = world.slack
    const { text } = await member.command('/hc', 'show web --share', {
      ...PARTNER,
      until: 'Signalman can’t see who reads this channel. Install it again with the scopes channels:read',
    })
    expect(text).not.toContain('Shared by')
    await world.slack.faults({ method: 'conversations.info', kind: 'status', status: 500 })
    const failed = await member.command('/hc', 'show web --share', {
      ...PARTNER,
      until: /Reference|Nothing was changed/,
    })
    expect(failed.text).toContain('Nothing was changed.')
    expect(await listPartnerMessages(world)).toEqual([])
  })
})

it.each([
  ['/threat', THREAT],
  ['/hc', 'show web'],
])('doesn’t let a guest share: %s', async (command, typed) => {
  await using world = await start({}, { guests: 'can-view' })
  const guest = world.slack.user('U0GUEST001')
  const { message } = await guest.command(command, typed)
  expect(JSON.stringify(message?.blocks)).not.toContain('Share to channel')
  const { text } = await guest.command(command, `${typed} --share`, { until: 'Guests' })
  expect(text).toContain('Guests can’t share to a channel. Ask a member of this workspace to share it.')
  expect(await world.slack.admin.messages()).toEqual([])
  expect(await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1 })).toMatchObject([
    { verb: expect.stringContaining(command), outcome: 'refused', actor: { userId: guest.id } },
  ])
})

/** Adds the channel `team`, which has no guests. */
const addTeam = ({ slack }: World) =>
  slack.load({ channels: [{ name: 'team', members: ['member', 'admin', 'U0PLAYGBOT'] }] })

it.each([
  {
    channel: 'partner',
    question: 'shared with another organization, and everyone in it would see this',
    reader: FOREIGNER,
    channelId: 'C0PARTNER1',
  },
  {
    channel: 'general',
    question: 'Guests can read this channel, and everyone in it would see this.',
    reader: 'U0GUEST001',
    channelId: 'C0GENERAL1',
  },
])('asks for confirmation before sharing in $channel', async ({ channel, question, reader, channelId }) => {
  const { member } = world.slack
  const listRead = () => world.slack.user(reader).messages(channel)
  const card = await member.command('/hc', 'show web', { channel })
  const asked = await member.click(card.message, 'Share to channel', { until: 'Share it anyway?' })
  expect(asked.text).toContain(question)
  expect(await listRead()).toEqual([])
  await member.click(asked.message, 'Share', { until: 'Shared by Member' })
  expect(await listRead()).toHaveLength(1)
  // The row is written after Slack's response.
  const listRows = () => world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1 })
  const object = expect.stringMatching(/^share \/hc show /)
  await expect.poll(listRows).toMatchObject([{ verb: '/hc show', object, after: { channelId } }])
})

it('asks again if the channel is shared with another organization after somebody agreed that guests read it', async () => {
  await using world = await start()
  const { member, admin } = world.slack
  const asked = await member.command('/hc', 'show web --share', { channel: 'general', until: 'Guests can' })
  await admin.shareChannel('general', 'Other Inc')
  const again = await member.click(asked.message, 'Share', { until: 'shared with another organization' })
  expect(JSON.stringify(await admin.messages('general'))).not.toContain('Shared by')
  await member.click(again.message, 'Share', { until: 'Shared by Member' })
})

describe('a channel with guests', () => {
  it.each([
    { method: 'users.list', kind: 'status', status: 503 },
    { method: 'conversations.members', kind: 'status', status: 503 },
  ] as const)(
    'asks for confirmation if Slack doesn’t report whether it has guests: $method',
    async (fault) => {
      await using world = await start()
      await addTeam(world)
      await world.slack.faults(fault)
      const question = await world.slack.member.command('/hc', 'show web --share', {
        channel: 'team',
        until: 'Share it anyway?',
      })
      expect(question.text).toContain('can’t tell whether guests can read this channel')
      expect(await world.slack.admin.messages('team')).toEqual([])
    },
  )

  it('never shows the email recipients of a health check', async () => {
    await addTeam(world)
    const { member, admin } = world.slack
    for (const channel of ['team', 'general', 'partner']) {
      for (const line of ['show web --share --yes', 'show web --details --share --yes', 'list --share --yes'])
        await member.command('/hc', line, { channel, until: 'Shared by' })
      const posted = JSON.stringify(await admin.messages(channel))
      expect(posted).toContain('1 recipient')
      expect(posted).not.toContain('oncall@')
    }
    expect((await member.command('/hc', 'show web')).text).toContain('oncall@example.com')
  })
})

it('shares without confirmation in a channel that has only members', async () => {
  await addTeam(world)
  const { member, admin } = world.slack
  const card = await member.command('/threat', THREAT, { channel: 'team' })
  await member.click(card.message, 'Share', { until: 'Shared by Member' })
  expect(await admin.messages('team')).toHaveLength(1)
})

it.each([
  ['operations', 'channel_not_found', 'Signalman isn’t in this channel. Invite it with /invite.'],
  ['operations', 'access_denied', 'doesn’t allow Signalman to post in this channel'],
  ['dm', 'channel_not_found', 'can’t be added to a DM between two people'],
])('explains why sharing to %s fails: %s', async (channel, error, expected) => {
  const method = channel === 'dm' ? 'chat.postMessage' : 'conversations.info'
  await world.slack.faults({ method, kind: 'error', error })
  const { text } = await world.slack.member.command('/hc', 'show web --share', { channel, until: expected })
  expect(text).toContain(expected)
  expect(text).toContain('Nothing was changed.')
})
