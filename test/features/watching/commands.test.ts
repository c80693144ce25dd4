import { expect, it } from 'vitest'
import { WORKSPACE, type World } from '../../world.ts'
import { bringDown, CHANNEL, startWatchedWorld, untilPolled, untilText } from './watched-world.ts'

const HERE = { channel: CHANNEL } as const
const CHECKS = { checks: ['web-1', 'web-2', 'Friday Deals', 'Deals'].map((name) => ({ name })) }
const listOpen = async (world: World) =>
  (await world.app.store.watching.silences.list(WORKSPACE, new Date())).map(
    ({ ownerId, subject }) => `${ownerId} ${'pattern' in subject ? subject.pattern : subject.kind}`,
  )

it('leaves alone what somebody else has muted for longer, and replaces only your own mute', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { member, admin } = world.slack
  await admin.command('/hc', 'mute web-* 3h', { ...HERE, until: 'Muted' })
  const shorter = await member.command('/hc', 'mute web-* 15m', { ...HERE, until: 'Also in force' })
  expect(shorter.text).toMatch(/Also in force here:.*Muted: web-\* until .* by .*Admin/s)
  expect(await listOpen(world)).toEqual(['U0ADMIN001 web-*', 'U0MEMBER01 web-*'])
  const summary = await member.command('/hc', '', { ...HERE, until: 'As of' })
  expect(summary.text).toMatch(/Muted: web-\* until .* by .*Admin/s)
  const watched = await member.command('/hc', 'watch web-1', { ...HERE, until: 'now watches' })
  expect(watched.text).toMatch(/Silenced in this channel now:.*Muted: web-\* until/s)
  const shown = await member.command('/hc', 'web-1', { ...HERE, until: 'Silenced here' })
  expect(shown.text.match(/Silenced here/g)).toHaveLength(2)
  const other = await member.command('/hc', 'watch Deals', { ...HERE, until: 'now watches' })
  expect(other.text).not.toContain('Silenced')
  const own = await member.command('/hc', 'mute web-* 30m', { ...HERE, until: 'It replaces' })
  expect(own.text).toContain('It replaces your mute until ')
  expect(await listOpen(world)).toEqual(['U0ADMIN001 web-*', 'U0MEMBER01 web-*'])
})

it('names what covers a check that isn’t silenced under its own name', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin } = world.slack
  await admin.command('/hc', 'mute web-* 3h', { ...HERE, until: 'Muted' })
  const asked = await admin.command('/hc', 'unmute web-1', { ...HERE, until: 'Nothing was ended' })
  expect(asked.text).toMatch(/“web-1” is silenced, but not under its own name: the mute of web-\* by .*Admin/)
  expect(await listOpen(world)).toHaveLength(1)
  await admin.click(asked.message, 'End it for web-*', { until: 'Ended' })
  expect(await listOpen(world)).toEqual([])
  const nothing = await admin.command('/hc', 'unmute web-1', { ...HERE, until: 'Nothing is silenced' })
  expect(nothing.text).toContain('Nothing is silenced here under that name.')
})

it('shows with a check only what silences it now, and ends from there only what is about it alone', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin } = world.slack
  const show = () => admin.command('/hc', 'web-1', { ...HERE, until: 'Watched in' })
  await admin.command('/hc', 'maintenance web-* from tomorrow 22:00 for 1h', {
    ...HERE,
    until: 'Maintenance:',
  })
  expect((await show()).text).not.toContain('Silenced here')
  // The channel reads of it, too, after or before the answer.
  await admin.command('/hc', 'mute Deals 3h', { ...HERE, until: 'Muted: Deals until <!date' })
  const muted = await admin.command('/hc', 'mute web-1 3h', {
    ...HERE,
    until: 'This is for this channel only.',
  })
  expect(muted.text).not.toContain('Deals')
  await admin.click((await show()).message, 'Unmute', { until: 'Ended: the mute of web-1 by ' })
  await admin.command('/hc', 'mute web-* 3h', { ...HERE, until: 'Muted' })
  await admin.click((await show()).message, 'Unmute', { until: 'Nothing was ended' })
  expect((await listOpen(world)).sort()).toEqual(['U0ADMIN001 check', 'U0ADMIN001 web-*', 'U0ADMIN001 web-*'])
})

it('names what is silenced of a pattern, or of everything', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin } = world.slack
  const muted = await admin.command('/hc', 'mute web-1 3h', { ...HERE, until: 'Muted' })
  for (const [line = '', name] of [
    ['unmute web*', '“web*”'],
    ['unmute all', 'everything'],
  ]) {
    const asked = await admin.command('/hc', line, { ...HERE, until: 'Nothing was ended' })
    expect(asked.text.replaceAll('\u2060', '')).toContain(
      `Nothing silences ${name} as a whole, but this is in force: the mute of web-1 by `,
    )
  }
  expect(await listOpen(world)).toHaveLength(1)
  await admin.command('/hc', 'unmute web-1', { ...HERE, until: 'Ended: the mute of web-1 by ' })
  const again = await admin.click(muted.message, 'Unmute', { until: 'already ended' })
  expect(again.text).toMatch(/^That silence has already ended\. Nothing was changed\.$/m)
  expect(again.text).not.toContain('earlier steps')
})

