import { expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import { bringDown, CHANNEL, listTexts, startWatchedWorld, untilPosted, untilText } from './watched-world.ts'

const HERE = { channel: CHANNEL } as const
const CHECKS = { checks: [{ name: 'web-1' }, { name: 'web-2' }] } as const
const PAGE = [{ afterMs: 3_600_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }]

it('pages at once from the card, and by name', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS, { page: PAGE })
  await using _ = world
  await bringDown(world, 'web-1')
  const card = await untilText(world, channelId, 'web-1 is down')
  const asked = await world.slack.member.click(card, 'Page now', { until: 'Page @admin now?' })
  expect(asked.text).toContain('/hc page "web-1" @person')
  expect((await listTexts(world, channelId)).join()).not.toContain('<@U0ADMIN001> 🔴')
  await world.slack.member.click(asked.message, 'Page now', { until: 'Paging @admin now, in the channel.' })
  const page = await untilText(world, channelId, '<@U0ADMIN001> 🔴 web-1 ')
  expect(page?.text).toMatch(/nobody is on it\. .*Member.* paged you\./)
  const { click } = world.slack.member
  const taken = await click(card, 'I’m on it', { until: 'You’re on it' })
  await click(await untilText(world, channelId, 'has been on it'), 'Take over', { until: 'already on it' })
  await world.slack.member.command('/hc', 'page web-1 @admin', { ...HERE, until: 'Paging @' })
  await untilPosted(
    world,
    channelId,
    (all) => all.filter(({ text, ephemeral }) => !ephemeral && text.startsWith('<@U0ADMIN001>')).length === 2,
  )
  const pages = (await listTexts(world, channelId)).filter((text) => text.startsWith('<@U0ADMIN001>'))
  expect(pages.at(-1)).toMatch(/web-1 .* down.*<@U0MEMBER01> is on it/)
  await click(taken.message, 'Step down', { until: 'You stepped down from 1 outage.' })
})

it('pages once if the button is pressed twice at once', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS, { page: PAGE })
  await using _ = world
  await bringDown(world, 'web-1')
  const card = await untilText(world, channelId, 'web-1 is down')
  const { click } = world.slack.member
  const asked = await click(card, 'Page now', { until: 'Page @admin now?' })
  const press = () => click(asked.message, 'Page now', { until: /Paging @admin now|Page @admin now\?/ })
  await Promise.all([press(), press()])
  await untilText(world, channelId, '<@U0ADMIN001> 🔴')
  await bringDown(world, 'web-2')
  await untilText(world, channelId, 'web-2')
  const pages = (await listTexts(world, channelId)).filter((text) => text.startsWith('<@U0ADMIN001>'))
  expect(pages).toHaveLength(1)
})

it('asks again if somebody else is next by the time that the page is confirmed', async () => {
  const later = [{ afterMs: 7_200_000, responders: [{ name: '@member', id: 'U0MEMBER01' }] }]
  const { world, channelId } = await startWatchedWorld(CHECKS, { page: [...PAGE, ...later] })
  await using _ = world
  await bringDown(world, 'web-1')
  const card = await untilText(world, channelId, 'web-1 is down')
  const { member, admin } = world.slack
  const ask = { until: 'Page @admin now?' }
  const [first, second] = [
    await member.click(card, 'Page now', ask),
    await admin.click(card, 'Page now', ask),
  ]
  await member.click(first.message, 'Page now', { until: 'Paging @admin now' })
  await untilText(world, channelId, '<@U0ADMIN001> 🔴')
  const again = await admin.click(second.message, 'Page now', { until: 'Page @member now?' })
  expect((await listTexts(world, channelId)).join()).not.toContain('<@U0MEMBER01> 🔴')
  await admin.click(again.message, 'Page now', { until: 'Paging @member now' })
  await untilText(world, channelId, '<@U0MEMBER01> 🔴')
})

it('asks before the last watch that pages ends, and says who ended it', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS, { page: PAGE })
  await using _ = world
  const { watches } = world.app.store.watching
  const asked = await world.slack.member.command('/hc', 'unwatch', {
    ...HERE,
    until: 'no other watch of the channel',
  })
  expect(asked.text).toMatch(/^End the watch of every health check\? It pages .*@admin, and no other/m)
  expect(await watches.list(WORKSPACE)).toHaveLength(1)
  await world.slack.member.click(asked.message, 'End it', { until: 'Ended 1 watch' })
  const ended = await untilText(world, channelId, 'ended the watch of')
  await world.slack.admin.click(ended, 'Watch again', { until: 'now watches' })
  await untilText(world, channelId, 'started watching')
  expect(await watches.list(WORKSPACE)).toMatchObject([{ page: PAGE }])
})

it('posts what is already down on one card when a watch is saved', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS, {
    filter: { include: [{ field: 'name', pattern: 'no*' }], exclude: [] },
  })
  await using _ = world
  await bringDown(world, 'web-1')
  await bringDown(world, 'web-2')
  const scope = { workspaceId: WORKSPACE, environment: 'production' } as const
  const listOpen = () =>
    world.app.store.watching.history.listIncidents(scope, { from: new Date(0), to: new Date() }, 5)
  await expect.poll(async () => (await listOpen()).length).toBe(2)
  await world.slack.member.command('/hc', 'watch web-*', { ...HERE, until: 'now watches' })
  await untilText(world, channelId, 'are already down')
  expect((await listTexts(world, channelId)).filter((text) => /web-1/.test(text))).toHaveLength(1)
})
