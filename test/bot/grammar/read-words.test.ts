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
