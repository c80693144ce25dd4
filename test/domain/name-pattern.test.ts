import { expect, it } from 'vitest'
import { globMatcher, toPattern } from '../../src/domain/name-pattern.ts'

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
  expect(globMatcher(pattern)('Shop checkout')).toBe(matches)
})

it.each([
  ["ann's*", 'Ann’s shop', true],
  ['Ann’s*', "Ann's shop", true],
  ['*eu-west*', 'Shop EU–West 1', true],
  ['bank open*', 'Bank  open API', true],
  ["ann's*", 'Anns shop', false],
])('matches the pattern %s with another spelling, “%s”: %s', (pattern, name, matches) => {
  expect(globMatcher(pattern)(name)).toBe(matches)
})

it('takes a name without a * for a part of a name', () => {
  expect(['shop', 'shop*', '*'].map(toPattern)).toEqual(['*shop*', 'shop*', '*'])
})
