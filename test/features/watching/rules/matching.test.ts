import { describe, expect, it } from 'vitest'
import { globMatcher, matchesWatch } from '../../../../src/features/watching/rules/matching.ts'
import type { WatchFilter } from '../../../../src/features/watching/rules/watch.ts'

const CHECK = {
  uuid: '3f2a0000-0000-4000-8000-000000000001',
  name: 'Web shop',
  target: 'https://shop.example.com/',
  protocol: 'HTTPS',
  customerId: 1100,
}

const OTHER_UUID = '3f2a0000-0000-4000-8000-000000000002'

describe('a pattern', () => {
  it.each([
    { pattern: 'web shop', matches: true },
    { pattern: 'web', matches: false },
    { pattern: 'web*', matches: true },
    { pattern: '*SHOP', matches: true },
    { pattern: '*', matches: true },
    { pattern: '**', matches: true },
    { pattern: 'w*b*p', matches: true },
    { pattern: 'w*p*b', matches: false },
    { pattern: 'web shop*shop', matches: false },
    { pattern: 'web.shop', matches: false },
    { pattern: '', matches: false },
    { pattern: '*bs*', matches: false },
  ])('matches "Web shop" with "$pattern": $matches', ({ pattern, matches }) => {
    expect(globMatcher(pattern)('Web shop')).toBe(matches)
  })

  it('matches in linear time with any number of stars', () => {
    // A matcher that backtracks would take many times longer for each star.
    const matches = globMatcher(`${'*a'.repeat(30)}*b`)
    expect(matches('a'.repeat(100_000))).toBe(false)
  })
})

const createFilter = (include: WatchFilter['include'], exclude: WatchFilter['exclude'] = []) => ({
  include,
  exclude,
})

describe('a watch', () => {
  it.each<{ label: string; filter: WatchFilter; matches: boolean }>([
    { label: 'everything', filter: createFilter([]), matches: true },
    {
      label: 'one of two names',
      filter: createFilter([createNameRule('mail'), createNameRule('web*')]),
      matches: true,
    },
    { label: 'other names', filter: createFilter([createNameRule('mail')]), matches: false },
    {
      label: 'a name and a protocol',
      filter: createFilter([createNameRule('web*'), createRule('protocol', 'https')]),
      matches: true,
    },
    {
      label: 'a name and another protocol',
      filter: createFilter([createNameRule('web*'), createRule('protocol', 'TCP')]),
      matches: false,
    },
    { label: 'its UUID', filter: createFilter([createRule('uuid', CHECK.uuid)]), matches: true },
    {
      label: 'its UUID or another name',
      filter: createFilter([createNameRule('mail'), createRule('uuid', CHECK.uuid)]),
      matches: true,
    },
    {
      label: 'its name or another UUID',
      filter: createFilter([createNameRule('web*'), createRule('uuid', OTHER_UUID)]),
      matches: true,
    },
    {
      label: 'another name or another UUID',
      filter: createFilter([createNameRule('mail'), createRule('uuid', OTHER_UUID)]),
      matches: false,
    },
    { label: 'its customer', filter: createFilter([createRule('customer', '1100')]), matches: true },
    { label: 'another customer', filter: createFilter([createRule('customer', '110')]), matches: false },
    { label: 'its target', filter: createFilter([createRule('target', '*.example.com/')]), matches: true },
    { label: 'all but its name', filter: createFilter([], [createNameRule('web*')]), matches: false },
    { label: 'all but other names', filter: createFilter([], [createNameRule('mail*')]), matches: true },
    {
      label: 'its name but not its customer',
      filter: createFilter([createNameRule('web*')], [createRule('customer', '1100')]),
      matches: false,
    },
  ])('matches a check by $label: $matches', ({ filter, matches }) => {
    expect(matchesWatch(filter, CHECK)).toBe(matches)
  })

  it('doesn’t match checks without a customer if it filters by customer', () => {
    expect(matchesWatch(createFilter([createRule('customer', '*')]), { uuid: 'x', name: 'x' })).toBe(false)
  })
})

function createNameRule(pattern: string): WatchFilter['include'][number] {
  return createRule('name', pattern)
}

function createRule(field: WatchFilter['include'][number]['field'], pattern: string) {
  return { field, pattern }
}
