import type { Fields, Json } from '../../src/protocol/json.ts'
import { ELEMENT_PATH, modal, modalWithInput } from './refused-views.ts'
import { button, confirm, image, mrkdwn, option, plain, repeatX, times } from './samples.ts'

const modalWithSelect = (extraFields: Fields): Fields =>
  modalWithInput({ type: 'static_select', options: [option()], ...extraFields })
const modalWithCheckboxes = (extraFields: Fields): Fields =>
  modalWithInput({ type: 'checkboxes', options: [option()], ...extraFields })
const modalWithNumberInput = (extraFields: Fields): Fields =>
  modalWithInput({ type: 'number_input', is_decimal_allowed: false, ...extraFields })
const modalWith = (...blocks: Json[]): Fields => modal({ blocks })
const modalWithText = (text: string): Fields => modalWith({ type: 'section', text: mrkdwn(text) })
const modalWithRichText = (element: Fields): Fields =>
  modalWith({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [element] }] })
const RICH_PATH = '/view/blocks/0/elements/0/elements/0'
const UNESCAPED_ERROR =
  "must escape &, <, and > as &amp;, &lt;, and &gt; where they aren't markup [json-pointer:/view/blocks/0/text/text]"
const CONTROL_CHARACTER_ERROR = 'must not contain control characters'