it('offers to end what still silences a part of what was unmuted', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin } = world.slack
  await admin.command('/hc', 'mute web-1 3h', { ...HERE, until: 'Muted' })
  await admin.command('/hc', 'mute all 3h --yes', { ...HERE, until: 'Muted' })
  const ended = await admin.command('/hc', 'unmute all', { ...HERE, until: 'Still in force here:' })
  expect(await listOpen(world)).toEqual(['U0ADMIN001 check'])
  await admin.click(ended.message, 'End it for web-1', { until: 'Ended: the mute of web-1' })
  expect(await listOpen(world)).toEqual([])
})

it('has one watch of the same health checks: it says what that one does, and opens its window', async () => {
  const page = [{ afterMs: 300_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }]
  const { world, channelId } = await startWatchedWorld(CHECKS, { page })
  await using _ = world
  const { admin } = world.slack
  const listWatches = () => world.app.store.watching.watches.list(WORKSPACE, { channelId })
  for (const line of ['watch all --escalate "10m @member"', 'watch all', 'watch *'])
    await admin.command('/hc', line, { ...HERE, until: 'already watches every health check.' })
  const asked = await admin.command('/hc', 'watch all --escalate "10m @member"', {
    ...HERE,
    until: 'already',
  })
  expect(asked.text).toMatch(/Nothing was changed\..*pages @\u2060?admin after 5 min/s)
  expect(await listWatches()).toMatchObject([{ page }])
  const opened = await admin.click(asked.message, 'Change')
  expect(JSON.stringify(opened.view)).toContain('10m @member')
  await admin.submit({}, { until: 'now watches' })
  expect(await listWatches()).toMatchObject([{ page: [{ afterMs: 600_000 }] }])
})

it('offers the watch by a pattern to whoever ends one by a name that the pattern covers', async () => {
  const filter = { include: [{ field: 'name' as const, pattern: '*eal*' }], exclude: [] }
  const { world, channelId } = await startWatchedWorld(CHECKS, { filter })
  await using _ = world
  const { admin } = world.slack
  const asked = await admin.command('/hc', 'unwatch eal', { ...HERE, until: 'Which watch' })
  expect(asked.text).toContain('about “eal” alone. Which watch do you want to end?')
  await admin.click(asked.message, '*eal*', { until: 'Ended 1 watch' })
  expect(await world.app.store.watching.watches.list(WORKSPACE, { channelId })).toEqual([])
})

it('says that it isn’t in the channel before it asks which checks are meant', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { member } = world.slack
  const { text } = await member.command('/hc', 'watch eb', { channel: 'random', until: /Signalman|web-1/ })
  expect(text).toContain('Signalman isn’t in this channel')
})

it('ends your own mute beside somebody else’s, also without the role', async () => {
  const { world } = await startWatchedWorld({ ...CHECKS, access: 'closed' })
  await using _ = world
  const { admin, member } = world.slack
  await admin.command('/hc', 'mute web-* 3h', { ...HERE, until: 'Muted' })
  await admin.command('/hc', 'grant @member operator', { ...HERE, until: 'operator' })
  await member.command('/hc', 'mute web-* 2h', { ...HERE, until: 'Also in force' })
  await admin.command('/hc', 'revoke @member operator', { ...HERE, until: 'operator' })
  await member.command('/hc', 'unmute web-*', { ...HERE, until: 'Ended: the mute of web-' })
  expect(await listOpen(world)).toEqual(['U0ADMIN001 web-*'])
  await member.command('/hc', 'unmute web-*', { ...HERE, until: 'Only whoever silenced this' })
  expect(await listOpen(world)).toEqual(['U0ADMIN001 web-*'])
})

it('plans maintenance from one time until another', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  await world.slack.admin.command('/hc', 'maintenance web-* from tomorrow 02:00 until 04:00', {
    ...HERE,
    until: 'Maintenance',
  })
  const [{ from, to } = {}] = await world.app.store.watching.silences.list(WORKSPACE, new Date())
  expect(Number(to) - Number(from)).toBe(7_200_000)
})

