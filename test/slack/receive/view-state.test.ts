import { expect, it } from 'vitest'
import { textInput } from '../../../packages/slack/src/blocks/inputs.ts'
import { toFieldErrors } from '../../../packages/slack/src/receive/view-state.ts'

it('shows errors of hidden fields on the first visible field', () => {
  const blocks = [textInput('name', 'Name'), textInput('target', 'Target')]
  const errors = { name: 'Too long.', address: 'No address.', target: 'No URL.', port: 'No port.' }
  expect(toFieldErrors(errors, blocks)).toEqual({
    name: 'Too long. No address. No port.',
    target: 'No URL.',
  })
})
