import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

it('names what is no time, rather than a check with that name', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-a' }, { name: 'Open until late 24' }] })
  const { admin } = world.slack
  const say = async (line: string) => (await admin.command('/hc', line, { channel: 'general' })).text
  for (const [line, time] of [
    ['mute web-a until 3 Dec 18:00', '3 Dec 18:00'],
    ['mute web-a until 30.11.2026 18:00', '30.11.2026 18:00'],
    ['mute web-a until 2026-12-30 08:15 UTC', '2026-12-30 08:15 UTC'],
    ['mute web-a until 18:00 Europe/Berlin', '18:00 Europe/Berlin'],
    ['mute web-a 2h30', '2h30'],
    ['mute web-a PT2H', 'PT2H'],
    ['history web-a since 3 Nov', '3 Nov'],
    ['maintenance web-a from 22:00 UTC for 2h', '22:00 UTC'],
  ]) {
    const text = await say(line ?? '')
    expect(text, line).toContain(`“${time}” isn’t a time`)
    expect(text, line).not.toContain('No health check is named')
  }
  // A name is a name, and another number is another check.
  expect(await say('mute Open until late 24 2h')).not.toContain('isn’t a time')
  expect(await say('mute web-a 2 2h')).not.toContain('isn’t a time')
  expect(await say('mute web-a staging')).toContain('can’t read “staging” behind “web-a”')
  expect(await say('maintenance web-a every weekday 02:00 2h')).toContain('“every weekday” behind “web-a”')
  // A time that is read isn't wrong, only what is before it.
  expect(await say('mute web-a from 18:00')).not.toContain('isn’t a time')
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
