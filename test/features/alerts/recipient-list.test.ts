import { expect, it } from 'vitest'
import { describeBadAddresses, replaceList } from '../../../src/features/alerts/rules/recipient-list.ts'

it.each([
  { before: ['a@x.test', 'b@x.test'], wanted: ['b@x.test', 'a@X.test'], recipients: undefined },
  {
    before: ['a@x.test', 'b@x.test'],
    wanted: ['c@x.test', 'b@x.test'],
    recipients: ['b@x.test', 'c@x.test'],
  },
  {
    before: ['odd', 'a@x.test', 'a@x.test', 'b@x.test'],
    wanted: ['odd', 'a@X.test', 'c@x.test'],
    recipients: ['odd', 'a@x.test', 'a@x.test', 'c@x.test'],
  },
  { before: [], wanted: ['a@x.test'], recipients: ['a@x.test'] },
])('a change to the recipients is computed from $before to $wanted', ({ before, wanted, recipients }) => {
  expect(replaceList(before, wanted)).toEqual(recipients)
})

it.each([
  { count: 1, end: '“bad0” is bad. An' },
  { count: 8, end: '“bad7” is bad. An' },
  { count: 9, end: '“bad7” is bad; and 1 more. An' },
])('names the first eight of $count bad addresses', ({ count, end }) => {
  const bad = Array.from({ length: count }, (_, nth) => ({ typed: `bad${nth}`, reason: 'is bad' }))
  const sentence = describeBadAddresses(bad)
  expect(sentence).toMatch(/^“bad0” is bad/)
  expect(sentence).toContain(end)
})
