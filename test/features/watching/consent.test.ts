import { expect, it } from 'vitest'
import { changeWatching } from '../../decide.ts'
import { WORKSPACE, type World } from '../../world.ts'
import {
  bringDown,
  CHANNEL,
  listTexts,
  startWatchedWorld,
  untilPolled,
  untilPolledAgain,
  untilText,
} from './watched-world.ts'

const HERE = { channel: CHANNEL } as const
const CHECKS = { checks: [{ name: 'web-1' }] } as const

const readReason = async ({ app }: World) =>
  (await app.store.watching.channels.find(WORKSPACE, 'C0GENERAL1')).paused?.reason
async function share(world: World): Promise<void> {
  await world.slack.admin.shareChannel(CHANNEL, 'Other Inc')
  await expect.poll(() => readReason(world)).toBe('shared-outside')
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
  expect(await readReason(world)).toBe('shared-outside')
  await bringDown(world, 'web-1')
  const asked = await admin.command('/hc', 'watch web-*', { ...HERE, until: 'Post there anyway' })
  expect(await watching.watches.list(WORKSPACE)).toHaveLength(1)
  expect((await listTexts(world, channelId)).join()).not.toContain('web-1')
  await admin.click(asked.message, 'Post anyway', { until: 'now watches' })
  await expect.poll(() => readReason(world)).toBeUndefined()
  // Slack says again that it's shared, such as before each message.
  const again = { now: new Date() }
  expect(await watching.channels.pause(WORKSPACE, channelId, 'shared-outside', again)).toBe(false)
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
  const { watches, channels } = world.app.store.watching
  const [watch] = await watches.list(WORKSPACE)
  await share(world)
  const asked = await admin.command('/hc', toLine(watch?.id ?? ''), { ...HERE, until: 'Post there anyway' })
  await admin.click(asked.message, 'Post anyway', { until: 'watches' })
  await expect.poll(() => readReason(world)).toBeUndefined()
  await channels.pause(WORKSPACE, channelId, 'shared-outside', { now: new Date() })
  expect(await readReason(world)).toBeUndefined()
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
  await expect.poll(() => world.app.store.watching.outbox.findNext(WORKSPACE, channelId)).toBeUndefined()
  expect((await listTexts(world, channelId)).join()).not.toContain('web-1')
})

it('posts nothing in a channel that others read, although its pause was lost, and pauses it again', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _ = world
  await share(world)
  await changeWatching(world.app.store, WORKSPACE, ({ channels }) =>
    channels.resume(channelId, { isSharedOutside: false, askedAt: new Date() }),
  )
  expect(await readReason(world)).toBeUndefined()
  await bringDown(world, 'web-1')
  await expect.poll(() => readReason(world)).toBe('shared-outside')
  await untilPolledAgain(world, 2)
  expect(await listTexts(world, channelId)).toEqual([])
  const now = new Date()
  await changeWatching(world.app.store, WORKSPACE, ({ channels }) =>
    channels.resume(channelId, { isSharedOutside: true, askedAt: now, agreedOutsideAt: now }),
  )
  await untilText(world, channelId, 'web-1 is down')
})

it('keeps a channel closed that became shared while somebody’s watch was being saved', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { member } = world.slack
  await untilPolled(world)
  await bringDown(world, 'web-1')
  await untilText(world, channelId, 'web-1 is down')
  await world.service.faults({
    method: 'GET',
    path: '/healthcheck/v1/healthchecks?',
    kind: 'delay',
    ms: 3000,
  })
  const countAsked = () => world.log.filter((line) => line.includes('conversations.info')).length
  const before = countAsked()
  const saving = member.command('/hc', 'watch web-*', {
    ...HERE,
    until: 'was shared with another organization',
  })
  await expect.poll(countAsked, { interval: 10 }).toBeGreaterThan(before)
  await share(world)
  expect((await saving).text).toContain('Nothing was changed')
  expect(await readReason(world)).toBe('shared-outside')
  expect(await world.app.store.watching.watches.list(WORKSPACE)).toHaveLength(1)
  expect((await listTexts(world, channelId)).join()).not.toContain('started watching')
})

it.each(['in which an admin agreed to post', 'in which nobody agreed'])(
  'edits the card of a shared channel %s when its last watch ends, and shows what was held back only to whom it may',
  async (which) => {
    const { world, channelId } = await startWatchedWorld({
      checks: [{ name: 'web-1' }, { name: 'secret-1' }],
    })
    await using _ = world
    const { admin } = world.slack
    const isAgreed = which.includes('admin')
    await untilPolled(world)
    await bringDown(world, 'web-1')
    await untilText(world, channelId, 'web-1 is down')
    await share(world)
    await bringDown(world, 'secret-1')
    await untilPolledAgain(world, 2)
    if (isAgreed) {
      const asked = await admin.command('/hc', `watch-resume ${channelId}`, {
        ...HERE,
        until: 'Post there anyway',
      })
      await admin.click(asked.message, 'Post anyway', { until: 'aren’t paused' })
      await untilText(world, channelId, 'secret-1')
    }
    await admin.command('/hc', 'unwatch all', { ...HERE, until: 'Ended 1 watch' })
    await untilText(
      world,
      channelId,
      isAgreed ? 'were down when watching ended' : 'doesn’t watch this anymore',
    )
    const texts = (await listTexts(world, channelId)).join('\n')
    expect(texts).not.toContain('web-1 is down')
    expect(texts.includes('secret-1')).toBe(isAgreed)
    expect(texts.includes('ended the watch')).toBe(isAgreed)
    // Who agreed did so for the watches that have ended.
    const find = () => world.app.store.watching.channels.find(WORKSPACE, channelId)
    await expect.poll(find).toEqual({})
  },
)

it('tells another organization nothing about a mute that outlived the watches', async () => {
  const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'web-1' }, { name: 'secret-1' }] })
  await using _ = world
  const { admin, member } = world.slack
  await bringDown(world, 'web-1')
  await untilText(world, channelId, 'web-1 is down')
  await member.command('/hc', 'mute secret-1 2h', { ...HERE, until: 'Muted' })
  await member.command('/hc', 'unwatch all --yes', { ...HERE, until: 'Ended 1 watch' })
  await untilText(world, channelId, 'ended the watch')
  const before = await listTexts(world, channelId)
  await admin.shareChannel(CHANNEL, 'Other Inc')
  await member.command('/hc', 'unmute secret-1', { ...HERE, until: 'mute' })
  const findNext = () => world.app.store.watching.outbox.findNext(WORKSPACE, channelId)
  await expect.poll(findNext).toBeUndefined()
  expect((await listTexts(world, channelId)).slice(before.length)).toEqual([])
})

it.each([
  ['', undefined],
  [', although an admin has agreed to post for another organization', new Date()],
])('posts nothing in a channel if Slack doesn’t say who reads it%s', async (_, agreedOutsideAt) => {
  const { world, channelId } = await startWatchedWorld({
    ...CHECKS,
    playground: { missingScopes: ['channels:read', 'groups:read'] },
  })
  await using _world = world
  const agreement = { isSharedOutside: true, askedAt: new Date(), agreedOutsideAt }
  await changeWatching(world.app.store, WORKSPACE, ({ channels }) => channels.resume(channelId, agreement))
  await bringDown(world, 'web-1')
  await expect.poll(() => readReason(world)).toBe('readers-unknown')
  await untilPolledAgain(world, 2)
  expect(await listTexts(world, channelId)).toEqual([])
})
