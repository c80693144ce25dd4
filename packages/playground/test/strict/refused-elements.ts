import type { Fields, Json } from '../../src/protocol.ts'
import { asks, at, modal } from './refused-views.ts'
import { button, confirm, image, mrkdwn, option, plain, times, x } from './samples.ts'

const menu = (more: Fields): Fields => asks({ type: 'static_select', options: [option()], ...more })
const boxes = (more: Fields): Fields => asks({ type: 'checkboxes', options: [option()], ...more })
const numbers = (more: Fields): Fields => asks({ type: 'number_input', is_decimal_allowed: false, ...more })
const shown = (...blocks: Json[]): Fields => modal({ blocks })
const said = (text: string): Fields => shown({ type: 'section', text: mrkdwn(text) })
const rich = (part: Fields): Fields =>
  shown({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [part] }] })
const richAt = '/view/blocks/0/elements/0/elements/0'
const unescaped =
  "must escape &, <, and > as &amp;, &lt;, and &gt; where they aren't markup [json-pointer:/view/blocks/0/text/text]"
const unprintable = 'must not contain control characters'

/** A view whose element, option or text is refused → the one fault it has. */
export const REFUSED_ELEMENTS: [view: Json, fault: string][] = [
  [menu({ options: [] }), `must provide at least 1 items [json-pointer:${at}/options]`],
  [
    menu({ options: times(101, (n) => option('A', `${n}`)) }),
    `no more than 100 items allowed [json-pointer:${at}/options]`,
  ],
  [menu({ options: 'a' }), `must provide an array [json-pointer:${at}/options]`],
  [menu({ options: ['a'] }), `must provide an object [json-pointer:${at}/options/0]`],
  [menu({ options: [{ text: plain('A') }] }), `missing required field: value [json-pointer:${at}/options/0]`],
  [
    menu({ options: [option(x(76))] }),
    `must be less than 76 characters [json-pointer:${at}/options/0/text/text]`,
  ],
  [
    menu({ options: [option('A', x(151))] }),
    `must be less than 151 characters [json-pointer:${at}/options/0/value]`,
  ],
  [
    menu({ options: [option('A', '')] }),
    `must be more than 0 characters [json-pointer:${at}/options/0/value]`,
  ],
  [
    menu({ options: [{ ...option(), value: 7 }] }),
    `must provide a string [json-pointer:${at}/options/0/value]`,
  ],
  [
    menu({ options: [{ ...option(), text: mrkdwn('A') }] }),
    `must be plain_text [json-pointer:${at}/options/0/text/type]`,
  ],
  [
    menu({ options: [{ ...option(), description: plain(x(76)) }] }),
    `must be less than 76 characters [json-pointer:${at}/options/0/description/text]`,
  ],
  [
    menu({ options: [{ ...option(), url: 'https://example.com' }] }),
    `invalid additional property: url [json-pointer:${at}/options/0]`,
  ],
  [
    menu({ initial_option: option('B', 'b') }),
    `must be one of the provided options [json-pointer:${at}/initial_option]`,
  ],
  [menu({ confirm: 'sure?' }), `must provide an object [json-pointer:${at}/confirm]`],
  [menu({ placeholder: mrkdwn('x') }), `must be plain_text [json-pointer:${at}/placeholder/type]`],
  [menu({ focus_on_load: 'yes' }), `must provide a boolean [json-pointer:${at}/focus_on_load]`],
  [
    asks({ type: 'static_select', option_groups: [{ label: plain(x(76)), options: [option()] }] }),
    `must be less than 76 characters [json-pointer:${at}/option_groups/0/label/text]`,
  ],
  [
    asks({ type: 'static_select', option_groups: [{ options: [option()] }] }),
    `missing required field: label [json-pointer:${at}/option_groups/0]`,
  ],
  [
    asks({
      type: 'static_select',
      option_groups: times(101, () => ({ label: plain('G'), options: [option()] })),
    }),
    `no more than 100 items allowed [json-pointer:${at}/option_groups]`,
  ],
  [
    asks({ type: 'multi_static_select', options: [option()], max_selected_items: 0 }),
    `must be greater than or equal to 1 [json-pointer:${at}/max_selected_items]`,
  ],
  [
    asks({ type: 'multi_static_select', options: [option()], initial_options: [option('B', 'b')] }),
    `must be one of the provided options [json-pointer:${at}/initial_options/0]`,
  ],
  [
    asks({ type: 'multi_users_select', initial_users: ['U1', 'U2'], max_selected_items: 1 }),
    `no more than 1 items allowed [json-pointer:${at}/initial_users]`,
  ],
  [
    asks({ type: 'multi_users_select', initial_users: [''] }),
    `must be more than 0 characters [json-pointer:${at}/initial_users/0]`,
  ],
  [
    asks({ type: 'users_select', initial_user: 7 }),
    `must provide a string [json-pointer:${at}/initial_user]`,
  ],
  [
    asks({ type: 'channels_select', initial_channel: '' }),
    `must be more than 0 characters [json-pointer:${at}/initial_channel]`,
  ],
  [
    asks({ type: 'conversations_select', default_to_current_conversation: 'yes' }),
    `must provide a boolean [json-pointer:${at}/default_to_current_conversation]`,
  ],
  [
    asks({ type: 'conversations_select', filter: { include: [] } }),
    `must provide at least 1 items [json-pointer:${at}/filter/include]`,
  ],
  [
    asks({ type: 'conversations_select', filter: { exclude_bot_users: true, exclude_bots: true } }),
    `invalid additional property: exclude_bots [json-pointer:${at}/filter]`,
  ],
  [
    asks({ type: 'external_select', options: [] }),
    `invalid additional property: options [json-pointer:${at}]`,
  ],
  [
    boxes({ options: times(11, (n) => option('A', `${n}`)) }),
    `no more than 10 items allowed [json-pointer:${at}/options]`,
  ],
  [
    boxes({ options: [option('A', 'a'), option('B', 'a')] }),
    `\`value\` "a" already exists among the options [json-pointer:${at}/options/1/value]`,
  ],
  [boxes({ initial_options: [] }), `must provide at least 1 items [json-pointer:${at}/initial_options]`],
  [boxes({ placeholder: plain('x') }), `invalid additional property: placeholder [json-pointer:${at}]`],
  [
    asks({ type: 'radio_buttons', options: [option()], initial_option: option('B', 'b') }),
    `must be one of the provided options [json-pointer:${at}/initial_option]`,
  ],
  [asks({ type: 'radio_buttons' }), `missing required field: options [json-pointer:${at}]`],
  [
    asks({ type: 'datepicker', initial_date: '20 Nov' }),
    `must be a date in the form YYYY-MM-DD [json-pointer:${at}/initial_date]`,
  ],
  [
    asks({ type: 'timepicker', initial_time: '24:00' }),
    `must be a time in the form HH:mm [json-pointer:${at}/initial_time]`,
  ],
  [
    asks({ type: 'timepicker', timezone: '' }),
    `must be more than 0 characters [json-pointer:${at}/timezone]`,
  ],
  [
    asks({ type: 'datetimepicker', initial_date_time: '1795000000' }),
    `must provide an integer [json-pointer:${at}/initial_date_time]`,
  ],
  [
    asks({ type: 'datetimepicker', initial_date_time: -1 }),
    `must be greater than or equal to 1000000000 [json-pointer:${at}/initial_date_time]`,
  ],
  [
    asks({ type: 'datetimepicker', placeholder: plain('x') }),
    `invalid additional property: placeholder [json-pointer:${at}]`,
  ],
  [
    numbers({ initial_value: '1.5' }),
    `must be a whole number if is_decimal_allowed is false [json-pointer:${at}/initial_value]`,
  ],
  [
    numbers({ min_value: '0.5' }),
    `must be a whole number if is_decimal_allowed is false [json-pointer:${at}/min_value]`,
  ],
  [
    numbers({ initial_value: '1', min_value: '2' }),
    `must be greater than or equal to min_value [json-pointer:${at}/initial_value]`,
  ],
  [
    numbers({ initial_value: '3', max_value: '2' }),
    `must be less than or equal to max_value [json-pointer:${at}/initial_value]`,
  ],
  [
    numbers({ min_value: '3', max_value: '2' }),
    `must be less than or equal to max_value [json-pointer:${at}/min_value]`,
  ],
  [numbers({ max_value: 2 }), `must be a number in a string [json-pointer:${at}/max_value]`],
  [
    asks({ type: 'plain_text_input', min_length: 1.5 }),
    `must provide an integer [json-pointer:${at}/min_length]`,
  ],
  [asks({ type: 'plain_text_input', multiline: 1 }), `must provide a boolean [json-pointer:${at}/multiline]`],
  [asks({ type: 'plain_text_input', value: 'x' }), `invalid additional property: value [json-pointer:${at}]`],
  [
    asks({ type: 'plain_text_input', initial_value: 'a\u0000b' }),
    `${unprintable} [json-pointer:${at}/initial_value]`,
  ],
  [
    asks({ type: 'email_text_input', initial_value: null }),
    `must provide a string [json-pointer:${at}/initial_value]`,
  ],
  [
    asks({ type: 'url_text_input', min_length: 1 }),
    `invalid additional property: min_length [json-pointer:${at}]`,
  ],
  [
    asks({ type: 'url_text_input', dispatch_action_config: { trigger_actions_on: [] } }),
    `must provide at least 1 items [json-pointer:${at}/dispatch_action_config/trigger_actions_on]`,
  ],
  [
    asks({ type: 'file_input', filetypes: [] }),
    `must provide at least 1 items [json-pointer:${at}/filetypes]`,
  ],
  [
    asks({ type: 'file_input', max_files: 0 }),
    `must be greater than or equal to 1 [json-pointer:${at}/max_files]`,
  ],
  [
    asks({ type: 'rich_text_input', min_lines: 0 }),
    `must be greater than or equal to 1 [json-pointer:${at}/min_lines]`,
  ],
  [
    asks({ type: 'plain_text_input', action_id: '' }),
    `must be more than 0 characters [json-pointer:${at}/action_id]`,
  ],
  [
    asks({ type: 'plain_text_input' }, { dispatch_action: 1 }),
    'must provide a boolean [json-pointer:/view/blocks/0/dispatch_action]',
  ],
  [
    asks({ type: 'plain_text_input' }, { label: mrkdwn('L') }),
    'must be plain_text [json-pointer:/view/blocks/0/label/type]',
  ],
  [
    shown(
      { type: 'actions', elements: [{ type: 'datepicker', focus_on_load: true }] },
      { type: 'actions', elements: [{ type: 'timepicker', focus_on_load: true }] },
    ),
    'only one element can have `focus_on_load` set to true [json-pointer:/view/blocks/1/elements/0/focus_on_load]',
  ],
  [
    shown({ type: 'actions', elements: [button({ confirm: confirm({ style: 'warning' }) })] }),
    'must be one of: primary, danger [json-pointer:/view/blocks/0/elements/0/confirm/style]',
  ],
  [
    shown({ type: 'actions', elements: [button({ confirm: { title: plain('t') } })] }),
    'missing required field: text [json-pointer:/view/blocks/0/elements/0/confirm]\nmissing required field: confirm [json-pointer:/view/blocks/0/elements/0/confirm]\nmissing required field: deny [json-pointer:/view/blocks/0/elements/0/confirm]',
  ],
  [
    shown(image({ slack_file: { id: 'F1', url: 'https://example.com' }, image_url: undefined as never })),
    'must define either `id` or `url`, not both [json-pointer:/view/blocks/0/slack_file]',
  ],
  [said('a < b'), unescaped],
  [said('R&D'), unescaped],
  [said('<script>'), unescaped],
  [said('a -> b'), unescaped],
  [said('bell \u0007'), `${unprintable} [json-pointer:/view/blocks/0/text/text]`],
  [said('half \ud83d'), `${unprintable} [json-pointer:/view/blocks/0/text/text]`],
  [
    rich({ type: 'date', timestamp: -1, format: '{date}' }),
    `must be greater than or equal to 0 [json-pointer:${richAt}/timestamp]`,
  ],
  [rich({ type: 'date', timestamp: 1 }), `missing required field: format [json-pointer:${richAt}]`],
  [
    rich({ type: 'broadcast', range: 'all' }),
    `must be one of: here, channel, everyone [json-pointer:${richAt}/range]`,
  ],
  [rich({ type: 'user' }), `missing required field: user_id [json-pointer:${richAt}]`],
  [rich({ type: 'text', text: '' }), `must be more than 0 characters [json-pointer:${richAt}/text]`],
  [
    rich({ type: 'text', text: 'x', style: { bold: 'yes' } }),
    `must provide a boolean [json-pointer:${richAt}/style/bold]`,
  ],
  [rich({ type: 'emoji' }), `missing required field: name [json-pointer:${richAt}]`],
]
