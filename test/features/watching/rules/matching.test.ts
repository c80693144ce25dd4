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
    { pattern: 'web shop', fits: true },
    { pattern: 'web', fits: false },
    { pattern: 'web*', fits: true },
    { pattern: '*SHOP', fits: true },
    { pattern: '*', fits: true },
    { pattern: '**', fits: true },
    { pattern: 'w*b*p', fits: true },
    { pattern: 'w*p*b', fits: false },
    { pattern: 'web shop*shop', fits: false },
    { pattern: 'web.shop', fits: false },
    { pattern: '', fits: false },
    { pattern: '*bs*', fits: false },
  ])('matches "Web shop" with "$pattern": $fits', ({ pattern, fits }) => {
    expect(globMatcher(pattern)('Web shop')).toBe(fits)
  })

  it('matches in linear time, however many stars it has', () => {
    // With backtracking, each star would multiply the time.
    const matches = globMatcher(`${'*a'.repeat(30)}*b`)
    expect(matches('a'.repeat(100_000))).toBe(false)
  })
})

const createFilter = (include: WatchFilter['include'], exclude: WatchFilter['exclude'] = []) => ({
  include,
  exclude,
})

describe('a watch', () => {
  it.each<{ of: string; rules: WatchFilter; fits: boolean }>([
    { of: 'everything', rules: createFilter([]), fits: true },
    {
      of: 'one of two names',
      rules: createFilter([createNameRule('mail'), createNameRule('web*')]),
      fits: true,
    },
    { of: 'other names', rules: createFilter([createNameRule('mail')]), fits: false },
    {
      of: 'a name and a protocol',
      rules: createFilter([createNameRule('web*'), createRule('protocol', 'https')]),
      fits: true,
    },
    {
      of: 'a name and another protocol',
      rules: createFilter([createNameRule('web*'), createRule('protocol', 'TCP')]),
      fits: false,
    },
    { of: 'its UUID', rules: createFilter([createRule('uuid', CHECK.uuid)]), fits: true },
    {
      of: 'its UUID or another name',
      rules: createFilter([createNameRule('mail'), createRule('uuid', CHECK.uuid)]),
      fits: true,
    },
    {
      of: 'its name or another UUID',
      rules: createFilter([createNameRule('web*'), createRule('uuid', OTHER_UUID)]),
      fits: true,
    },
    {
      of: 'another name or another UUID',
      rules: createFilter([createNameRule('mail'), createRule('uuid', OTHER_UUID)]),
      fits: false,
    },
    { of: 'its customer', rules: createFilter([createRule('customer', '1100')]), fits: true },
    { of: 'another customer', rules: createFilter([createRule('customer', '110')]), fits: false },
    { of: 'its target', rules: createFilter([createRule('target', '*.example.com/')]), fits: true },
    { of: 'all but its name', rules: createFilter([], [createNameRule('web*')]), fits: false },
    { of: 'all but other names', rules: createFilter([], [createNameRule('mail*')]), fits: true },
    {
      of: 'its name but not its customer',
      rules: createFilter([createNameRule('web*')], [createRule('customer', '1100')]),
      fits: false,
    },
  ])('matches the check if it is for $of: $fits', ({ rules, fits }) => {
    expect(matchesWatch(rules, CHECK)).toBe(fits)
  })

  it('doesn’t match checks without a customer if it is for customers', () => {
    expect(matchesWatch(createFilter([createRule('customer', '*')]), { uuid: 'x', name: 'x' })).toBe(false)
  })
})

function createNameRule(pattern: string): WatchFilter['include'][number] {
  return createRule('name', pattern)
}

function createRule(field: WatchFilter['include'][number]['field'], pattern: string) {
  return { field, pattern }
}
