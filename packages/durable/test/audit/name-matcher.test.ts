import { expect, it } from 'vitest'
import { createNameMatcher } from '../../src/audit/erase-person.ts'

it.each([
  { name: 'Ann', text: 'Ann gave it', isNamed: true },
  { name: 'Ann', text: 'given by ANN.', isNamed: true },
  { name: 'Ann', text: 'the channel', isNamed: false },
  { name: 'Ann', text: 'Anna, Joann', isNamed: false },
  { name: 'ann@a.test', text: 'mail ann@a.test, now', isNamed: true },
  { name: 'ann@a.test', text: 'joann@a.test', isNamed: false },
  { name: 'jane.roe@', text: 'jane.roe@mail.test', isNamed: true },
  { name: 'Ann "Bee" O\'Neil', text: 'by Ann "Bee" O\'Neil', isNamed: true },
  { name: 'José', text: 'Jose\u0301 has it', isNamed: true },
  { name: 'Jose\u0301', text: 'José has it', isNamed: true },
  { name: 'Ａｎｎ', text: 'Ann', isNamed: true },
  { name: 'Jose', text: 'José', isNamed: false },
  { name: 'U1', text: '<@U1>', isNamed: true },
  { name: 'U1', text: 'U12', isNamed: false },
  { name: 'a.b', text: 'axb', isNamed: false },
])('finds the name $name in "$text": $isNamed', ({ name, text, isNamed }) => {
  expect(createNameMatcher(name)(text)).toBe(isNamed)
})
