import { expect, it } from 'vitest'
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

it.each<{
  when: string
  error: string
  isRetried: boolean
  trigger: (world: World, channel: string) => unknown
}>([
  {
    when: 'it is unarchived',
    error: 'is_archived',
    isRetried: true,
    trigger: (world, channel) => sendEvent(world, { type: 'channel_unarchive', user: 'U1', channel }),
  },
  {
    when: 'it is private and unarchived',
    error: 'is_archived',
    isRetried: true,
    trigger: (world, channel) => sendEvent(world, { type: 'group_unarchive', actor_id: 'U1', channel }),
  },
  {
    when: 'the app is invited again',
    error: 'not_in_channel',
    isRetried: true,
    trigger: (world, channel) => sendEvent(world, { type: 'member_joined_channel', user: BOT_ID, channel }),
  },
  {
    when: 'the owner of its watch opens Home',
    error: 'restricted_action',
    isRetried: true,
    trigger: ({ slack }) => slack.member.openHome(),
  },
  {
    when: 'another person joins it',
    error: 'not_in_channel',
    isRetried: false,
    trigger: (world, channel) => sendEvent(world, { type: 'member_joined_channel', user: 'U1', channel }),
  },
  {
    when: 'another person opens Home',
    error: 'not_in_channel',
    isRetried: false,
    trigger: ({ slack }) => slack.admin.openHome(),
  },
])(
  'posts one message with everything that a paused channel missed when $when (retried: $isRetried)',
  async ({ error, isRetried, trigger }) => {
    const { world, channelId, watch } = await startWatchedWorld({
      checks: [
        { name: 'web-1', status: 'HEALTHY' },
        { name: 'web-2', status: 'HEALTHY' },
      ],
    })
    await using _ = world
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
    await trigger(world, channelId)
    if (!isRetried) {
      await untilPolledAgain(world, 2)
      expect(await readPosts(world, channelId)).toEqual([])
      expect(await isPaused()).toBe(true)
      return
    }
    const [post, ...others] = await untilPosted(world, channelId, ({ length }) => length > 0)
    expect(others).toEqual([])
    for (const words of ['Signalman can post here again: 2 health checks are down', 'web-1', 'web-2'])
      expect(post?.text).toContain(words)
    await expect.poll(isPaused, { timeout: WAIT_TIMEOUT_MS }).toBe(false)
    expect(await readPosts(world, channelId)).toHaveLength(1)
  },
)