/** Views with an invalid element, option, or text, each with the expected error. */
export const REFUSED_ELEMENTS: [view: Json, message: string][] = [
  [modalWithSelect({ options: [] }), `must provide at least 1 items [json-pointer:${ELEMENT_PATH}/options]`],
  [
    modalWithSelect({ options: times(101, (n) => option('A', `${n}`)) }),
    `no more than 100 items allowed [json-pointer:${ELEMENT_PATH}/options]`,
  ],
  [modalWithSelect({ options: 'a' }), `must provide an array [json-pointer:${ELEMENT_PATH}/options]`],
  [modalWithSelect({ options: ['a'] }), `must provide an object [json-pointer:${ELEMENT_PATH}/options/0]`],
  [
    modalWithSelect({ options: [{ text: plain('A') }] }),
    `missing required field: value [json-pointer:${ELEMENT_PATH}/options/0]`,
  ],
  [
    modalWithSelect({ options: [option(repeatX(76))] }),
    `must be less than 76 characters [json-pointer:${ELEMENT_PATH}/options/0/text/text]`,
  ],
  [
    modalWithSelect({ options: [option('A', repeatX(151))] }),
    `must be less than 151 characters [json-pointer:${ELEMENT_PATH}/options/0/value]`,
  ],
  [
    modalWithSelect({ options: [option('A', '')] }),
    `must be more than 0 characters [json-pointer:${ELEMENT_PATH}/options/0/value]`,
  ],
  [
    modalWithSelect({ options: [{ ...option(), value: 7 }] }),
    `must provide a string [json-pointer:${ELEMENT_PATH}/options/0/value]`,
  ],
  [
    modalWithSelect({ options: [{ ...option(), text: mrkdwn('A') }] }),
    `must be plain_text [json-pointer:${ELEMENT_PATH}/options/0/text/type]`,
  ],
  [
    modalWithSelect({ options: [{ ...option(), description: plain(repeatX(76)) }] }),
    `must be less than 76 characters [json-pointer:${ELEMENT_PATH}/options/0/description/text]`,
  ],
  [
    modalWithSelect({ options: [{ ...option(), url: 'https://example.com' }] }),
    `invalid additional property: url [json-pointer:${ELEMENT_PATH}/options/0]`,
  ],
  [
    modalWithSelect({ initial_option: option('B', 'b') }),
    `must be one of the provided options [json-pointer:${ELEMENT_PATH}/initial_option]`,
  ],
  [modalWithSelect({ confirm: 'sure?' }), `must provide an object [json-pointer:${ELEMENT_PATH}/confirm]`],
  [
    modalWithSelect({ placeholder: mrkdwn('x') }),
    `must be plain_text [json-pointer:${ELEMENT_PATH}/placeholder/type]`,
  ],
  [
    modalWithSelect({ focus_on_load: 'yes' }),
    `must provide a boolean [json-pointer:${ELEMENT_PATH}/focus_on_load]`,
  ],
  [
    modalWithInput({
      type: 'static_select',
      option_groups: [{ label: plain(repeatX(76)), options: [option()] }],
    }),
    `must be less than 76 characters [json-pointer:${ELEMENT_PATH}/option_groups/0/label/text]`,
  ],
  [
    modalWithInput({ type: 'static_select', option_groups: [{ options: [option()] }] }),
    `missing required field: label [json-pointer:${ELEMENT_PATH}/option_groups/0]`,
  ],
  [
    modalWithInput({
      type: 'static_select',
      option_groups: times(101, () => ({ label: plain('G'), options: [option()] })),
    }),
    `no more than 100 items allowed [json-pointer:${ELEMENT_PATH}/option_groups]`,
  ],
  [
    modalWithInput({ type: 'multi_static_select', options: [option()], max_selected_items: 0 }),
    `must be greater than or equal to 1 [json-pointer:${ELEMENT_PATH}/max_selected_items]`,
  ],
  [
    modalWithInput({ type: 'multi_static_select', options: [option()], initial_options: [option('B', 'b')] }),
    `must be one of the provided options [json-pointer:${ELEMENT_PATH}/initial_options/0]`,
  ],
  [
    modalWithInput({ type: 'multi_users_select', initial_users: ['U1', 'U2'], max_selected_items: 1 }),
    `no more than 1 items allowed [json-pointer:${ELEMENT_PATH}/initial_users]`,
  ],
  [
    modalWithInput({ type: 'multi_users_select', initial_users: [''] }),
    `must be more than 0 characters [json-pointer:${ELEMENT_PATH}/initial_users/0]`,
  ],
  [
    modalWithInput({ type: 'users_select', initial_user: 7 }),
    `must provide a string [json-pointer:${ELEMENT_PATH}/initial_user]`,
  ],
  [
    modalWithInput({ type: 'channels_select', initial_channel: '' }),
    `must be more than 0 characters [json-pointer:${ELEMENT_PATH}/initial_channel]`,
  ],
  [
    modalWithInput({ type: 'conversations_select', default_to_current_conversation: 'yes' }),
    `must provide a boolean [json-pointer:${ELEMENT_PATH}/default_to_current_conversation]`,
  ],
  [
    modalWithInput({ type: 'conversations_select', filter: { include: [] } }),
    `must provide at least 1 items [json-pointer:${ELEMENT_PATH}/filter/include]`,
  ],
  [
    modalWithInput({ type: 'conversations_select', filter: { exclude_bot_users: true, exclude_bots: true } }),
    `invalid additional property: exclude_bots [json-pointer:${ELEMENT_PATH}/filter]`,
  ],
  [
    modalWithInput({ type: 'external_select', options: [] }),
    `invalid additional property: options [json-pointer:${ELEMENT_PATH}]`,
  ],
  [
    modalWithCheckboxes({ options: times(11, (n) => option('A', `${n}`)) }),
    `no more than 10 items allowed [json-pointer:${ELEMENT_PATH}/options]`,
  ],
  [
    modalWithCheckboxes({ options: [option('A', 'a'), option('B', 'a')] }),
    `\`value\` "a" already exists among the options [json-pointer:${ELEMENT_PATH}/options/1/value]`,
  ],
  [
    modalWithCheckboxes({ initial_options: [] }),
    `must provide at least 1 items [json-pointer:${ELEMENT_PATH}/initial_options]`,
  ],
  [
    modalWithCheckboxes({ placeholder: plain('x') }),
    `invalid additional property: placeholder [json-pointer:${ELEMENT_PATH}]`,
  ],
  [
    modalWithInput({ type: 'radio_buttons', options: [option()], initial_option: option('B', 'b') }),
    `must be one of the provided options [json-pointer:${ELEMENT_PATH}/initial_option]`,
  ],
  [
    modalWithInput({ type: 'radio_buttons' }),
    `missing required field: options [json-pointer:${ELEMENT_PATH}]`,
  ],
  [
    modalWithNumberInput({ initial_value: '1.5' }),
    `must be a whole number if is_decimal_allowed is false [json-pointer:${ELEMENT_PATH}/initial_value]`,
  ],
  [
    modalWithNumberInput({ min_value: '0.5' }),
    `must be a whole number if is_decimal_allowed is false [json-pointer:${ELEMENT_PATH}/min_value]`,
  ],
  [
    modalWithNumberInput({ initial_value: '1', min_value: '2' }),
    `must be greater than or equal to min_value [json-pointer:${ELEMENT_PATH}/initial_value]`,
  ],
  [
    modalWithNumberInput({ initial_value: '3', max_value: '2' }),
    `must be less than or equal to max_value [json-pointer:${ELEMENT_PATH}/initial_value]`,
  ],
  [
    modalWithNumberInput({ min_value: '3', max_value: '2' }),
    `must be less than or equal to max_value [json-pointer:${ELEMENT_PATH}/min_value]`,
  ],
  [
    modalWithNumberInput({ max_value: 2 }),
    `must be a number in a string [json-pointer:${ELEMENT_PATH}/max_value]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', min_length: 1.5 }),
    `must provide an integer [json-pointer:${ELEMENT_PATH}/min_length]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', multiline: 1 }),
    `must provide a boolean [json-pointer:${ELEMENT_PATH}/multiline]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', value: 'x' }),
    `invalid additional property: value [json-pointer:${ELEMENT_PATH}]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', initial_value: 'a\u0000b' }),
    `${CONTROL_CHARACTER_ERROR} [json-pointer:${ELEMENT_PATH}/initial_value]`,
  ],
  [
    modalWithInput({ type: 'email_text_input', initial_value: null }),
    `must provide a string [json-pointer:${ELEMENT_PATH}/initial_value]`,
  ],
  [
    modalWithInput({ type: 'url_text_input', min_length: 1 }),
    `invalid additional property: min_length [json-pointer:${ELEMENT_PATH}]`,
  ],
  [
    modalWithInput({ type: 'url_text_input', dispatch_action_config: { trigger_actions_on: [] } }),
    `must provide at least 1 items [json-pointer:${ELEMENT_PATH}/dispatch_action_config/trigger_actions_on]`,
  ],
  [
    modalWithInput({ type: 'file_input', filetypes: [] }),
    `must provide at least 1 items [json-pointer:${ELEMENT_PATH}/filetypes]`,
  ],
  [
    modalWithInput({ type: 'file_input', max_files: 0 }),
    `must be greater than or equal to 1 [json-pointer:${ELEMENT_PATH}/max_files]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input', action_id: '' }),
    `must be more than 0 characters [json-pointer:${ELEMENT_PATH}/action_id]`,
  ],
  [
    modalWithInput({ type: 'plain_text_input' }, { dispatch_action: 1 }),
    'must provide a boolean [json-pointer:/view/blocks/0/dispatch_action]',
  ],
  [
    modalWithInput({ type: 'plain_text_input' }, { label: mrkdwn('L') }),
    'must be plain_text [json-pointer:/view/blocks/0/label/type]',
  ],
  [
    modalWith({ type: 'actions', elements: [button({ confirm: confirm({ style: 'warning' }) })] }),
    'must be one of: primary, danger [json-pointer:/view/blocks/0/elements/0/confirm/style]',
  ],
  [
    modalWith({ type: 'actions', elements: [button({ confirm: { title: plain('t') } })] }),
    'missing required field: text [json-pointer:/view/blocks/0/elements/0/confirm]\nmissing required field: confirm [json-pointer:/view/blocks/0/elements/0/confirm]\nmissing required field: deny [json-pointer:/view/blocks/0/elements/0/confirm]',
  ],
  [
    // `undefined` removes the sample's `image_url`.
    modalWith(image({ slack_file: { id: 'F1', url: 'https://example.com' }, image_url: undefined as never })),
    'must define either `id` or `url`, not both [json-pointer:/view/blocks/0/slack_file]',
  ],
  [modalWithText('a < b'), UNESCAPED_ERROR],
  [modalWithText('R&D'), UNESCAPED_ERROR],
  [modalWithText('<script>'), UNESCAPED_ERROR],
  [modalWithText('a -> b'), UNESCAPED_ERROR],
  [modalWithText('bell \u0007'), `${CONTROL_CHARACTER_ERROR} [json-pointer:/view/blocks/0/text/text]`],
  [
    modalWithText('lone surrogate \ud83d'),
    `${CONTROL_CHARACTER_ERROR} [json-pointer:/view/blocks/0/text/text]`,
  ],
  [
    modalWithRichText({ type: 'date', timestamp: -1, format: '{date}' }),
    `must be greater than or equal to 0 [json-pointer:${RICH_PATH}/timestamp]`,
  ],
  [
    modalWithRichText({ type: 'date', timestamp: 1 }),
    `missing required field: format [json-pointer:${RICH_PATH}]`,
  ],
  [
    modalWithRichText({ type: 'broadcast', range: 'all' }),
    `must be one of: here, channel, everyone [json-pointer:${RICH_PATH}/range]`,
  ],
  [modalWithRichText({ type: 'user' }), `missing required field: user_id [json-pointer:${RICH_PATH}]`],
  [
    modalWithRichText({ type: 'text', text: '' }),
    `must be more than 0 characters [json-pointer:${RICH_PATH}/text]`,
  ],
  [
    modalWithRichText({ type: 'text', text: 'x', style: { bold: 'yes' } }),
    `must provide a boolean [json-pointer:${RICH_PATH}/style/bold]`,
  ],
  [modalWithRichText({ type: 'emoji' }), `missing required field: name [json-pointer:${RICH_PATH}]`],
]
