import { expect, it } from 'vitest'
import { closestWord } from '../../src/domain/mistyped-word.ts'

it.each([
  { typed: 'lsit', meant: 'list' },
  { typed: 'shwo', meant: 'show' },
  { typed: 'SHOW', meant: 'show' },
  { typed: 'delet', meant: 'delete' },
  { typed: 'frobnicate', meant: undefined },
  { typed: 'x'.repeat(100_000), meant: undefined },
])('the word closest to a typo is $meant for $typed', ({ typed, meant }) => {
  expect(closestWord(typed, ['list', 'show', 'create', 'delete'])).toBe(meant)
})
