import type { Fields, Json } from '../../src/protocol.ts'
import { plain, x } from './samples.ts'

export const input = (element: Fields, more: Fields = {}): Fields => ({
  type: 'input',
  label: plain('L'),
  element,
  ...more,
})
export const modal = (more: Fields = {}): Fields => ({
  type: 'modal',
  title: plain('T'),
  submit: plain('S'),
  blocks: [],
  ...more,
})
export const asks = (element: Fields, more: Fields = {}): Fields => modal({ blocks: [input(element, more)] })
export const at = '/view/blocks/0/element'

export const REFUSED_VIEWS: [view: Json, fault: string][] = [
  ['{', 'must provide an object [json-pointer:/view]'],
  [{ title: plain('T'), blocks: [] }, 'missing required field: type [json-pointer:/view]'],
  [{ type: 'home', blocks: [] }, 'unsupported type: home [json-pointer:/view/type]'],
  [{ type: 'modal', blocks: [] }, 'missing required field: title [json-pointer:/view]'],
  [{ type: 'modal', title: plain('T') }, 'missing required field: blocks [json-pointer:/view]'],
  [modal({ title: plain(x(25)) }), 'must be less than 25 characters [json-pointer:/view/title/text]'],
  [modal({ title: plain('') }), 'must be more than 0 characters [json-pointer:/view/title/text]'],
  [modal({ title: { type: 'mrkdwn', text: 'T' } }), 'must be plain_text [json-pointer:/view/title/type]'],
  [modal({ submit: plain(x(25)) }), 'must be less than 25 characters [json-pointer:/view/submit/text]'],
  [modal({ close: plain(x(25)) }), 'must be less than 25 characters [json-pointer:/view/close/text]'],
  [
    modal({ private_metadata: x(3001) }),
    'must be less than 3001 characters [json-pointer:/view/private_metadata]',
  ],
  [modal({ callback_id: x(256) }), 'must be less than 256 characters [json-pointer:/view/callback_id]'],
  [modal({ external_id: x(256) }), 'must be less than 256 characters [json-pointer:/view/external_id]'],
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
    modal({ blocks: [{ type: 'data_table' }] }),
    'unsupported type: data_table [json-pointer:/view/blocks/0/type]',
  ],
  [
    modal({ blocks: [{ type: 'data_visualization' }] }),
    'unsupported type: data_visualization [json-pointer:/view/blocks/0/type]',
  ],
  [
    modal({ blocks: [{ type: 'context_actions' }] }),
    'unsupported type: context_actions [json-pointer:/view/blocks/0/type]',
  ],
  [
    modal({ blocks: [{ type: 'alert', text: plain(x(201)) }] }),
    'must be less than 201 characters [json-pointer:/view/blocks/0/text/text]',
  ],
  [
    modal({ blocks: [{ type: 'alert', text: plain('x'), level: 'bad' }] }),
    'must be one of: default, info, warning, error, success [json-pointer:/view/blocks/0/level]',
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
  [asks({ type: 'button', text: plain('x') }), `unsupported type: button [json-pointer:${at}/type]`],
  [asks({ type: 'overflow', options: [] }), `unsupported type: overflow [json-pointer:${at}/type]`],
  [
    asks({ type: 'plain_text_input' }, { label: plain(x(2001)) }),
    'must be less than 2001 characters [json-pointer:/view/blocks/0/label/text]',
  ],
  [
    asks({ type: 'plain_text_input' }, { hint: plain(x(2001)) }),
    'must be less than 2001 characters [json-pointer:/view/blocks/0/hint/text]',
  ],
  [
    asks({ type: 'plain_text_input' }, { optional: 'no' }),
    'must provide a boolean [json-pointer:/view/blocks/0/optional]',
  ],
  [
    asks({ type: 'plain_text_input', max_length: 3001 }),
    `must be less than or equal to 3000 [json-pointer:${at}/max_length]`,
  ],
  [
    asks({ type: 'plain_text_input', min_length: 9, max_length: 3 }),
    `must be less than or equal to max_length [json-pointer:${at}/min_length]`,
  ],
  [
    asks({ type: 'plain_text_input', initial_value: x(3001) }),
    `must be less than 3001 characters [json-pointer:${at}/initial_value]`,
  ],
  [
    asks({ type: 'plain_text_input', placeholder: plain(x(151)) }),
    `must be less than 151 characters [json-pointer:${at}/placeholder/text]`,
  ],
  [
    asks({ type: 'plain_text_input', dispatch_action_config: { trigger_actions_on: ['on_blur'] } }),
    `must be one of: on_enter_pressed, on_character_entered [json-pointer:${at}/dispatch_action_config/trigger_actions_on/0]`,
  ],
  [asks({ type: 'number_input' }), `missing required field: is_decimal_allowed [json-pointer:${at}]`],
  [
    asks({ type: 'number_input', is_decimal_allowed: false, min_value: 'one' }),
    `must be a number in a string [json-pointer:${at}/min_value]`,
  ],
  [
    asks({ type: 'file_input', max_files: 11 }),
    `must be less than or equal to 10 [json-pointer:${at}/max_files]`,
  ],
  [
    asks({ type: 'rich_text_input', initial_value: { type: 'text' } }),
    `unsupported type: text [json-pointer:${at}/initial_value/type]`,
  ],
  [
    asks({ type: 'conversations_select', filter: { include: ['all'] } }),
    `must be one of: im, mpim, private, public [json-pointer:${at}/filter/include/0]`,
  ],
  [
    asks({ type: 'external_select', min_query_length: -1 }),
    `must be greater than or equal to 0 [json-pointer:${at}/min_query_length]`,
  ],
]
