import { expect, it } from 'vitest'
import { findIds } from '../../../../src/features/threats/rules/ids.ts'

/** On these inputs, a regular expression that backtracks would run for minutes, and the test would time out. */
it.each([
  { description: 'dashes and a letter', words: [`${'-'.repeat(100_000)}z`] },
  { description: 'many such words', words: Array<string>(2000).fill(`${'-'.repeat(58)}z`) },
])(
  'finds no threat event ID in text that could slow down a regular expression: $description',
  ({ words }) => {
    expect(findIds(words).ids).toEqual([])
  },
)
