import { expect, it } from 'vitest'
import { changeWatching } from '../../decide.ts'
import { WORKSPACE, type World } from '../../world.ts'
import {
  bringDown,
  CHANNEL,
  listTexts,
  startWatchedWorld,
  untilPolledAgain,
  untilText,
} from './watched-world.ts'

const HERE = { channel: CHANNEL } as const
const CHECKS = { checks: [{ name: 'web-1' }] } as const

const listReasons = async ({ app }: World) =>
  (await app.store.watching.watches.list(WORKSPACE)).map(({ paused }) => paused?.reason)
async function share(world: World): Promise<void> {
  await world.slack.admin.shareChannel(CHANNEL, 'Other Inc')
  await expect.poll(() => listReasons(world)).toContain('shared-outside')
}

it('lets only an admin agree to post in a channel that others read, once for all its watches', async () => {
  const { world, channelId } = await startWatchedWorld({ ...CHECKS, access: 'closed' })
  await using _ = world
  const { admin, member } = world.slack
  const { watching } = world.app.store
  await admin.command('/hc', 'grant <@U0MEMBER01> operator', { ...HERE, until: 'operator' })
  await share(world)
  const refused = await member.command('/hc', 'watch web-*', { ...HERE, until: 'An admin has to agree' })
  expect(refused.text).toContain('shared with another organization')
  const resumed = await member.command('/hc', `watch-resume ${channelId}`, {
    ...HERE,
    until: 'An admin has to agree',
  })
  expect(resumed.text).toContain('everyone in it would see what is down')
  expect(await listReasons(world)).toEqual(['shared-outside'])
  await bringDown(world, 'web-1')
  const asked = await admin.command('/hc', 'watch web-*', { ...HERE, until: 'Post there anyway' })
  expect(await watching.watches.list(WORKSPACE)).toHaveLength(1)
  expect((await listTexts(world, channelId)).join()).not.toContain('web-1')
  await admin.click(asked.message, 'Post anyway', { until: 'now watches' })
  await expect.poll(() => listReasons(world)).toEqual([undefined, undefined])
  // Slack says again that it's shared, such as before each message.
  expect(await watching.watches.pause(WORKSPACE, channelId, 'shared-outside', { now: new Date() })).toBe(0)
  await member.command('/hc', 'watch web-1', { ...HERE, until: 'now watches' })
  await untilText(world, channelId, 'web-1 is down')
})

it.each([
  ['a watch that is there', () => 'watch all'],
  ['a change of one', (id: string) => `watch all --replace ${id} --after 2`],
])('keeps the agreement of an admin who gives it with %s', async (_, toLine) => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _world = world
  const { admin } = world.slack
  const { watches } = world.app.store.watching
  const [watch] = await watches.list(WORKSPACE)
  await share(world)
  const asked = await admin.command('/hc', toLine(watch?.id ?? ''), { ...HERE, until: 'Post there anyway' })
  await admin.click(asked.message, 'Post anyway', { until: 'watches' })
  await expect.poll(() => listReasons(world)).toEqual([undefined])
  await watches.pause(WORKSPACE, channelId, 'shared-outside', { now: new Date() })
  expect(await listReasons(world)).toEqual([undefined])
})

it.each([
  ['watch old-*', ['Post anyway', 'Watch it anyway']],
  ['watch old-* --sure', ['Post anyway']],
])('asks an admin each question once: %s', async (line, labels) => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin } = world.slack
  await share(world)
  let { message } = await admin.command('/hc', line, { ...HERE, until: 'Post there anyway' })
  for (const [at, label] of labels.entries())
    ({ message } = await admin.click(message, label, { until: labels[at + 1] ?? 'now watches' }))
})

it('posts nothing that was pending if the last watch ends before an admin agreed', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _ = world
  await share(world)
  await bringDown(world, 'web-1')
  const scope = { workspaceId: WORKSPACE, environment: 'production' } as const
  const listIncidents = () =>
    world.app.store.watching.history.listIncidents(scope, { from: new Date(0), to: new Date() }, 5)
  await expect.poll(async () => (await listIncidents()).length).toBe(1)
  expect(await world.app.store.watching.outbox.findNext(WORKSPACE, channelId)).toBeDefined()
  await world.slack.admin.command('/hc', 'unwatch all', { ...HERE, until: 'Ended 1 watch' })
  expect(await world.app.store.watching.outbox.findNext(WORKSPACE, channelId)).toBeUndefined()
  expect((await listTexts(world, channelId)).join()).not.toContain('web-1')
})

it('posts nothing in a channel that others read, although its pause was lost, and pauses it again', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _ = world
  await share(world)
  await changeWatching(world.app.store, WORKSPACE, ({ watches }) => watches.resume(channelId))
  expect(await listReasons(world)).toEqual([undefined])
  await bringDown(world, 'web-1')
  await expect.poll(() => listReasons(world)).toEqual(['shared-outside'])
  await untilPolledAgain(world, 2)
  expect(await listTexts(world, channelId)).toEqual([])
  await changeWatching(world.app.store, WORKSPACE, ({ watches }) => watches.resume(channelId, new Date()))
  await untilText(world, channelId, 'web-1 is down')
})
