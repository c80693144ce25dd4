import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

it.each([
  ['mute web-a until 3 Dec 18:00', 'can’t read “3 Dec”'],
  ['mute web-a until 18:00 Europe/Berlin', 'can’t read “Europe/Berlin”'],
  ['mute web-a PT2H', 'without “PT2H” as:'],
  ['history web-a since 3 Nov', 'without “since 3 Nov” as:'],
  ['maintenance web-a from 22:00 UTC for 2h', 'this without “UTC”?'],
  ['maintenance web-a every weekday 02:00 2h', 'this without “every weekday”?'],
])('names what isn’t a time that is read: %s', async (line, expected) => {
  await using world = await startWorld({ checks: [{ name: 'web-a' }] })
  expect((await world.slack.admin.command('/hc', line, { channel: 'general' })).text).toContain(expected)
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
