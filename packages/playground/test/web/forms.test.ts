import { describe, expect, it } from 'vitest'
import type { Block, Fields, InputValue } from '../../src/protocol.ts'
import { richOf } from '../../src/rich-typed.ts'
import { checkForm, fileFault } from '../../src/web/checks.ts'
import { currentValue, fitting, initialValue } from '../../src/web/values.ts'
import { wire } from '../../src/web/wire.ts'

const plain = (text: string) => ({ type: 'plain_text', text })
const option = (value: string) => ({ text: plain(value), value })
const input = (element: Fields, more: Fields = {}): Block => ({
  type: 'input',
  block_id: 'b',
  label: plain('Label'),
  element: { action_id: 'a', ...element },
  ...more,
})

const fileInput = (more: Fields) => {
  const block = wire(input({ type: 'file_input', ...more }))
  if (block.type !== 'input') throw new Error('It is no input.')
  return block.element
}

describe('the files that a person may choose', () => {
  it.each<[string[], number, Fields, string | undefined]>([
    [['a.csv'], 0, { filetypes: ['csv', 'pem'] }, undefined],
    [['A.CSV', 'b.pem'], 0, { filetypes: ['csv', 'pem'] }, undefined],
    [['a.jpeg'], 0, { filetypes: ['jpg'] }, undefined],
    [['a.csv', 'b.exe'], 0, { filetypes: ['csv', 'pem'] }, 'b.exe is none of these: csv, pem.'],
    [['csv'], 0, { filetypes: ['csv'] }, 'csv is none of these: csv.'],
    [['a.exe'], 0, {}, undefined],
    [['a', 'b'], 1, { max_files: 2 }, 'At most 2 files here.'],
    [['a'], 1, { max_files: 1 }, 'At most 1 file here.'],
    [['a'], 10, {}, 'At most 10 files here.'],
  ])('%j beside %i others of %j: %s', (names, has, more, fault) => {
    expect(fileFault(names, has, fileInput(more))).toBe(fault)
  })
})

describe('what a form says before it is sent', () => {
  it.each<[Fields, InputValue | undefined, string | undefined]>([
    [{ type: 'plain_text_input' }, undefined, 'Complete this required field.'],
    [{ type: 'plain_text_input' }, '   ', 'Complete this required field.'],
    [{ type: 'plain_text_input', initial_value: 'x' }, undefined, undefined],
    [{ type: 'plain_text_input', initial_value: 'x' }, null, 'Complete this required field.'],
    [{ type: 'plain_text_input', min_length: 3 }, 'ab', 'Enter at least 3 characters.'],
    [{ type: 'plain_text_input', min_length: 1 }, 'a', undefined],
    [{ type: 'plain_text_input', max_length: 2 }, 'abc', 'Enter at most 2 characters; this is 3.'],
    [{ type: 'plain_text_input', max_length: 2 }, '😀😀', undefined],
    [{ type: 'number_input', is_decimal_allowed: false }, 'ten', 'Enter a number.'],
    [{ type: 'number_input', is_decimal_allowed: false }, '1e3', 'Enter a number.'],
    [{ type: 'number_input', is_decimal_allowed: false }, '1.5', 'Enter a whole number.'],
    [{ type: 'number_input', is_decimal_allowed: true }, '1.5', undefined],
    [{ type: 'number_input', is_decimal_allowed: false, min_value: '10' }, '9', 'Enter 10 or more.'],
    [{ type: 'number_input', is_decimal_allowed: false, max_value: '10' }, '11', 'Enter 10 or less.'],
    [{ type: 'number_input', is_decimal_allowed: false, min_value: '-5' }, '-5', undefined],
    [{ type: 'email_text_input' }, 'ann', 'Enter an email address.'],
    [{ type: 'email_text_input' }, 'ann@example.com', undefined],
    [{ type: 'url_text_input' }, 'example.com', 'Enter a web address that starts with http:// or https://.'],
    [{ type: 'url_text_input' }, 'https://example.com/x', undefined],
    [{ type: 'checkboxes', options: [option('x')] }, [], 'Complete this required field.'],
    [{ type: 'checkboxes', options: [option('x')] }, ['x'], undefined],
    [{ type: 'file_input' }, null, 'Complete this required field.'],
    [{ type: 'file_input', max_files: 2 }, ['F1', 'F2', 'F3'], 'Choose at most 2.'],
    [{ type: 'file_input' }, Array.from({ length: 11 }, (_, nth) => `F${nth}`), 'Choose at most 10.'],
    [{ type: 'multi_users_select', max_selected_items: 2 }, ['U1', 'U2', 'U3'], 'Choose at most 2.'],
    [{ type: 'multi_users_select', max_selected_items: 2 }, ['U1', 'U2'], undefined],
    [{ type: 'plain_text_input' }, 'x'.repeat(3001), 'Enter at most 3000 characters; this is 3001.'],
  ])('%j holding %j: %s', (element, typed, fault) => {
    const values = typed === undefined ? {} : { b: { a: typed } }
    expect(checkForm([input(element)], values)).toEqual(fault === undefined ? {} : { b: fault })
  })

  it('lets an optional field be empty, and checks it when it is not', () => {
    const block = input({ type: 'email_text_input' }, { optional: true })
    expect(checkForm([block], {})).toEqual({})
    expect(checkForm([block], { b: { a: 'no' } })).toEqual({ b: 'Enter an email address.' })
  })
})

describe('what an element holds', () => {
  it.each<[Fields, InputValue]>([
    [{ type: 'static_select', initial_option: option('x') }, 'x'],
    [{ type: 'multi_static_select', initial_options: [option('x'), option('y')] }, ['x', 'y']],
    [{ type: 'checkboxes' }, null],
    [{ type: 'users_select', initial_user: 'U1' }, 'U1'],
    [{ type: 'multi_channels_select', initial_channels: ['C1'] }, ['C1']],
    [{ type: 'datepicker', initial_date: '2026-11-20' }, '2026-11-20'],
    [{ type: 'datetimepicker', initial_date_time: 1_700_000_000 }, '1700000000'],
    [{ type: 'plain_text_input', initial_value: 'x' }, 'x'],
    [{ type: 'rich_text_input' }, null],
    [{ type: 'rich_text_input', initial_value: richOf('*bold*') }, '*bold*'],
  ])('%j starts with %j', (element, value) => {
    const block = wire(input(element))
    if (block.type !== 'input') throw new Error('not an input')
    expect(initialValue(block.element)).toEqual(value)
  })

  it('is what was typed, emptied included', () => {
    const block = wire(input({ type: 'plain_text_input', initial_value: 'x' }))
    if (block.type !== 'input') throw new Error('not an input')
    expect(currentValue({ b: { a: 'y' } }, 'b', block.element)).toBe('y')
    expect(currentValue({ b: { a: null } }, 'b', block.element)).toBeNull()
    expect(currentValue({}, 'b', block.element)).toBe('x')
  })
})

describe('what stays of the typed values when the app changes its blocks', () => {
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
  ])('%s', (_name, blocks, typed, kept) => {
    expect(fitting(blocks, typed)).toEqual(kept)
  })
})
