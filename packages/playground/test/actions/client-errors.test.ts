import { describe, expect, it } from 'vitest'
import { findClientErrors } from '../../src/actions/client-errors.ts'
import type { InputValue, InputValues } from '../../src/protocol/answers.ts'
import { findFileError } from '../../src/protocol/choice-limits.ts'
import type { Fields } from '../../src/protocol/json.ts'
import type { Block } from '../../src/protocol/protocol.ts'
import { stateValues } from '../../src/rules/values/state-values.ts'
import { person } from '../directory.ts'

const plain = (text: string) => ({ type: 'plain_text', text })
const option = (value: string) => ({ text: plain(value), value })
const input = (element: Fields, extraFields: Fields = {}): Block => ({
  type: 'input',
  block_id: 'b',
  label: plain('Label'),
  element: { action_id: 'a', ...element },
  ...extraFields,
})

it.each<[names: string[], chosenFiles: number, extraFields: Fields, error: string | undefined]>([
  [['a.csv'], 0, { filetypes: ['csv', 'pem'] }, undefined],
  [['a.csv', 'b.exe'], 0, { filetypes: ['csv', 'pem'] }, "b.exe isn't an accepted type. Accepted: csv, pem."],
  [['a', 'b'], 1, { max_files: 2 }, 'Choose at most 2 files.'],
])(
  'the file limits of a file_input apply to %j after %i other files in a field with %j (%s)',
  (names, chosenFiles, extraFields, error) => {
    expect(findFileError(names, chosenFiles, extraFields)).toBe(error)
  },
)

const lookups = {
  findOfferedOption: () => option('x'),
  findFile: (id: string) => ({ id }),
  directory: { me: person('U1'), channels: [] },
}
const findErrors = (block: Block, values: InputValues) =>
  findClientErrors([block], { state: { values: stateValues([block], values, lookups) } })

describe('form validation in the client', () => {
  it.each<[element: Fields, typed: InputValue | undefined, error: string | undefined]>([
    [{ type: 'plain_text_input' }, undefined, 'Complete this required field.'],
    [{ type: 'plain_text_input', max_length: 2 }, 'abc', 'Enter at most 2 characters; this is 3.'],
    [{ type: 'plain_text_input', max_length: 2 }, '😀😀', undefined],
    [{ type: 'number_input', is_decimal_allowed: false }, 'ten', 'Enter a number.'],
    [{ type: 'number_input', is_decimal_allowed: false }, '1.5', 'Enter a whole number.'],
    [{ type: 'number_input', is_decimal_allowed: false, min_value: '10' }, '9', 'Enter 10 or more.'],
    [{ type: 'checkboxes', options: [option('x')] }, [], 'Complete this required field.'],
    [{ type: 'plain_text_input' }, 'x'.repeat(3001), 'Enter at most 3000 characters; this is 3001.'],
  ])('validates %j with the value %j: %s', (element, typed, error) => {
    const values = typed === undefined ? {} : { b: { a: typed } }
    expect(findErrors(input(element), values)).toEqual(error === undefined ? {} : { b: error })
  })

  it('validates an optional field only if it is filled in', () => {
    const block = input({ type: 'plain_text_input', max_length: 2 }, { optional: true })
    expect(findErrors(block, {})).toEqual({})
    expect(findErrors(block, { b: { a: 'too long' } })).not.toEqual({})
  })
})
