import { expect, it } from 'vitest'
import { createNameMatcher } from '../../src/audit/erase-person.ts'

it.each([
  { name: 'Ann', text: 'Ann gave it', holds: true },
  { name: 'Ann', text: 'given by ANN.', holds: true },
  { name: 'Ann', text: 'the channel', holds: false },
  { name: 'Ann', text: 'Anna, Joann', holds: false },
  { name: 'ann@a.test', text: 'mail ann@a.test, now', holds: true },
  { name: 'ann@a.test', text: 'joann@a.test', holds: false },
  { name: 'jane.roe@', text: 'jane.roe@mail.test', holds: true },
  { name: 'Ann "Bee" O\'Neil', text: 'by Ann "Bee" O\'Neil', holds: true },
  { name: 'José', text: 'Jose\u0301 has it', holds: true },
  { name: 'Jose\u0301', text: 'José has it', holds: true },
  { name: 'Ａｎｎ', text: 'Ann', holds: true },
  { name: 'Jose', text: 'José', holds: false },
  { name: 'U1', text: '<@U1>', holds: true },
  { name: 'U1', text: 'U12', holds: false },
  { name: 'a.b', text: 'axb', holds: false },
])('finds $name in "$text": $holds', ({ name, text, holds }) => {
  expect(createNameMatcher(name)(text)).toBe(holds)
})
