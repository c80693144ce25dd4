import { expect, it } from 'vitest'
import type { FlagSpecs } from '../../../src/bot/grammar/flags.ts'
import { Refused } from '../../../src/bot/grammar/refused.ts'
import { choice, slot } from '../../../src/bot/grammar/slots.ts'
import { LISTED_CHECKS, ONE_CHECK, SOME_CHECKS } from '../../../src/bot/grammar/vocabulary.ts'
import { readTyped } from '../../read-typed.ts'

const END = [
  slot('for', 'duration', { group: 'end', required: true }),
  slot('until', 'moment', { group: 'end' }),
  choice('forever', { forever: 'forever' }, { group: 'end' }),
]
const MUTE = { slots: [...SOME_CHECKS, ...END], flags: { note: 'value' } as FlagSpecs }
const FLAGS: FlagSpecs = {
  name: 'value',
  status: ['UNHEALTHY', 'HEALTHY'],
  protocol: ['HTTP', 'TCP'],
  not: { listOf: 'value' },
  share: 'switch',
}
const UUID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'

it.each([
  ['Shop checkout 2h', { check: 'Shop checkout', for: '2h' }],
  ['Shop until Friday 9:00', { check: 'Shop', until: 'until Friday 9:00' }],
  ['shop* until 2026-12-01 22:00', { pattern: 'shop*', until: 'until 2026-12-01 22:00' }],
  [`${UUID} 1h 30m`, { uuid: UUID, for: '1h 30m' }],
  ['all forever', { all: 'all', forever: 'forever' }],
  ['"Backup 2h" 4h', { check: 'Backup 2h', for: '4h' }],
  ['2h', { for: '2h' }],
  ['Shop', { check: 'Shop' }],
])('reads a subject and an end: %s', (typed, values) => {
  expect(readTyped(typed, MUTE).values).toEqual(values)
})

it('reads filters on either side of a name', () => {
  const read = (typed: string) => readTyped(typed, { slots: LISTED_CHECKS, flags: FLAGS }).flags
  expect(read('shop* down')).toEqual({ name: 'shop*', status: 'UNHEALTHY' })
  expect(read('down tcp Group wiki')).toEqual({ name: 'Group wiki', status: 'UNHEALTHY', protocol: 'TCP' })
})

it('gives a flag all words up to the next one', () => {
  const { flags, values } = readTyped('Shop 2h --note going to lunch', MUTE)
  expect([flags, values]).toEqual([{ note: 'going to lunch' }, { check: 'Shop', for: '2h' }])
  expect(readTyped('--not a* --not b c --share', { slots: [], flags: FLAGS })).toMatchObject({
    lists: { not: ['a*', 'b c'] },
    flags: { share: true },
  })
})

it.each([
  ['Shop 2h 3h', MUTE, undefined],
  ['Shop --statsu down', { slots: ONE_CHECK, flags: FLAGS }, '/hc test Shop --status down'],
  ['--status broken', { slots: [], flags: FLAGS }, undefined],
  ['--share --share', { slots: [], flags: FLAGS }, undefined],
  ['--name', { slots: [], flags: FLAGS }, undefined],
  ['anything', { slots: [], flags: FLAGS }, undefined],
  ['shop* --name x', { slots: LISTED_CHECKS, flags: FLAGS }, undefined],
])('refuses %s', (typed, rules, meant) => {
  if (typed === 'Shop 2h 3h') {
    // It is a name that ends like a time. The check isn't found, so nothing happens.
    expect(readTyped(typed, rules).values.check).toBe('Shop 2h')
    return
  }
  const read = () => readTyped(typed, rules)
  expect(read).toThrow(Refused)
  try {
    read()
  } catch (error) {
    expect((error as Refused).meant).toBe(meant)
  }
})
