import type { Fields, Json } from '../../src/protocol/json.ts'
import { plain, repeatX } from './samples.ts'

export const input = (element: Fields, extraFields: Fields = {}): Fields => ({
  type: 'input',
  label: plain('L'),
  element,
  ...extraFields,
})
export const modal = (extraFields: Fields = {}): Fields => ({
  type: 'modal',
  title: plain('T'),
  submit: plain('S'),
  blocks: [],
  ...extraFields,
})
export const modalWithInput = (element: Fields, extraFields: Fields = {}): Fields =>
  modal({ blocks: [input(element, extraFields)] })
export const ELEMENT_PATH = '/view/blocks/0/element'

/** Invalid views, each with the expected error. */
export const REFUSED_VIEWS: [view: Json, message: string][] = [
  ['{', 'must provide an object [json-pointer:/view]'],
  [{ title: plain('T'), blocks: [] }, 'missing required field: type [json-pointer:/view]'],
  [{ type: 'home', blocks: [] }, 'unsupported type: home [json-pointer:/view/type]'],
  [{ type: 'modal', blocks: [] }, 'missing required field: title [json-pointer:/view]'],
  [{ type: 'modal', title: plain('T') }, 'missing required field: blocks [json-pointer:/view]'],
  [modal({ title: plain(repeatX(25)) }), 'must be less than 25 characters [json-pointer:/view/title/text]'],
  [modal({ title: plain('') }), 'must be more than 0 characters [json-pointer:/view/title/text]'],
  [modal({ title: { type: 'mrkdwn', text: 'T' } }), 'must be plain_text [json-pointer:/view/title/type]'],
  [modal({ submit: plain(repeatX(25)) }), 'must be less than 25 characters [json-pointer:/view/submit/text]'],
  [modal({ close: plain(repeatX(25)) }), 'must be less than 25 characters [json-pointer:/view/close/text]'],
  [
    modal({ private_metadata: repeatX(3001) }),
    'must be less than 3001 characters [json-pointer:/view/private_metadata]',
  ],
  [modal({ callback_id: repeatX(256) }), 'must be less than 256 characters [json-pointer:/view/callback_id]'],
  [modal({ external_id: repeatX(256) }), 'must be less than 256 characters [json-pointer:/view/external_id]'],
  [modal({ notify_on_close: 1 }), 'must provide a boolean [json-pointer:/view/notify_on_close]'],
  [modal({ text: 'x' }), 'invalid additional property: text [json-pointer:/view]'],
  [
    modal({ blocks: Array.from({ length: 101 }, () => ({ type: 'divider' })) }),
    'no more than 100 items allowed [json-pointer:/view/blocks]',
  ],
  [
    modal({ blocks: [{ type: 'table', rows: [] }] }),
    'unsupported type: table [json-pointer:/view/blocks/0/type]',
  ],
  [
    modal({ blocks: [{ type: 'data_visualization' }] }),
    'unsupported type: data_visualization [json-pointer:/view/blocks/0/type]',
  ],
  [
    { type: 'modal', title: plain('T'), blocks: [{ type: 'divider' }, input({ type: 'plain_text_input' })] },
    'must define `submit` to use an `input` block in modals [json-pointer:/view/blocks/1/input]',
  ],
  [
    modal({ blocks: [{ type: 'input', element: { type: 'plain_text_input' } }] }),
    'missing required field: label [json-pointer:/view/blocks/0]',
  ],
  [
    modal({ blocks: [{ type: 'input', label: plain('L') }] }),
    'missing required field: element [json-pointer:/view/blocks/0]',
  ],
  [
    modalWithInput({ type: 'button', text: plain('x') }),
    `unsupported type: button [json-pointer:${ELEMENT_PATH}/type]`,
  ],
  [
    modalWithInput({ type: 'overflow', options: [] }),
    `unsupported type: overflow [json-pointer:${ELEMENT_PATH}/type]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input' }, { label: plain(repeatX(2001)) }),
    'must be less than 2001 characters [json-pointer:/view/blocks/0/label/text]',
  ],
  [
    modalWithInput({ type: 'plain_text_input' }, { hint: plain(repeatX(2001)) }),
    'must be less than 2001 characters [json-pointer:/view/blocks/0/hint/text]',
  ],
  [
    modalWithInput({ type: 'plain_text_input' }, { optional: 'no' }),
    'must provide a boolean [json-pointer:/view/blocks/0/optional]',
  ],
  [
    modalWithInput({ type: 'plain_text_input', max_length: 3001 }),
    `must be less than or equal to 3000 [json-pointer:${ELEMENT_PATH}/max_length]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', min_length: 9, max_length: 3 }),
    `must be less than or equal to max_length [json-pointer:${ELEMENT_PATH}/min_length]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', initial_value: repeatX(3001) }),
    `must be less than 3001 characters [json-pointer:${ELEMENT_PATH}/initial_value]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', placeholder: plain(repeatX(151)) }),
    `must be less than 151 characters [json-pointer:${ELEMENT_PATH}/placeholder/text]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', dispatch_action_config: { trigger_actions_on: ['on_blur'] } }),
    `must be one of: on_enter_pressed, on_character_entered [json-pointer:${ELEMENT_PATH}/dispatch_action_config/trigger_actions_on/0]`,
  ],
  [
    modalWithInput({ type: 'number_input' }),
    `missing required field: is_decimal_allowed [json-pointer:${ELEMENT_PATH}]`,
  ],
  [
    modalWithInput({ type: 'number_input', is_decimal_allowed: false, min_value: 'one' }),
    `must be a number in a string [json-pointer:${ELEMENT_PATH}/min_value]`,
  ],
  [
    modalWithInput({ type: 'file_input', max_files: 11 }),
    `must be less than or equal to 10 [json-pointer:${ELEMENT_PATH}/max_files]`,
  ],
  [
    modalWithInput({ type: 'conversations_select', filter: { include: ['all'] } }),
    `must be one of: im, mpim, private, public [json-pointer:${ELEMENT_PATH}/filter/include/0]`,
  ],
  [
    modalWithInput({ type: 'external_select', min_query_length: -1 }),
    `must be greater than or equal to 0 [json-pointer:${ELEMENT_PATH}/min_query_length]`,
  ],
]
