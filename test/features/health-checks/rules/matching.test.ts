import { expect, it } from 'vitest'
import { nameMatches } from '../../../../src/features/health-checks/rules/matching.ts'

it.each([
  ['shop*', true],
  ['*checkout', true],
  ['s*p*out', true],
  ['shop', false],
  ['*', true],
  ['*live', false],
  ['shop check*out*', true],
  ['shopshop*', false],
  ['s*s', false],
])('matches the pattern %s with “Shop checkout”: %s', (pattern, matches) => {
  expect(nameMatches(pattern, 'Shop checkout')).toBe(matches)
})
