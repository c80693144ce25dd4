import type { Fields } from '../../src/protocol/json.ts'
import { mrkdwn, option, plain } from '../validation/samples.ts'

// Blocks and views that the test app sends.

export const button = (text: string, actionId: string, overrides: Fields = {}): Fields => ({
  type: 'button',
  text: plain(text),
  action_id: actionId,
  ...overrides,
})

export const input = (blockId: string, label: string, element: Fields, overrides: Fields = {}): Fields => ({
  type: 'input',
  block_id: blockId,
  label: plain(label),
  element: { action_id: 'v', ...element },
  ...overrides,
})

export const modal = (title: string, blocks: Fields[]): Fields => ({
  type: 'modal',
  title: plain(title),
  submit: plain('Save'),
  blocks,
})

export const form = modal('New check', [
  { type: 'section', text: mrkdwn('One more?'), accessory: button('Push', 'push') },
  input('name', 'Name', { type: 'plain_text_input', max_length: 9 }),
  input('protocol', 'Protocol', {
    type: 'static_select',
    initial_option: option('HTTPS', 'HTTPS'),
    options: [option('HTTP', 'HTTP'), option('HTTPS', 'HTTPS')],
  }),
])

const options = [option('A', 'a'), option('B', 'b')]
const placeholder = plain('Choose')

/** Blocks with every element that a message can contain. */
export const allElements: Fields[] = [
  {
    type: 'actions',
    elements: [
      button('Plain', 'plain'),
      button('Primary', 'primary', { style: 'primary' }),
      button('Danger', 'danger', { style: 'danger' }),
      { type: 'static_select', action_id: 'one', placeholder: plain('One of two'), options },
      { type: 'overflow', action_id: 'more', options },
    ],
  },
]

const optional = { optional: true }

/** The blocks of a form with every input. */
export const allInputs: Fields[] = [
  input('text', 'Text', { type: 'plain_text_input' }, { hint: plain('Any words') }),
  input('lines', 'Lines', { type: 'plain_text_input', multiline: true, max_length: 20 }, optional),
  input('number', 'Number', { type: 'number_input', is_decimal_allowed: true }, optional),
  input('one', 'One', { type: 'static_select', options, placeholder }, optional),
  input('conversation', 'Conversation', { type: 'conversations_select' }, optional),
  input('found', 'Found', { type: 'multi_external_select', min_query_length: 1 }, optional),
  input('boxes', 'Boxes', { type: 'checkboxes', options }, optional),
  input('file', 'File', { type: 'file_input' }, optional),
]
