import { expect, it } from 'vitest'
import type { FlagSpecs } from '../../../src/bot/grammar/flags.ts'
import { choice, parameter } from '../../../src/bot/grammar/parameters.ts'
import { LISTED_CHECKS, ONE_CHECK, SOME_CHECKS } from '../../../src/bot/grammar/vocabulary.ts'
import { readTyped } from '../../read-typed.ts'

const FOR = parameter('for', 'duration', { required: true })
const MUTE = { parameters: [...SOME_CHECKS, FOR], flags: { note: 'value' } as FlagSpecs }
const FLAGS: FlagSpecs = {
  name: 'value',
  status: ['UNHEALTHY', 'HEALTHY'],
  protocol: ['HTTP', 'TCP'],
  not: { listOf: 'value' },
  share: 'switch',
}
const ENVIRONMENT = choice('env', { production: 'production', ote: 'ote' })

it('gives a flag all words up to the next one', () => {
  const { flags, values } = readTyped('Shop 2h --note going to lunch', MUTE)
  expect([flags, values]).toEqual([{ note: 'going to lunch' }, { check: 'Shop', for: '2h' }])
  expect(readTyped('--not a* --not b c --share', { parameters: [], flags: FLAGS })).toMatchObject({
    lists: { not: ['a*', 'b c'] },
    flags: { share: true },
  })
})

const EVERY = parameter('every', 'interval', { flag: 'frequency', after: 'every', group: 'every' })
const INTERVAL = parameter('interval', 'interval', { flag: 'frequency', group: 'every' })
const EDIT = {
  parameters: [
    ...SOME_CHECKS,
    parameter('channel', 'channel', { flag: 'channel' }),
    parameter('target', 'host', { flag: 'target' }),
    parameter('from', 'moment', { flag: 'from' }),
    EVERY,
    INTERVAL,
  ],
  flags: { frequency: 'value', channel: 'value', target: 'value', from: 'value', note: 'value' } as FlagSpecs,
}

it.each([
  ['--frequency 30 shop*', { frequency: '30' }, { pattern: 'shop*' }],
  ['--frequency 5 min Shop checkout', { frequency: '5 min' }, { check: 'Shop checkout' }],
  ['--frequency 90s Shop --note a b c', { frequency: '90s', note: 'a b c' }, { check: 'Shop' }],
  ['--frequency often shop*', { frequency: 'often shop*' }, {}],
  ['--note 5 min Shop', { note: '5 min Shop' }, {}],
  ['--frequency "5 min" Shop', { frequency: '5 min' }, { check: 'Shop' }],
  ['--channel #ops web-*', { channel: '#ops' }, { pattern: 'web-*' }],
  ['--target https://shop.example.com Shop', { target: 'https://shop.example.com' }, { check: 'Shop' }],
  ['--from on Monday at 10 pm Shop', { from: 'on Monday at 10 pm' }, { check: 'Shop' }],
])('gives a flag with a form only the words that have it: %s', (typed, flags, values) => {
  expect(readTyped(typed, EDIT)).toMatchObject({ flags, values })
})

it.each([
  ['shop* every 30s', { frequency: '30s' }, { pattern: 'shop*' }],
  ['every 60 shop*', { frequency: '60' }, { pattern: 'shop*' }],
  ['Shop checkout every 5m', { frequency: '5m' }, { check: 'Shop checkout' }],
  ['"Shop checkout" 5m', { frequency: '5m' }, { check: 'Shop checkout' }],
  ['shop* 5 min', { frequency: '5 min' }, { pattern: 'shop*' }],
  ['all 5m', { frequency: '5m' }, { all: 'all' }],
  // A number without a unit is part of a name, and so is a time before it, or after a name without quotes.
  ['Backup 2h', {}, { check: 'Backup 2h' }],
  ['shop 30', {}, { check: 'shop 30' }],
  ['24h report', {}, { check: '24h report' }],
  ['"Backup 2h"', {}, { check: 'Backup 2h' }],
])('reads how often at the end, or behind every: %s', (typed, flags, values) => {
  expect(readTyped(typed, EDIT)).toMatchObject({ flags, values })
})

it('refuses a number without a unit behind a pattern, and two intervals', () => {
  for (const typed of ['shop* 30', 'shop* every 30s 5m'])
    expect(() => readTyped(typed, EDIT), typed).toThrow('doesn’t take')
})

it.each<[typed: string, rules: Parameters<typeof readTyped>[1], problem: string]>([
  ['Shop --statsu down', { parameters: ONE_CHECK, flags: FLAGS }, 'not --statsu.'],
  ['--status broken', { parameters: [], flags: FLAGS }, '“broken” isn’t a value of --status.'],
  ['--share --share', { parameters: [], flags: FLAGS }, 'You typed --share twice.'],
  ['--name', { parameters: [], flags: FLAGS }, '--name needs a value.'],
  ['anything', { parameters: [], flags: FLAGS }, 'Type nothing after it.'],
  [
    'shop* --name x',
    { parameters: LISTED_CHECKS, flags: FLAGS },
    'takes either “shop*” or --name, not both.',
  ],
  ['pr', { parameters: [ENVIRONMENT], flags: FLAGS }, 'doesn’t take “pr”. Type `/hc test'],
])('refuses %s', (typed, rules, problem) => {
  expect(() => readTyped(typed, rules)).toThrow(problem)
})
