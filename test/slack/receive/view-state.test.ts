import { expect, it } from 'vitest'
import { textInput } from '../../../packages/slack/src/blocks/inputs.ts'
import { markedErrors } from '../../../packages/slack/src/receive/view-state.ts'

it('loses no error of a field that is not shown: all of them stand at the first that is', () => {
  const blocks = [textInput('name', 'Name'), textInput('target', 'Target')]
  const errors = { name: 'Too long.', address: 'No address.', target: 'No URL.', port: 'No port.' }
  expect(markedErrors(errors, blocks, '.mark')).toEqual({
    'name.mark': 'Too long. No address. No port.',
    'target.mark': 'No URL.',
  })
})
