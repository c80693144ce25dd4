import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

it('names what is no time, rather than a check with that name', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-a' }, { name: 'Open until late 24' }] })
  const { admin } = world.slack
  const say = async (line: string) => (await admin.command('/hc', line, { channel: 'general' })).text
  for (const [line, unread] of [
    ['mute web-a until 3 Dec 18:00', '“3 Dec” isn’t a time'],
    ['mute web-a until 30.11.2026 18:00', '“30.11.2026” isn’t a time'],
    ['mute web-a until 18:00 Europe/Berlin', 'can’t read “Europe/Berlin”'],
    ['mute web-a 2h30', '“2h30” isn’t a time'],
    ['mute web-a PT2H', '“PT2H” isn’t a time'],
    ['history web-a since 3 Nov', '“since 3 Nov” isn’t a time'],
    ['maintenance web-a from 22:00 UTC for 2h', 'this without “UTC”?'],
    ['maintenance web-a every weekday 02:00 2h', 'this without “every weekday”?'],
  ] as const) {
    expect(await say(line), line).toContain(unread)
  }
  // A name is a name, and another number is another check.
  for (const line of [
    'mute Open until late 24 2h',
    'mute web-a 2 2h',
    'mute web-a staging',
    'mute web-a from 18:00',
  ])
    expect(await say(line), line).not.toContain('isn’t a time')
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
