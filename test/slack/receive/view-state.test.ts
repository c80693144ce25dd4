import { expect, it } from 'vitest'
import { textInput } from '../../../packages/slack/src/blocks/inputs.ts'
import { readBlocks, toFieldErrors } from '../../../packages/slack/src/receive/view-state.ts'

it('shows errors of hidden fields on the first visible field', () => {
  const blocks = [textInput('name', 'Name'), textInput('target', 'Target')]
  const errors = { name: 'Too long.', address: 'No address.', target: 'No URL.', port: 'No port.' }
  expect(toFieldErrors(errors, blocks)).toEqual({
    name: 'Too long. No address. No port.',
    target: 'No URL.',
  })
})

it('unescapes the texts of its blocks once, and nothing else', () => {
  const accessory = { type: 'button', text: { type: 'plain_text', text: 'A &gt; B' }, value: 'R&amp;D' }
  const blocks = [{ type: 'section', text: { type: 'plain_text', text: 'R&amp;D &amp;lt; 3' }, accessory }]
  expect(readBlocks({ blocks })).toEqual([
    {
      ...{ type: 'section', text: { type: 'plain_text', text: 'R&D &lt; 3' } },
      accessory: { ...accessory, text: { type: 'plain_text', text: 'A > B' } },
    },
  ])
})
