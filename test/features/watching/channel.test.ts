import { describe, expect, it } from 'vitest'
import { ALL_CHECKS } from '../../../src/features/watching/rules/watch.ts'
import { startWorld, WORKSPACE } from '../../world.ts'
import {
  readPosts,
  sendEvent,
  startWatchedWorld,
  untilPolled,
  untilPolledAgain,
  untilPosted,
  WAIT_TIMEOUT_MS,
} from './watched-world.ts'

const PARTNER = 'C0PARTNER1'
const SETTINGS = { filter: ALL_CHECKS, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const

/** Starts a world with a watched channel, which is then shared with another organization. */
async function startSharedChannel() {
  const shared = await startWatchedWorld(
    { checks: [{ name: 'web-1', status: 'HEALTHY' }] },
    { channelId: PARTNER },
  )
  const { slack, app, service } = shared.world
  const { watches } = app.store.watching
  return {
    ...shared,
    readPauseReasons: async () => (await watches.list(WORKSPACE)).map(({ paused }) => paused?.reason),
    async goDown() {
      await untilPolled(shared.world)
      const [check] = await service.checksNamed('web-1')
      await service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
    },
    /** Messages to the owner about the pause. */
    readNotifications: async () => {
      const { messages } = await slack.member.state()
      const all = Object.values(messages).flat()
      return all.filter(({ text }) => text.includes('is now shared with another organization'))
    },
  }
}

describe('a watched channel that becomes shared', () => {
  it('gets no posts after Slack reports the change until someone agrees, and is paused after the next change', async () => {
    const { world, readPauseReasons, readNotifications, goDown } = await startSharedChannel()
    await using _ = world
    await sendEvent(world, {
      type: 'channel_shared',
      connected_team_id: 'T9',
      channel: PARTNER,
      event_ts: '1.1',
    })
    await expect.poll(readPauseReasons, { timeout: WAIT_TIMEOUT_MS }).toEqual(['shared-outside'])
    await goDown()
    await expect.poll(async () => (await readNotifications()).length, { timeout: WAIT_TIMEOUT_MS }).toBe(1)
    // The owner isn't notified again, and the events that retry other paused channels don't retry this one.
    await sendEvent(world, {
      type: 'channel_shared',
      connected_team_id: 'T9',
      channel: PARTNER,
      event_ts: '1.2',
    })
    await sendEvent(world, { type: 'channel_unarchive', user: 'U1', channel: PARTNER })
    await world.slack.member.openHome()
    await untilPolledAgain(world, 3)
    expect(await readPosts(world, PARTNER)).toEqual([])
    expect(await readNotifications()).toHaveLength(1)
    const [notification] = await readNotifications()
    const question = await world.slack.member.click(notification, 'Resume', { until: 'Post there anyway?' })
    expect(await readPauseReasons()).toEqual(['shared-outside'])
    await world.slack.member.click(question.message, 'Post anyway', {
      until: 'Resumed 1 watch in that channel',
    })
    expect(await readPauseReasons()).toEqual([undefined])
    await untilPosted(world, PARTNER, (posts) => posts.some(({ text }) => text.includes('web-1')))
    // Sharing the channel with another organization again revokes the consent.
    const { watches } = world.app.store.watching
    expect(
      await watches.pauseSharedChannel(WORKSPACE, PARTNER, { now: new Date(), revokesConsent: false }),
    ).toBe(0)
    await sendEvent(world, {
      type: 'channel_shared',
      connected_team_id: 'T8',
      channel: PARTNER,
      event_ts: '1.3',
    })
    await expect.poll(readPauseReasons, { timeout: WAIT_TIMEOUT_MS }).toEqual(['shared-outside'])
  })

  it('is paused after a watch command detects the change, until someone agrees', async () => {
    const { world, readPauseReasons, readNotifications } = await startSharedChannel()
    await using _ = world
    const runWatch = (line: string, until: string) =>
      world.slack.member.command('/hc', line, { channel: 'partner', until })
    await runWatch('watch web-*', 'Post there anyway?')
    expect(await readPauseReasons()).toEqual(['shared-outside'])
    await expect.poll(async () => (await readNotifications()).length, { timeout: WAIT_TIMEOUT_MS }).toBe(1)
    await runWatch('watch web-* --yes', 'web-*')
    await expect.poll(readPauseReasons, { timeout: WAIT_TIMEOUT_MS }).toEqual([undefined, undefined])
  })

  it('keeps getting posts if it’s shared only within its organization', async () => {
    const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'web-1', status: 'HEALTHY' }] })
    await using _ = world
    await sendEvent(world, {
      type: 'channel_shared',
      connected_team_id: 'T9',
      channel: channelId,
      event_ts: '1.1',
    })
    await untilPolledAgain(world, 2)
    const [watch] = await world.app.store.watching.watches.list(WORKSPACE)
    expect(watch?.paused).toBeUndefined()
    const [check] = await world.service.checksNamed('web-1')
    await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
    await untilPosted(world, channelId, (posts) => posts.some(({ text }) => text.includes('web-1')))
  })
})

it('asks for consent before resuming a channel that is now shared with another organization', async () => {
  await using world = await startWorld()
  const { watches } = world.app.store.watching
  const channelId = PARTNER
  const scope = { workspaceId: WORKSPACE, channelId, environment: 'production' } as const
  await watches.add({ ...scope, ...SETTINGS, ownerId: 'U0MEMBER01', madeAt: new Date() })
  await watches.pause(WORKSPACE, channelId, 'refused', new Date())
  const readPauseReasons = async () =>
    (await watches.list(WORKSPACE, { channelId })).map(({ paused }) => paused?.reason)
  const question = await world.slack.member.command('/hc', `watch-resume ${channelId}`, {
    channel: 'partner',
    until: 'Post there anyway?',
  })
  expect(question.text).toContain(
    'shared with another organization, and everyone in it would see what is down',
  )
  expect(await readPauseReasons()).toEqual(['shared-outside'])
  await world.slack.member.click(question.message, 'Post anyway', {
    until: 'Resumed 1 watch in that channel',
  })
  expect(await readPauseReasons()).toEqual([undefined])
})
