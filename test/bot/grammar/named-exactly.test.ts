import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

/** Names that hold words that the reader knows. */
const NAMES = [
  'all',
  'Shop*',
  'Shop one',
  'down',
  'web',
  '2h',
  'Friday Deals',
  'Deals',
  'Backup',
  'Backup 2h',
  'Opt in',
]

it('never mistakes a check that is named exactly', async () => {
  await using world = await startWorld({
    checks: NAMES.map((name) => ({ name, status: 'HEALTHY' as const })),
    access: 'closed',
  })
  const { admin } = world.slack
  const { silences, watches } = world.app.store.watching
  const channel = { channel: 'general' } as const
  const type = (text: string) => admin.command('/hc', text, channel)
  const ask = (text: string) => admin.command('/hc', text, { ...channel, until: 'A health check is named' })
  const listSilenced = async () =>
    (await silences.list(WORKSPACE, new Date(), {})).map(({ subject }) =>
      subject.kind === 'check'
        ? subject.name
        : `${subject.kind} ${'pattern' in subject ? subject.pattern : ''}`.trim(),
    )
  const listWatched = async () =>
    (await watches.list(WORKSPACE)).map(({ filter }) =>
      filter.include.map(({ label, pattern }) => label ?? pattern),
    )

  // What could be another check is asked, and nothing is done meanwhile.
  await ask('mute 2h')
  await ask('maintenance 2h --from now')
  for (const line of [
    'mute all 2h',
    'mute Shop* 2h',
    'mute Backup 2h',
    'mute *web* 2h',
    'maintenance *Friday Deals* from now for 2h',
    'watch *web*',
    'mute **web** 2h',
    'watch Friday* --not *web*',
    'watch Friday* except **web**',
    'watch all',
    'watch Shop*',
    'unmute all',
  ]) {
    const asked = await ask(line)
    expect(asked.text, line).toContain('Do you mean that one?')
    expect(await listSilenced(), line).toEqual([])
    expect(await listWatched(), line).toEqual([])
  }

  // Each answer is one press.
  const many = await ask('watch Shop*')
  await admin.click(many.message, 'No, as I typed it', { until: 'This channel now watches' })
  expect(await listWatched()).toEqual([['Shop*']])
  const all = await ask('watch all')
  await admin.click(all.message, 'No, as I typed it', { until: 'now watches every health check' })
  const one = await ask('mute Shop* 2h')
  await admin.click(one.message, 'Yes: /hc mute "Shop*" 2h', { until: 'Muted' })
  expect(await listSilenced()).toEqual(['Shop*'])

  // What can only be one check is done.
  for (const [line, name] of [
    ['mute 2h 2h', '2h'],
    ['mute Friday Deals 2h', 'Friday Deals'],
    ['mute down 1h', 'down'],
    ['mute web for 30m', 'web'],
    ['mute "all" 2h', 'all'],
    ['mute Opt in 1h', 'Opt in'],
  ] as const)
    await admin.command('/hc', line, { ...channel, until: `Muted: ${name}` })
  expect((await listSilenced()).toSorted()).toEqual(
    ['2h', 'Friday Deals', 'Opt in', 'Shop*', 'all', 'down', 'web'].toSorted(),
  )
  // A name that was pasted from a card is bold, which is a pattern, too.
  for (const line of ['mute *web* 2h', 'watch *Friday Deals*', 'maintenance *web* 2h --from now'])
    expect((await ask(line)).text, line).toMatch(/A health check is named “(?:web|Friday Deals)”/)
  // What changes nothing yet isn't asked: it shows what it is about.
  expect((await type('edit Shop* --frequency 30')).text).not.toContain('Do you mean that one?')
  const inWindow = { ...channel, until: 'Maintenance' }
  const window = await admin.command('/hc', 'maintenance Friday Deals 2h', inWindow)
  expect(JSON.stringify(window.view)).toContain('Friday Deals')
  expect((await type('show down')).text).toContain('down')
})
