import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

it('refuses a time that it can’t read as a part of the name, as a whole', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-a' }, { name: 'Open until late 24' }] })
  const { admin } = world.slack
  const say = async (line: string) => (await admin.command('/hc', line, { channel: 'general' })).text
  for (const [verb, text] of [
    ['mute', 'web-a 2h30'],
    ['mute', 'web-a PT2H'],
    ['mute', 'web-a staging'],
    ['history', 'web-a since 3 Nov'],
  ])
    expect(await say(`${verb} ${text}`), text).toContain(`No health check is named “${text}”`)
  // What stands where a time should is no name.
  for (const time of [
    '30.11.2026 18:00',
    '18:00 Europe/Berlin',
    '3 Dec 18:00',
    '2026-12-30 08:15 UTC',
    'dawn',
  ])
    for (const name of ['web-a', 'all'])
      expect(await say(`mute ${name} until ${time}`), time).toContain(
        `Signalman can’t read “${time}” after “until”. Type a time, such as 18:00 or Friday 9:00.`,
      )
  // Neither is an address.
  expect(await say('recipients a@example.com b@example.com')).toContain(
    'Signalman can’t read “a@example.com” after “recipients”.',
  )
  // Without its pattern, a line would be about other checks.
  for (const line of [
    'mute web-* 5 years',
    'delete web-* except the first',
    'edit web-* --verify-ssl maybe',
  ]) {
    const { message } = await admin.command('/hc', line, { channel: 'general' })
    expect(JSON.stringify(message?.blocks), line).not.toMatch(/"value":"\/hc (?:mute|delete|edit) (?!--env)/)
  }
  // What comes before a time that is read.
  expect(await say('maintenance web-a from 22:00 UTC for 2h')).toContain('named “web-a from 22:00 UTC”')
  expect(await say('maintenance web-a every weekday 02:00 2h')).toContain('named “web-a every weekday”')
  expect(await say('mute in web-a 2h')).toContain('can’t read “in” before “web-a”')
  // A name is a name, and another number is another check.
  expect(await say('mute Open until late 24 2h')).toContain('No channel watches Open until late 24')
  expect(await say('mute web-a 2 2h')).toContain('No health check is named “web-a 2”')
  expect(await say('mute web-b 2h')).toContain('No health check is named “web-b”')
})

it('answers an offset that no zone has', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-a' }], access: 'open' })
  const { admin } = world.slack
  for (const line of [
    'mute web-a until 2030-11-30T08:15+99:00',
    'maintenance web-a from 2030-11-30T08:15-24:00 for 2h',
    'grant @U0MEMBER01 admin until 2030-11-30T08:15+99:00',
    'history web-a since 2020-11-30T08:15+99:00',
  ]) {
    const { text } = await admin.command('/hc', line, { channel: 'general' })
    expect(text, line).not.toContain('Something went wrong')
    expect(text, line).toMatch(/offset [+-](?:99|24):00/)
  }
})
