import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { checkOptions } from '../../src/validation/options.ts'
import { checkView } from '../../src/validation/view.ts'
import { modal, modalWithInput, plain } from './samples.ts'

describe('a modal', () => {
  it('is rejected if it is larger than 250 KB', () => {
    const blocks = Array.from({ length: 100 }, () => ({ type: 'section', text: plain('é'.repeat(2000)) }))
    expect(checkView(modal({ blocks }), ['modal'])).toMatchObject({ error: 'view_too_large' })
  })

  it('accepts file inputs only without dispatch_action', () => {
    const files = { type: 'file_input', filetypes: ['csv'], max_files: 1 }
    expect(checkView(modalWithInput(files, { dispatch_action: false }), ['modal'])).not.toHaveProperty(
      'notes',
    )
    expect(checkView(modalWithInput(files, { dispatch_action: true }), ['modal'])).toMatchObject({
      notes: ['must be false if the element is a file_input [json-pointer:/view/blocks/0/dispatch_action]'],
    })
  })
})

const option = { text: plain('A'), value: 'a' }
it.each<[label: string, answer: Json, errors: string[]]>([
  ['options', { options: [option] }, []],
  ['no options', { options: [] }, []],
  ['more than options', { options: [], groups: [] }, ['invalid additional property: groups [json-pointer:]']],
  ['nothing', {}, ['The response must be JSON with `options`.']],
  ['a bad option', { options: [{ value: 'a' }] }, ['missing required field: text [json-pointer:/options/0]']],
])('the options of an external select are checked: %s', (_label, answer, errors) => {
  expect(checkOptions(answer)).toEqual(errors)
})
