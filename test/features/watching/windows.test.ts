import { expect, it } from 'vitest'
import { WORKSPACE, type World } from '../../world.ts'
import { CHANNEL, startWatchedWorld, untilPosted } from './watched-world.ts'

const HERE = { channel: CHANNEL } as const
const CHECKS = { checks: [{ name: 'web-1' }, { name: 'web-2' }, { name: 'shop' }] } as const
const list = async ({ app }: World) => app.store.watching.watches.list(WORKSPACE)

it('changes only what somebody changed in the window of a watch', async () => {
  const page = [{ afterMs: 600_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }]
  const { world, watch } = await startWatchedWorld(CHECKS, { page, runbook: 'https://wiki.example.com/' })
  await using _ = world
  const { admin } = world.slack
  await admin.command('/hc', `watch-edit ${watch.id}`, { ...HERE, until: 'recover' })
  const saved = await admin.submit({ 'Leave out': 'web-2' }, { until: 'now watches' })
  expect(saved.text).toContain('Matches 2 health checks now: shop, web-1')
  const exclude = [{ field: 'name', pattern: 'web-2' }]
  expect(await list(world)).toMatchObject([
    { id: watch.id, page, runbook: watch.runbook, filter: { exclude } },
  ])
  await untilPosted(world, watch.channelId, (posts) =>
    posts.some(
      ({ text, ephemeral }) => !ephemeral && text.includes('changed the watch of every health check'),
    ),
  )
})

it('doesn’t overwrite what somebody else changed while the window was open', async () => {
  const { world, watch } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin, member } = world.slack
  await admin.command('/hc', `watch-edit ${watch.id}`, { ...HERE, until: 'recover' })
  await member.command('/hc', `watch-edit ${watch.id}`, { ...HERE, until: 'recover' })
  await member.submit({ Names: 'web-*' }, { until: 'now watches' })
  const refused = await admin.submit({ Names: 'shop' }, { until: 'This watch:' })
  expect(refused.text).toContain('web-*')
  expect((await list(world)).map(({ filter }) => filter.include[0]?.pattern)).toEqual(['web-*'])
})

const REFUSED = [
  ['watch', { 'Page while nobody is on it': '1m @admin' }, 'needs a time from 5m to 24h'],
  ['watch', { Runbook: 'http://wiki.example.com' }, 'needs a link that starts with https://'],
  ['maintenance', { 'Health checks': 'web-*', From: 'yesterday', 'For how long': '2h' }, 'has passed'],
  ['maintenance', { 'Health checks': 'web-*', From: 'soon', 'For how long': '2h' }, 'Type a time, such as'],
  // At its own field.
  [
    'maintenance',
    { 'Health checks': 'all', From: 'now', 'For how long': 'long' },
    /For how long\n[^⚠]*⚠ For/,
  ],
] as const

it('says at once in a window what is wrong in it, and plans no maintenance of what no health check matches', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin } = world.slack
  for (const [verb, answers, problem] of REFUSED) {
    await admin.command('/hc', verb, { ...HERE, until: 'Health checks' })
    await admin.submit(answers, { until: problem })
    await admin.close({ all: true })
  }
  expect(await list(world)).toHaveLength(1)
  const { silences } = world.app.store.watching
  await admin.command('/hc', 'maintenance', { ...HERE, until: 'Health checks' })
  const answers = { 'Health checks': 'wbe-*', From: 'tomorrow 22:00', 'For how long': '2h', Why: 'new disks' }
  await admin.submit(answers, { until: 'No health check matches' })
  expect(await silences.list(WORKSPACE, new Date())).toEqual([])
})

it.each(['maintenance web-* tonight 22:00', 'maintenance web-* 10pm tonight'])(
  'fills in the window with the time that was typed: %s',
  async (line) => {
    const { world } = await startWatchedWorld(CHECKS)
    await using _ = world
    const { view } = await world.slack.admin.command('/hc', line, { ...HERE, until: 'Health checks' })
    const filled = JSON.stringify(view?.view.blocks)
    expect(filled).toContain('"initial_value":"web-*"')
    expect(filled).toMatch(/"block_id":"from".*"initial_value":"(?:tonight 22:00|10pm tonight)"/)
  },
)

it('plans maintenance of the check that was named, also where its name means something else', async () => {
  const { world } = await startWatchedWorld({
    checks: ['all', 'Shop*', 'Shop one'].map((name) => ({ name })),
  })
  await using _ = world
  const { admin } = world.slack
  const { silences } = world.app.store.watching
  for (const name of ['all', 'Shop*']) {
    await admin.command('/hc', `maintenance "${name}" --for 2h`, { ...HERE, until: 'Health checks' })
    await admin.submit({ From: 'now' }, { until: 'Maintenance:' })
  }
  const planned = await silences.list(WORKSPACE, new Date())
  expect(planned.map(({ subject }) => 'name' in subject && subject.name).toSorted()).toEqual(['Shop*', 'all'])
})

it('changes a watch only in its environment', async () => {
  const { world, watch } = await startWatchedWorld(CHECKS, { environment: 'ote' })
  await using _ = world
  const { admin } = world.slack
  await admin.command('/hc', `watch-edit ${watch.id}`, { ...HERE, until: 'has already ended' })
  await admin.command('/hc', `watch-edit ${watch.id} --env ote`, { ...HERE, until: 'recover' })
  await admin.submit({ 'Leave out': 'no-such-check' }, { until: 'No health check matches' })
  await admin.click((await admin.state()).views.at(-1), 'Watch it anyway', { until: 'now watches' })
  const filter = { exclude: [{ pattern: 'no-such-check' }] }
  expect(await list(world)).toMatchObject([{ id: watch.id, environment: 'ote', filter }])
})
