import { expect, it } from 'vitest'
import { FieldErrors } from '../../../packages/runtime/src/errors.ts'
import { readAnswers } from '../../../packages/slack/src/receive/view-state.ts'

const readTyped = (value: string) => readAnswers({ csr: { value } })

it('accepts a text field with 3,000 characters, Slack’s maximum, and rejects a longer one', () => {
  // Slack counts code points, and JavaScript counts UTF-16 units.
  expect(readTyped('\u{1f600}'.repeat(3000)).text('csr')).toHaveLength(6000)
  expect(readTyped(` ${'a'.repeat(3000)} `).text('csr')).toHaveLength(3000)
  expect(() => readTyped('M'.repeat(60_000)).text('csr')).toThrow(FieldErrors)
  // A field that isn't read isn't checked.
  expect(readTyped('M'.repeat(60_000)).text('other')).toBeUndefined()
})
