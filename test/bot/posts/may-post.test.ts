import type { SlackClients } from '@signalman/slack'
import { expect, it } from 'vitest'
import { createMayPost } from '../../../src/bot/posts/may-post.ts'
import { slackError } from './posting.ts'

const WORKSPACE = { workspaceId: 'T1' }

function start() {
  const channel = { isShared: false, isGone: false, asked: 0, paused: 0, nowMs: 0 }
  const slack = {
    async readChannel() {
      channel.asked += 1
      if (channel.isGone) throw slackError('channel_not_found')
      return { isSharedOutside: channel.isShared }
    },
  }
  const permissions = createMayPost({
    // Cast: it only reads channels.
    clients: { forWorkspace: async () => slack } as unknown as SlackClients,
    now: () => new Date(channel.nowMs),
    onSharedChannel: async () => {
      channel.paused += 1
    },
  })
  return { channel, ...permissions, ask: () => permissions.mayPost(WORKSPACE, 'C1') }
}

it('asks Slack once for the messages of a storm', async () => {
  const { channel, ask } = start()
  expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array.from({ length: 20 }, () => 'yes'))
  expect(await ask()).toBe('yes')
  expect(channel.asked).toBe(1)
})

it.each([
  { when: 'at once if Slack says that it became shared', nowMs: 0, isSaid: true },
  { when: 'soon if the event is lost', nowMs: 60_000, isSaid: false },
])('refuses a channel that other organizations read, $when', async ({ nowMs, isSaid }) => {
  const { channel, ask, forgetChannel } = start()
  expect(await ask()).toBe('yes')
  Object.assign(channel, { isShared: true, nowMs })
  if (isSaid) forgetChannel(WORKSPACE, 'C1')
  expect(await ask()).toBe('shared')
  expect(channel.paused).toBe(1)
})

it('remembers no refusal: a channel that is open again gets its messages', async () => {
  const { channel, ask } = start()
  channel.isShared = true
  expect(await ask()).toBe('shared')
  Object.assign(channel, { isShared: false, isGone: true })
  expect(await ask()).toBe('closed')
  channel.isGone = false
  expect(await ask()).toBe('yes')
})
