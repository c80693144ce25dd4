import type { SlackClients } from '@signalman/slack'
import { expect, it } from 'vitest'
import { createMayPost } from '../../../src/bot/posts/may-post.ts'
import type { Watch } from '../../../src/features/watching/rules/watch.ts'
import { createMayPostWatched } from '../../../src/features/watching/watching-work.ts'
import { slackError } from './posting.ts'

const WORKSPACE = { workspaceId: 'T1' }

function start() {
  const channel = { isShared: false, isMember: true, isGone: false, asked: 0, paused: 0, nowMs: 0 }
  const own: Watch[] = []
  const slack = {
    async readChannel() {
      channel.asked += 1
      if (channel.isGone) throw slackError('channel_not_found')
      return { isSharedOutside: channel.isShared, isMember: channel.isMember, isArchived: false }
    },
  }
  const mayPost = createMayPost({
    // Cast: it only reads channels.
    clients: { forWorkspace: async () => slack } as unknown as SlackClients,
    onSharedChannel: async () => {
      channel.paused += 1
    },
  })
  const mayPostWatched = createMayPostWatched({
    mayPost,
    watching: { watches: { list: async () => own } },
    now: () => new Date(channel.nowMs),
  })
  return {
    channel,
    own,
    ask: () => mayPost(WORKSPACE, 'C1'),
    askWatched: () => mayPostWatched(WORKSPACE, 'C1'),
  }
}

it('asks Slack once for the messages of a storm', async () => {
  const { channel, askWatched } = start()
  const asked = Array.from({ length: 20 }, askWatched)
  expect(await Promise.all(asked)).toEqual(asked.map(() => 'yes'))
  expect(await askWatched()).toBe('yes')
  expect(channel.asked).toBe(1)
})

it('refuses a channel that the app isn’t in', async () => {
  const { channel, ask } = start()
  channel.isMember = false
  expect(await ask()).toBe('closed')
})

it('refuses a channel that other organizations read: at once, and in a storm soon, if no process was told', async () => {
  const { channel, ask, askWatched } = start()
  expect([await ask(), await askWatched()]).toEqual(['yes', 'yes'])
  channel.isShared = true
  expect([await ask(), await askWatched()]).toEqual(['shared', 'yes'])
  channel.nowMs = 60_000
  expect(await askWatched()).toBe('shared')
  expect(channel.paused).toBe(2)
})

it('posts nothing in a storm as soon as the watches are paused, whatever it remembers, until an admin agrees', async () => {
  const { channel, own, askWatched } = start()
  expect(await askWatched()).toBe('yes')
  channel.isShared = true
  // Casts: only these fields are read.
  own.push({ paused: { reason: 'shared-outside' } } as Watch)
  expect(await askWatched()).toBe('shared')
  channel.nowMs = 60_000
  own.splice(0, 1, { agreedOutsideAt: new Date() } as Watch)
  expect(await askWatched()).toBe('yes')
})

it('remembers no refusal: a channel that is open again gets its messages', async () => {
  const { channel, askWatched } = start()
  channel.isShared = true
  expect(await askWatched()).toBe('shared')
  Object.assign(channel, { isShared: false, isGone: true })
  expect(await askWatched()).toBe('closed')
  channel.isGone = false
  expect(await askWatched()).toBe('yes')
})
