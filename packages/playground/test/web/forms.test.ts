import { expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import type { Block } from '../../src/protocol/protocol.ts'
import { keepValidValues } from '../../src/web/values.ts'

const plain = (text: string) => ({ type: 'plain_text', text })
const option = (value: string) => ({ text: plain(value), value })
const input = (element: Fields): Block => ({
  type: 'input',
  block_id: 'b',
  label: plain('Label'),
  element: { action_id: 'a', ...element },
})

const select = (...values: string[]) => input({ type: 'static_select', options: values.map(option) })
it.each([
  ['the same field', [input({ type: 'plain_text_input' })], { b: { a: 'x' } }, { b: { a: 'x' } }],
  ['a field that is gone', [], { b: { a: 'x' } }, {}],
  [
    'another element in its place',
    [input({ type: 'plain_text_input', action_id: 'z' })],
    { b: { a: 'x' } },
    {},
  ],
  ['an option still offered', [select('x', 'y')], { b: { a: 'x' } }, { b: { a: 'x' } }],
  ['an option no longer offered', [select('y')], { b: { a: 'x' } }, {}],
  ['an emptied select', [select('y')], { b: { a: null } }, { b: { a: null } }],
  [
    'an accessory',
    [{ type: 'section', block_id: 'b', accessory: { type: 'datepicker', action_id: 'a' } }],
    { b: { a: '2026-11-20' } },
    { b: { a: '2026-11-20' } },
  ],
])(
  'a form that the app updates keeps only the entered values that are still valid: %s',
  (_name, blocks, entered, valid) => {
    expect(keepValidValues(blocks, entered)).toEqual(valid)
  },
)
