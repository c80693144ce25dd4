import { describe, expect, it } from 'vitest'
import { WORKSPACE, type World } from '../../../world.ts'
import {
  BOT_ID,
  readPosts,
  sendEvent,
  startWatchedWorld,
  untilPolled,
  untilPolledAgain,
  untilPosted,
  WAIT_TIMEOUT_MS,
} from '../watched-world.ts'

interface Trigger {
  when: string
  error: string
  /** What another person does before, which doesn't count. */
  other?: (world: World, channel: string) => unknown
  trigger: (world: World, channel: string) => unknown
}

/** Starts a world with a channel that was paused by this error, and in which Slack accepts messages again. */
async function startPausedChannel(error: string) {
  const { world, channelId, watch } = await startWatchedWorld({
    checks: [
      { name: 'web-1', status: 'HEALTHY' },
      { name: 'web-2', status: 'HEALTHY' },
    ],
  })
  const { watches, history } = world.app.store.watching
  const isPaused = async () => (await watches.find(WORKSPACE, watch.id))?.paused !== undefined
  await untilPolled(world)
  await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error, times: 1000 })
  for (const name of ['web-1', 'web-2']) {
    const [check] = await world.service.checksNamed(name)
    await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
    await expect.poll(isPaused, { timeout: WAIT_TIMEOUT_MS }).toBe(true)
  }
  const period = { from: new Date(0), to: new Date(Date.now() * 2), limit: 9 }
  const listOutages = () =>
    history.listOutages({ workspaceId: WORKSPACE, environment: 'production', ...period })
  await expect.poll(async () => (await listOutages()).length, { timeout: WAIT_TIMEOUT_MS }).toBe(2)
  await world.slack.faults()
  await untilPolledAgain(world, 2)
  expect(await readPosts(world, channelId)).toEqual([])
  return { world, channelId, isPaused }
}

describe('a paused channel', () => {
  it.each<Trigger>([
    {
      when: 'it is unarchived',
      error: 'is_archived',
      trigger: (world, channel) => sendEvent(world, { type: 'channel_unarchive', user: 'U1', channel }),
    },
    {
      when: 'it is private and unarchived',
      error: 'is_archived',
      trigger: (world, channel) => sendEvent(world, { type: 'group_unarchive', actor_id: 'U1', channel }),
    },
    {
      when: 'the app is invited again',
      error: 'not_in_channel',
      other: (world, channel) => sendEvent(world, { type: 'member_joined_channel', user: 'U1', channel }),
      trigger: (world, channel) => sendEvent(world, { type: 'member_joined_channel', user: BOT_ID, channel }),
    },
    {
      when: 'the owner of its watch opens Home',
      error: 'restricted_action',
      other: ({ slack }) => slack.admin.openHome(),
      trigger: ({ slack }) => slack.member.openHome(),
    },
  ])('gets one message with everything that it missed when $when', async ({ error, other, trigger }) => {
    const { world, channelId, isPaused } = await startPausedChannel(error)
    await using _ = world
    if (other) {
      await other(world, channelId)
      await untilPolledAgain(world, 2)
      expect(await readPosts(world, channelId)).toEqual([])
      expect(await isPaused()).toBe(true)
    }
    await trigger(world, channelId)
    const [post, ...others] = await untilPosted(world, channelId, ({ length }) => length > 0)
    expect(others).toEqual([])
    for (const words of ['Signalman can post here again: web-', ' are down', 'web-1', 'web-2'])
      expect(post?.text).toContain(words)
    await expect.poll(isPaused, { timeout: WAIT_TIMEOUT_MS }).toBe(false)
    expect(await readPosts(world, channelId)).toHaveLength(1)
  })
})
