import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

it('offers an act whose pattern matches no check, or that says nothing of what, and does it only when its button is pressed', async () => {
  await using world = await startWorld({
    checks: ['shop-1', 'shop-test', 'blog-1'].map((name) => ({ name, status: 'HEALTHY' as const })),
  })
  const { member } = world.slack
  const type = (line: string, until?: string) =>
    member.command('/hc', line, { channel: 'general', ...(until && { until }) })
  const { watches, silences } = world.app.store.watching
  const listWatches = async () => (await watches.list(WORKSPACE)).map(({ filter }) => filter.include)
  const unclear = await type('watch shop* except shop-test @on-call')
  expect(unclear.text).toMatch(
    /No health check matches “shop-test @.*on-call”, which this leaves out, so nothing was done\./,
  )
  expect(await listWatches()).toEqual([])
  for (const [line, said] of [
    ['watch shop* not shop-test', 'not shop-test'],
    ['watch blgo*', 'No health check matches this, so nothing was done.'],
    [`watch --uuid ${randomUUID()}`, 'No health check matches this, so nothing was done.'],
  ] as const) {
    const asked = await type(line)
    expect(asked.text).toContain(said)
    expect(await listWatches()).toEqual([])
  }
  for (const line of ['mute shop* blog* 2h', 'maintenance blgo* --from 22:00 --for 2h']) {
    const asked = await type(line)
    expect(asked.text).toMatch(/No health check matches this, so nothing was (muted|planned)\./)
  }
  // The window for it couldn't show it.
  expect((await type(`mute ${'x'.repeat(201)} 2h`)).text).toContain('can have up to 200 characters')
  expect(await silences.list(WORKSPACE, new Date(), { channelId: '', environment: 'production' })).toEqual([])
  const asked = await type('watch new-*')
  await member.click(asked.message, 'Watch it anyway', { until: 'This channel now watches' })
  expect(await listWatches()).toEqual([[{ field: 'name', pattern: 'new-*' }]])
  await type('watch shop*, blog*', 'This channel now watches')
  expect(await listWatches()).toHaveLength(2)
  // What the channel reads about the watch before may come later.
  await type(
    'watch shop* except tset*',
    'No health check matches “tset*”, which this leaves out, so nothing was done.',
  )
  expect(await listWatches()).toHaveLength(2)
  await type('watch shop* except shop-test', 'This channel now watches')
  expect(await listWatches()).toHaveLength(3)
  for (const [line, said] of [
    [
      'maintenance --from 22:00 --for 2h',
      'Which health check? Type its name or UUID:\n\n/hc maintenance NAME --from 22:00 --for 2h',
    ],
    ['mute 2h', 'Which health check? Type its name or UUID:\n\n/hc mute NAME 2h'],
    ['mute', 'Which health check? Type its name or UUID:\n\n/hc mute NAME'],
  ] as const)
    await type(line, said)
  const tooLong = await type('mute shop* 400d', 'It can last up to a year.')
  await member.click(tooLong.message, '4 hours', { until: 'Muted' })
})
