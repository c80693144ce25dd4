import { createChannelReader, type SlackClients } from '@signalman/slack'
import { expect, it } from 'vitest'
import { createMayPost } from '../../../src/bot/posts/may-post.ts'
import type { ChannelAccess } from '../../../src/features/watching/rules/channel-access.ts'
import type { Watch } from '../../../src/features/watching/rules/watch.ts'
import { createMayPostWatched } from '../../../src/features/watching/watching-work.ts'
import { slackError } from './posting.ts'

const WORKSPACE = { workspaceId: 'T1' }

function start() {
  const channel = { isShared: false, isMember: true, isArchived: false, refusal: '', asked: 0, paused: 0 }
  /** The guests of the workspace, and whether one of them is in the channel, if that's known. */
  const guests = { all: ['U8', 'U9'], isIn: false as boolean | undefined | Error, asked: 0 }
  let atMs = 0
  const own = { access: {} as ChannelAccess, watches: [{} as Watch] }
  const slack = {
    async readChannel() {
      channel.asked += 1
      if (channel.refusal) throw slackError(channel.refusal)
      return {
        isSharedOutside: channel.isShared,
        isMember: channel.isMember,
        isArchived: channel.isArchived,
      }
    },
    async isAnyInChannel(_: string, people: ReadonlySet<string>) {
      guests.asked += 1
      expect([...people]).toEqual(guests.all)
      if (guests.isIn instanceof Error) throw guests.isIn
      return guests.isIn
    },
  }
  // Cast: only channels are read.
  const clients = { forWorkspace: async () => slack } as unknown as SlackClients
  const now = () => new Date(atMs)
  const mayPost = createMayPost({
    clients,
    people: { listGuests: async () => new Set(guests.all) },
    onSharedChannel: async () => {
      channel.paused += 1
    },
  })
  const mayPostWatched = createMayPostWatched({
    mayPost,
    reader: createChannelReader({ clients, freshMs: 2 * 60_000, now }),
    watching: {
      watches: { list: async () => own.watches },
      channels: {
        find: async () => own.access,
        async endAgreement() {
          own.access = { ...own.access, agreedOutsideAt: undefined }
        },
        async pause() {
          channel.paused += 1
          return true
        },
      },
    },
    now,
  })
  return {
    pass: (ms: number) => {
      atMs += ms
    },
    channel,
    guests,
    own,
    askGuests: () => mayPost(WORKSPACE, 'C1', { asksGuests: true }),
    ask: () => mayPost(WORKSPACE, 'C1'),
    askWatched: () => mayPostWatched(WORKSPACE, 'C1'),
  }
}

const AT = new Date(1000)

it('asks Slack once about a channel, however many messages follow', async () => {
  const { channel, askWatched } = start()
  const asked = Array.from({ length: 20 }, () => askWatched())
  expect(await Promise.all(asked)).toEqual(asked.map(() => 'yes'))
  expect(await askWatched()).toBe('yes')
  expect(channel.asked).toBe(1)
})

it.each([
  { isIn: true, answer: 'guests' },
  { isIn: false, answer: 'yes' },
  { isIn: undefined, answer: 'maybe-guests' },
  { isIn: new Error('Slack is unavailable.'), answer: 'maybe-guests' },
])('says whether guests read a channel, only if that was asked: $answer', async ({ isIn, answer }) => {
  const { guests, channel, ask, askGuests } = start()
  guests.isIn = isIn
  expect([await ask(), guests.asked]).toEqual(['yes', 0])
  expect(await askGuests()).toBe(answer)
  channel.isMember = false
  expect(await askGuests()).toBe('not-in-channel')
  channel.isShared = true
  expect(await askGuests()).toBe('shared-outside')
  Object.assign(channel, { isShared: false, isMember: true })
  guests.all = []
  expect(await askGuests()).toBe('yes')
  expect(guests.asked).toBe(1)
})

it('refuses a channel that the app isn’t in, and one that is archived', async () => {
  const { channel, ask } = start()
  channel.isMember = false
  expect(await ask()).toBe('not-in-channel')
  channel.isArchived = true
  expect(await ask()).toBe('archived')
})

it('refuses a channel that other organizations read as soon as any process was told, until an admin agrees', async () => {
  const { channel, own, ask, askWatched } = start()
  expect([await ask(), await askWatched()]).toEqual(['yes', 'yes'])
  channel.isShared = true
  expect(await ask()).toBe('shared-outside')
  expect(channel.paused).toBe(1)
  own.access = { paused: { at: AT, reason: 'shared-outside' } }
  expect(await askWatched()).toBe('shared-outside')
  own.access = { agreedOutsideAt: AT }
  expect(await askWatched()).toBe('yes')
})

it('remembers no refusal: a channel that is open again gets its messages', async () => {
  const { channel, askWatched } = start()
  channel.isShared = true
  expect(await askWatched()).toBe('shared-outside')
  Object.assign(channel, { isShared: false, refusal: 'channel_not_found' })
  expect(await askWatched()).toBe('not-in-channel')
  channel.refusal = ''
  expect(await askWatched()).toBe('yes')
})

it.each(['is watched', 'isn’t watched anymore'])(
  'learns from Slack that a channel that %s became shared, although the event was lost',
  async (which) => {
    const { channel, own, askWatched, pass } = start()
    expect(await askWatched()).toBe('yes')
    channel.isShared = true
    if (which === 'is watched') pass(2 * 60_000)
    else own.watches = []
    expect(await askWatched()).toBe('shared-outside')
  },
)

it('refuses a channel that became shared while Slack was asked', async () => {
  const { own, askWatched } = start()
  const asked = askWatched()
  own.access = { paused: { at: AT, reason: 'shared-outside' } }
  expect(await asked).toBe('shared-outside')
})

it('asks once for all messages of a channel in which an admin agreed to post', async () => {
  const { channel, own, askWatched } = start()
  channel.isShared = true
  own.access = { agreedOutsideAt: AT }
  expect([await askWatched(), await askWatched()]).toEqual(['yes', 'yes'])
  expect(channel.asked).toBe(1)
})

it('takes no refusal to say who reads a channel for a yes', async () => {
  const { channel, ask } = start()
  channel.refusal = 'missing_scope'
  expect(await ask()).toBe('readers-unknown')
})
