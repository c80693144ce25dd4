import { expect, it } from 'vitest'
import { EVERY_CHECK } from '../../../src/features/watching/rules/watch.ts'
import { startWorld, WORKSPACE } from '../../world.ts'

it('asks before a channel tells again that another organization reads by now', async () => {
  await using world = await startWorld()
  const { watches } = world.app.store.watching
  const channelId = 'C0PARTNER1'
  const place = { workspaceId: WORKSPACE, channelId, environment: 'production' } as const
  const terms = { filter: EVERY_CHECK, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const
  await watches.add({ ...place, ...terms, ownerId: 'U0MEMBER01', madeAt: new Date() })
  await watches.pause(WORKSPACE, channelId, 'refused', new Date())
  const isPaused = async () => (await watches.list(WORKSPACE, { channelId })).map(({ paused }) => paused?.why)
  const asked = await world.slack.member.command('/hc', `watch-resume ${channelId}`, { channel: 'partner' })
  expect(asked.text).toContain('shared with another organization, and everyone in it would read what is down')
  expect(await isPaused()).toEqual(['refused'])
  await world.slack.member.click(asked.message, 'Watch here', {
    until: '1 watch tells in that channel again',
  })
  expect(await isPaused()).toEqual([undefined])
})
