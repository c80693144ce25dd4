import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { WORKSPACE, type World } from '../../world.ts'
import { applyPreview } from '../health-checks/files/csv-files.ts'
import { bringDown, CHANNEL, startWatchedWorld, untilPolled, untilText } from './watched-world.ts'

const CHECKS = ['web-1', 'web-2', 'Friday Deals', 'Deals'].map((name) => ({ name }))

/** Starts a world in which #general watches everything. People type there, unless it says otherwise. */
async function open(...[options, settings]: Parameters<typeof startWatchedWorld>) {
  const { world, channelId } = await startWatchedWorld({ checks: CHECKS, ...options }, settings)
  const withType = (person: World['slack']['member']) => ({
    ...person,
    type: (line: string, until: string | RegExp = /./, channel = CHANNEL) =>
      person.command('/hc', line, { channel, until }),
  })
  const { app, slack } = world
  return {
    ...{ world, channelId, admin: withType(slack.admin), member: withType(slack.member) },
    listWatches: () => app.store.watching.watches.list(WORKSPACE, { channelId }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const listOpen = async (world: World) =>
  (await world.app.store.watching.silences.list(WORKSPACE, new Date())).map(
    ({ ownerId, subject }) => `${ownerId} ${'pattern' in subject ? subject.pattern : subject.kind}`,
  )

it('says with a summary, a watch, and a check what silences them now', async () => {
  await using here = await open()
  const { admin, member } = here
  // What the channel reads of it comes after the answer.
  await admin.type('mute web-* 3h', 'Muted: web-*')
  await member.type('mute web-* 15m', 'Muted: web-*')
  const summary = await member.type('', 'The service answered')
  expect(summary.text).toMatch(/Muted: web-\*\s+until .* by .*Admin/s)
  const watched = await member.type('watch web-1', 'now watches')
  expect(watched.text).toMatch(/In this channel now:.*Muted: web-\*\s+until/s)
  const shown = await member.type('web-1', 'In this channel')
  expect(shown.text.match(/In this channel/g)).toHaveLength(2)
  const other = await member.type('watch Deals', 'now watches')
  expect(other.text).not.toContain('Muted')
})

it('shows with a check only what silences it now, and ends from there only what is about it alone', async () => {
  await using here = await open()
  const { world, admin } = here
  const show = () => admin.type('web-1', 'Watched in')
  await admin.type('maintenance web-* from tomorrow 22:00 for 1h', 'Maintenance:')
  expect((await show()).text).not.toContain('In this channel')
  await admin.type('mute Deals 3h', 'This is for this channel only')
  const { messages } = await admin.type('mute web-1 3h', 'This is for this channel only')
  const answers = messages
    .map((message) => readText(message))
    .filter((text) => text.includes('This is for this channel only'))
  expect(answers).toEqual([
    expect.stringMatching(
      /^🔕 Muted: web-1\s+until .* · by .*This is for this channel only\. Nobody is paged meanwhile/s,
    ),
  ])
  await admin.click((await show()).message, 'Unmute', { until: 'Ended: the mute of web-1 by ' })
  await admin.type('mute web-* 3h', 'Muted')
  await admin.click((await show()).message, 'Unmute', { until: 'but there is' })
  expect((await listOpen(world)).sort()).toEqual(['U0ADMIN001 check', 'U0ADMIN001 web-*', 'U0ADMIN001 web-*'])
})

it('says what a channel still silences once it watches nothing, and which channels don’t have that', async () => {
  await using here = await open()
  const { admin, listWatches } = here
  await admin.type('watch web-1', 'now watches')
  await admin.type('mute web-* 3h', 'Muted')
  await admin.type('maintenance Deals from tomorrow 22:00 for 1h', 'Maintenance:')
  await admin.type('watch all', 'now watches', 'operations')
  await admin.type('mute web-2 3h', 'Muted', 'operations')
  const first = await admin.type('unwatch web-1', 'Ended 1 watch')
  expect(first.text).not.toContain('Not ended')
  expect(await listWatches()).toHaveLength(1)
  const last = await admin.type('unwatch all --yes', 'Ended 1 watch')
  expect(last.text).toMatch(/Not ended, and without effect until this channel watches again:/)
  expect(last.text).toMatch(/Muted: web-\*\s+until .*Maintenance: Deals\s+from .* doesn’t have that\./s)
  expect(JSON.stringify(last.message?.blocks)).toContain('C0OPERATNS')
  expect(last.text).not.toContain('web-2')
})

it('lists what no channel watches, and says if each is watched, or if nothing has the name', async () => {
  await using here = await open(
    {},
    { filter: { include: [{ field: 'name', pattern: 'web-*' }], exclude: [] } },
  )
  const { admin } = here
  const all = await admin.type('list unwatched', 'No channel watches 2 health checks')
  expect(all.text).toMatch(/Deals.*Friday Deals|Friday Deals.*Deals/s)
  expect(all.text).not.toContain('web-')
  expect((await admin.type('list Friday* unwatched', 'No channel watches 1 health check')).text).toContain(
    'Friday Deals',
  )
  await admin.type('list web-* unwatched', 'A channel watches each of the 2 health checks named “web-*”')
  await admin.type('list nothing* unwatched', 'No health check is named “nothing*”')
  await admin.type('list down unwatched', 'takes only a name beside it')
  await admin.type('watch all --after 3', 'Posts after seeing it down 3 times')
  await admin.type('list unwatched', 'A channel watches each of the 4 health checks')
  for (const period of ['tonight', 'overnight', 'since 22:00', 'this week'])
    await admin.type(
      `history ${period}`,
      new RegExp(`(?:No outages in under 1 min of watching|Signalman wasn’t watching.*) · ${period}`),
    )
  const long = await admin.type('history 400d', '· 400d')
  expect(long.text).toContain('Outages are kept for 90 days, so this begins later than you asked.')
  expect((await admin.type('history 90d', '· 90d')).text).not.toContain('Outages are kept')
})

it('has one watch of the same health checks: it says what that one does, and opens its window', async () => {
  const page = [{ afterMs: 300_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }]
  await using here = await open({}, { page })
  const { admin, listWatches } = here
  for (const line of ['watch all --escalate "10m @member"', 'watch all', 'watch *'])
    await admin.type(line, 'already watches every health check')
  const asked = await admin.type('watch all --escalate "10m @member"', 'already')
  expect(asked.text).toMatch(
    /every health check · pages @\u2060?admin after 5 min while nobody is on it\. The watch/s,
  )
  expect(asked.text).toContain('The watch wasn’t changed. To set what you typed, press Change.')
  const audit = await admin.type('audit', 'newest first')
  expect(audit.text).toMatch(/\/hc watch\s+every health check\s+· was already watched/)
  expect(await listWatches()).toMatchObject([{ page }])
  const opened = await admin.click(asked.message, 'Change')
  expect(JSON.stringify(opened.view)).toContain('10m @member')
  await admin.submit({}, { until: 'now watches' })
  expect(await listWatches()).toMatchObject([{ page: [{ afterMs: 600_000 }] }])
  const line = 'watch all --after 3 --runbook https://wiki.example.com/shop'
  const more = await admin.type(line, 'already watches every health check')
  await admin.click(more.message, 'Change')
  await admin.submit({}, { until: 'now watches' })
  expect(await listWatches()).toMatchObject([{ afterBadPolls: 3, page: [{ afterMs: 600_000 }] }])
  const less = await admin.type('watch all --after 1', 'To set what you typed')
  await admin.click(less.message, 'Change')
  await admin.submit({}, { until: 'now watches' })
  expect(await listWatches()).toMatchObject([{ afterBadPolls: 1, page: [{ afterMs: 600_000 }] }])
})

it('says that a check leaves a watch by a pattern with its name, and offers that watch to whoever ends one by a name that the pattern covers', async () => {
  const include = ['*eal*', 'web-*'].map((pattern) => ({ field: 'name' as const, pattern }))
  await using here = await open({}, { filter: { include, exclude: [] } })
  const { world, admin, listWatches } = here
  const rename = async (name: string, to: string) => {
    const preview = await admin.type(`edit "${name}" --name "${to}"`, '? This would ')
    return (await applyPreview(world, preview, 'Change 1', { person: admin }))?.text
  }
  expect(await rename('Friday Deals', 'Friday meals')).not.toContain('Its new name')
  expect(await rename('Friday meals', 'Friday')).toMatch(
    /Its new name isn’t watched in .+, where the old one was\./s,
  )
  const asked = await admin.type('unwatch eal', 'Which watch')
  expect(asked.text).toContain('about “eal” alone. Which watch do you want to end?')
  // It's about more than that, too.
  await admin.type('unwatch *eal*', 'about “*eal*” alone. Which watch do you want to end?')
  await admin.click(asked.message, '*eal*, web-*', { until: 'Ended 1 watch' })
  expect(await listWatches()).toEqual([])
})

it('ends a watch by a name that looks the same', async () => {
  await using here = await open({ checks: [{ name: 'Ann’s shop' }, { name: 'web-1' }] })
  const { admin } = here
  await admin.type("watch Ann's shop", 'now watches')
  await admin.type('watch Ann’s*', 'now watches')
  await admin.type("unwatch ann's shop", 'Ended 1 watch')
  await admin.type("unwatch ANN'S*", 'Ended 1 watch')
})

it('only asks if no watch is named, also about the only one', async () => {
  await using here = await open()
  const { admin, listWatches } = here
  const asked = await admin.type('unsubscribe', 'End the watch of every health check?')
  expect(asked.text).not.toContain('pages anyone')
  expect(await listWatches()).toHaveLength(1)
  await admin.click(asked.message, 'End it', { until: 'Ended 1 watch' })
  expect(await listWatches()).toEqual([])
})

it('says that what a watch leaves out may still be posted by others', async () => {
  await using here = await open()
  const { admin } = here
  expect((await admin.type('watch web-1', 'now watches')).text).not.toContain('leaves out')
  const first = await admin.type('watch all --not web-1', 'now watches')
  expect(first.text).toContain('Other watches of the channel may still post what this one leaves out.')
  await here.member.type('watch eb', 'Signalman isn’t in this channel', 'random')
})

it('ends watches of another channel, and asks which of them', async () => {
  await using here = await open(
    {},
    { page: [{ afterMs: 300_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }] },
  )
  const { channelId, admin, listWatches } = here
  await admin.type(`watch web-1 <#${channelId}|${CHANNEL}>`, 'now watches', 'operations')
  const none = await admin.type(`unwatch Deals <#${channelId}|${CHANNEL}>`, 'No watch', 'random')
  expect(none.text).toContain('No watch in that channel in production is about “Deals” alone.')
  await admin.type(`unwatch web-1 <#${channelId}|${CHANNEL}>`, 'Ended 1 watch', 'random')
  expect(await listWatches()).toHaveLength(1)
  await admin.type(`watch web-2 #${CHANNEL}`, 'now watches', 'operations')
  const asked = await admin.type(`unwatch <#${channelId}|${CHANNEL}>`, 'Which watch', 'random')
  expect(readText(asked.message)).toContain('End all 2')
  const all = await admin.type(`unwatch all <#${channelId}|${CHANNEL}>`, /End the watches of|Ended/, 'random')
  expect(all.text).toContain(
    'End the watches of every health check, web-2? They page @admin, and no other watch of the channel pages anyone.',
  )
  await admin.click(all.message, 'End all 2', {
    until: /Ended 2 watches of .*: every health check, web-2\./s,
  })
  expect(await listWatches()).toEqual([])
})

it('pages about the check that was named, and only offers one with a similar name', async () => {
  const page = [{ afterMs: 3_600_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }]
  await using here = await open({}, { page })
  const { world, channelId, member } = here
  await untilPolled(world)
  await member.type('page @member', 'Nothing that Signalman watches is down. Nobody was paged.')
  await bringDown(world, 'web-1')
  await untilText(world, channelId, 'web-1 is down')
  // Only one is down, so nobody is asked which.
  const which = await member.type('page @member', 'Run this?')
  await member.click(which.message, '🔴 /hc page "web-1" @member', { until: 'Paging @member' })
  const shown = await member.type('web-1', 'nobody is on it')
  expect(shown.text).not.toContain('Where it’s watched')
  const asked = await member.type('page eb-1')
  expect(asked.text).not.toContain('Paging')
  const up = await member.type('page web-2', 'Nobody was paged')
  expect(up.text).toMatch(/^As of the last poll, it isn’t down\. Nobody was paged\./)
  expect(up.text).not.toContain('Nothing was changed')
  // What is down is known also while the service doesn't answer.
  const path = '/healthcheck/v1/healthchecks'
  await world.service.faults({ path, kind: 'status', status: 500, times: 1000 })
  await member.type('page web-1', 'Paging @admin')
  await world.service.faults()
  await bringDown(world, 'web-2')
  await untilText(world, channelId, 'web-1 and web-2 are down')
  const both = await member.type('web-1', 'nobody is on it')
  expect(both.text).toContain('I’m on it (2)')
  const direct = await member.type('web-1', 'nobody is on it', 'dm')
  expect(direct.text).toMatch(
    /The service reports only what is down, not why.*I’m on it \(2\)|I’m on it \(2\).*not why/s,
  )
  const away = await member.type('web-1', 'nobody is on it', 'random')
  expect(away.text).toContain('nobody is on it. Where it’s watched, press “I’m on it”')
  expect(away.text).not.toContain('I’m on it (2)')
  await member.click(both.message, 'I’m on it (2)', {
    until: /Yours now: .*web-1.*web-2|Yours now: .*web-2.*web-1/,
  })
})

it('offers to watch a check that the channel doesn’t watch instead of paging about it', async () => {
  const filter = { include: [{ field: 'name' as const, pattern: 'web-*' }], exclude: [] }
  await using here = await open({}, { filter })
  const { member } = here
  const asked = await member.type('page Deals', 'nobody was paged')
  expect(asked.text).toContain('This channel doesn’t watch it, so nobody was paged.')
  await member.click(asked.message, 'Watch it here', { until: 'now watches Deals' })
})

it('shows the outages of the first day, of one check and of a group, and how much of the time was seen', async () => {
  await using here = await open()
  const { world, channelId, member } = here
  await untilPolled(world)
  await bringDown(world, 'web-1')
  await untilText(world, channelId, 'web-1 is down')
  const read = async (line: string) => (await member.type(line, 'outage')).text
  await expect.poll(() => read('history web-1')).toMatch(/^web-1: 1 outage · last 7 days/)
  const one = await read('history web-1')
  expect(one).toMatch(/Observed.*under 1 min of 7 d/s)
  expect(one).not.toMatch(/Uptime|%/)
  expect(await read('history web-*')).toMatch(/^web-\*: 1 outage · last 7 days/)
  expect(await read('history web-*')).toMatch(/web-1\s*: 1 outage, down/)
  expect(await read('history Deals')).toMatch(/^Deals: No outages/)
})

it('names the channel in a direct message, where no outages are posted', async () => {
  const filter = { include: [{ field: 'name' as const, pattern: 'web-*' }], exclude: [] }
  await using here = await open({}, { filter })
  const { channelId, member } = here
  for (const line of ['watch all', 'unwatch all'])
    await member.type(line, 'Signalman posts outages only in channels. Type this in one', 'dm')
  const page = await member.type(
    'page web-1',
    'Pages are posted only in channels, so nobody was paged.',
    'dm',
  )
  expect(JSON.stringify(page.message)).toContain(`"channel_id":"${channelId}"`)
  for (const [line, label] of [
    ['mute web-1 2h', 'Mute it in'],
    ['maintenance web-1 from 22:00 for 2h', 'Plan it in'],
  ] as const) {
    const asked = await member.type(line, 'only in channels, so nothing was', 'dm')
    await member.click(asked.message, `${label} #${CHANNEL}`, { until: 'This is for' })
  }
  await member.type('mute Deals 2h', 'No channel watches Deals, so nothing was muted.', 'dm')
})
