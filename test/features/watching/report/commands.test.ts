import { expect, it } from 'vitest'
import { PATIENCE_MS, startWatchedWorld, untilPolled, untilPosted } from '../watched-world.ts'

it('reports what fell, who was on it and when, what was told, and sends it as a file', async () => {
  const { world, channelId } = await startWatchedWorld({
    checks: [
      { name: 'shop *1*', status: 'HEALTHY' },
      { name: 'web-2', status: 'HEALTHY' },
    ],
  })
  await using _world = world
  const { member } = world.slack
  await untilPolled(world)
  const other = await member.command('/hc', 'report', { channel: 'operations' })
  expect(other.text).toContain('No outage was told in this channel')
  const [check] = await world.service.checksNamed('shop *1*')
  await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
  const [down] = await untilPosted(world, channelId, (posts) => posts.length === 1)
  await member.click(down, 'I’m on it', { until: 'You are on it' })
  await untilPosted(world, channelId, ([post]) => post?.text.includes('On it: member') ?? false)
  await world.service.hold(check?.uuid ?? '', 'HEALTHY')
  const [up] = await untilPosted(world, channelId, ([post]) => post?.text.includes('is up again') ?? false)

  const { message, text } = await member.click(up, 'Report', { until: 'was down' })
  expect(text).toMatch(/^shop \*1\* was down \d+ s/m)
  expect(text).toMatch(/On it\W+member, \d+ s after it fell/)
  const order = ['went down', 'Told in the channel', 'member is on it', 'came up after']
  const places = order.map((words) => text.indexOf(words))
  expect(places, text).toEqual(places.toSorted((left, right) => left - right))
  expect(places).not.toContain(-1)
  expect(text).toContain('Uptime in 30 d, of the time that was observed')

  await member.click(message, 'As a file', { until: 'as a file' })
  const sent = async () => (await member.messages('dm')).flatMap(({ files = [] }) => files)
  await expect.poll(sent, { timeout: PATIENCE_MS }).toHaveLength(1)
  const [file] = await sent()
  expect(file?.name).toMatch(/^report-\d{4}-\d\d-\d\d\.md$/)

  // A channel that watches other checks is not told that nothing went down.
  const elsewhere = { channel: 'operations' }
  await member.command('/hc', 'watch web-*', elsewhere)
  const quiet = await member.command('/hc', 'report --from 24h', elsewhere)
  expect(quiet.text).toContain('Nothing that is watched here went down')

  const day = await member.command('/hc', 'report --from 24h', { until: 'outage of' })
  expect(day.text).toMatch(/1 outage of 1 health check, down \d+ s/)
  expect(day.text).toContain('Not seen')
  for (const [typed, says] of [
    ['report --from tomorrow', 'a time that has passed'],
    ['report --to 1h', 'From when?'],
    ['report --from 1h --to 2h', '--from is to be before --to'],
    ['report --from 2026-01-01', 'within 90 days'],
    ['report nonsense', 'A report is of a card'],
    ['report AAAAAAAAAAAAAAAAAAAAAA', 'This card is not known'],
  ] as const)
    expect((await member.command('/hc', typed)).text, typed).toContain(says)
})
