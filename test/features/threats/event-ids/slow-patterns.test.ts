import { expect, it } from 'vitest'
import { findIds } from '../../../../src/features/threats/rules/ids.ts'

/** A pattern with backtracking would run for minutes on these inputs, until the test times out. */
it.each([
  { what: 'dashes and a letter', words: [`${'-'.repeat(100_000)}z`] },
  { what: 'many such words', words: Array<string>(2000).fill(`${'-'.repeat(58)}z`) },
])('finds no threat event ID in text that could slow down a regular expression: $what', ({ words }) => {
  expect(findIds(words).ids).toEqual([])
})