it('ends watches of another channel, and asks which of them', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin } = world.slack
  const listWatches = () => world.app.store.watching.watches.list(WORKSPACE, { channelId })
  const THERE = { channel: 'random' } as const
  await admin.command('/hc', `watch web-1 <#${channelId}|${CHANNEL}>`, { ...THERE, until: 'now watches' })
  const none = await admin.command('/hc', `unwatch Deals <#${channelId}|${CHANNEL}>`, {
    ...THERE,
    until: 'No watch',
  })
  expect(none.text).toContain('No watch in that channel in production is about “Deals” alone.')
  await admin.command('/hc', `unwatch web-1 <#${channelId}|${CHANNEL}>`, { ...THERE, until: 'Ended 1 watch' })
  expect(await listWatches()).toHaveLength(1)
  await admin.command('/hc', `watch web-2 #${CHANNEL}`, { ...THERE, until: 'now watches' })
  const asked = await admin.command('/hc', `unwatch <#${channelId}|${CHANNEL}>`, {
    ...THERE,
    until: 'Which watch',
  })
  await admin.click(asked.message, 'All 2', { until: 'Ended 2 watches' })
  expect(await listWatches()).toEqual([])
})

it('asks before everything is muted, however it is typed', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  for (const all of ['*', '**', '"*"'])
    await world.slack.admin.command('/hc', `mute ${all} 2h`, {
      ...HERE,
      until: 'Mute everything in this channel?',
    })
  expect(await listOpen(world)).toEqual([])
})

it('pages about the check that was named, and only offers one with a similar name', async () => {
  const page = [{ afterMs: 3_600_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }]
  const { world, channelId } = await startWatchedWorld(CHECKS, { page })
  await using _ = world
  await untilPolled(world)
  await bringDown(world, 'web-1')
  await untilText(world, channelId, 'web-1 is down')
  const { member } = world.slack
  const shown = await member.command('/hc', 'web-1', { ...HERE, until: 'nobody yet' })
  expect(shown.text).not.toContain('Where it’s watched')
  const asked = await member.command('/hc', 'page eb-1', HERE)
  expect(asked.text).not.toContain('Paging')
  const up = await member.command('/hc', 'page web-2', { ...HERE, until: 'Nobody was paged' })
  expect(up.text).toMatch(/^As of the last poll, it isn’t down\. Nobody was paged\./)
  expect(up.text).not.toContain('Nothing was changed')
  await member.command('/hc', 'page web-1', { ...HERE, until: 'Paging @admin' })
  await bringDown(world, 'web-2')
  await untilText(world, channelId, 'web-1 and web-2 are down')
  const both = await member.command('/hc', 'web-1', { ...HERE, until: 'nobody yet' })
  expect(both.text).toContain('I’m on it (2)')
  const away = await member.command('/hc', 'web-1', { channel: 'random', until: 'nobody yet' })
  expect(away.text).toContain('nobody yet. Where it’s watched, press “I’m on it”')
  expect(away.text).not.toContain('I’m on it (2)')
  await member.click(both.message, 'I’m on it (2)', {
    until: /Yours now: .*web-1.*web-2|Yours now: .*web-2.*web-1/,
  })
})

it('offers to watch a check that the channel doesn’t watch instead of paging about it', async () => {
  const filter = { include: [{ field: 'name' as const, pattern: 'web-*' }], exclude: [] }
  const { world } = await startWatchedWorld(CHECKS, { filter })
  await using _ = world
  const { member } = world.slack
  const asked = await member.command('/hc', 'page Deals', { ...HERE, until: 'nobody was paged' })
  expect(asked.text).toContain('This channel doesn’t watch it, so nobody was paged.')
  const NOWHERE = 'This is for this channel only, which doesn’t watch it.'
  await member.command('/hc', 'mute Deals 1h', { ...HERE, until: new RegExp(`${NOWHERE}$`, 'm') })
  const elsewhere = await member.command('/hc', 'mute web-1 1h', { channel: 'random', until: NOWHERE })
  await member.click(elsewhere.message, 'All watches', { until: '1 watch in 1 channel' })
  await member.click(asked.message, 'Watch it here', { until: 'now watches Deals' })
  await member.command('/hc', 'mute web-1 1h', { ...HERE, until: 'This is for this channel only.' })
})

it('shows the outages of the first day, of one check and of a group, and since when it watches', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _ = world
  await untilPolled(world)
  await bringDown(world, 'web-1')
  await untilText(world, channelId, 'web-1 is down')
  const { member } = world.slack
  const read = async (line: string) => (await member.command('/hc', line, { ...HERE, until: 'outage' })).text
  await expect.poll(() => read('history web-1')).toMatch(/^web-1: 1 outage · last 7 days/)
  const one = await read('history web-1')
  expect(one).toContain('Watching since')
  expect(one).not.toMatch(/Uptime|Observed|%/)
  expect(await read('history web-*')).toMatch(/^web-\*: 1 outage · last 7 days/)
  expect(await read('history web-*')).toMatch(/web-1\s*: 1 outage, down/)
  expect(await read('history Deals')).toMatch(/^Deals: No outages/)
})

it('refuses what posts outages in a direct message, where none are posted', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const lines = ['watch all', 'unwatch all', 'mute all 2h', 'maintenance all from 22:00 for 2h', 'page web-1']
  for (const line of lines) {
    const { text } = await world.slack.member.command('/hc', line, { channel: 'dm' })
    expect(text, line).toContain('Signalman posts outages only in channels. Run this in a channel.')
  }
})
