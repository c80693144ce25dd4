import { expect, it } from 'vitest'
import type { FlagSpecs } from '../../../src/bot/grammar/flags.ts'
import { choice, parameter } from '../../../src/bot/grammar/parameters.ts'
import { LISTED_CHECKS, ONE_CHECK, SOME_CHECKS } from '../../../src/bot/grammar/vocabulary.ts'
import { readTyped } from '../../read-typed.ts'

const END = [
  parameter('for', 'duration', { group: 'end', required: true }),
  parameter('until', 'moment', { group: 'end', after: 'until' }),
  choice('forever', { forever: 'forever' }, { group: 'end' }),
]
const MUTE = { parameters: [...SOME_CHECKS, ...END], flags: { note: 'value' } as FlagSpecs }
const FLAGS: FlagSpecs = {
  name: 'value',
  status: ['UNHEALTHY', 'HEALTHY'],
  protocol: ['HTTP', 'TCP'],
  not: { listOf: 'value' },
  share: 'switch',
}
const ENVIRONMENT = choice('env', { production: 'production', ote: 'ote' })
const UUID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'

it.each([
  ['Shop checkout 2h', { check: 'Shop checkout', for: '2h' }],
  ['Shop until Friday 9:00', { check: 'Shop', until: 'Friday 9:00' }],
  ['shop* until 2026-12-01 22:00', { pattern: 'shop*', until: '2026-12-01 22:00' }],
  [`${UUID} 1h 30m`, { uuid: UUID, for: '1h 30m' }],
  ['all forever', { all: 'all', forever: 'forever' }],
  ['"Backup 2h" 4h', { check: 'Backup 2h', for: '4h' }],
  ['2h', { for: '2h' }],
  ['Shop', { check: 'Shop' }],
])('reads a subject and an end: %s', (typed, values) => {
  expect(readTyped(typed, MUTE).values).toEqual(values)
})

it('reads filters on either side of a name', () => {
  const read = (typed: string) => readTyped(typed, { parameters: LISTED_CHECKS, flags: FLAGS }).flags
  expect(read('shop* down')).toEqual({ name: 'shop*', status: 'UNHEALTHY' })
  expect(read('down tcp Group wiki')).toEqual({ name: 'Group wiki', status: 'UNHEALTHY', protocol: 'TCP' })
})

it('gives a flag all words up to the next one', () => {
  const { flags, values } = readTyped('Shop 2h --note going to lunch', MUTE)
  expect([flags, values]).toEqual([{ note: 'going to lunch' }, { check: 'Shop', for: '2h' }])
  expect(readTyped('--not a* --not b c --share', { parameters: [], flags: FLAGS })).toMatchObject({
    lists: { not: ['a*', 'b c'] },
    flags: { share: true },
  })
})

it('reads a name that ends like a time', () => {
  // The check isn't found, so nothing happens.
  expect(readTyped('Shop 2h 3h', MUTE).values).toEqual({ check: 'Shop 2h', for: '3h' })
})

it.each<[typed: string, rules: Parameters<typeof readTyped>[1], problem: string]>([
  ['Shop --statsu down', { parameters: ONE_CHECK, flags: FLAGS }, 'not --statsu.'],
  ['--status broken', { parameters: [], flags: FLAGS }, '“broken” isn’t a value of --status.'],
  ['--share --share', { parameters: [], flags: FLAGS }, 'You typed --share twice.'],
  ['--name', { parameters: [], flags: FLAGS }, '--name needs a value.'],
  ['anything', { parameters: [], flags: FLAGS }, 'Type it alone.'],
  [
    'shop* --name x',
    { parameters: LISTED_CHECKS, flags: FLAGS },
    'takes either “shop*” or --name, not both.',
  ],
  ['pr', { parameters: [ENVIRONMENT], flags: FLAGS }, 'doesn’t take “pr”. Type `/hc test'],
])('refuses %s', (typed, rules, problem) => {
  expect(() => readTyped(typed, rules)).toThrow(problem)
})
