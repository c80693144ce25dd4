import type { Json } from '../../src/protocol/json.ts'
import {
  actions,
  button,
  confirm,
  image,
  mrkdwn,
  option,
  plain,
  repeatX,
  section,
  select,
  times,
} from './samples.ts'

/** Invalid blocks, each with the expected error. */
export const REFUSED_BLOCKS: [block: Json, message: string][] = [
  [{}, 'missing required field: type [json-pointer:/blocks/0]'],
  [{ type: 'nope' }, 'unsupported type: nope [json-pointer:/blocks/0/type]'],
  [{ type: 'constructor' }, 'unsupported type: constructor [json-pointer:/blocks/0/type]'],
  [{ type: 'divider', text: 'x' }, 'invalid additional property: text [json-pointer:/blocks/0]'],
  [
    { type: 'divider', block_id: repeatX(256) },
    'must be less than 256 characters [json-pointer:/blocks/0/block_id]',
  ],
  [{ type: 'divider', block_id: '' }, 'must be more than 0 characters [json-pointer:/blocks/0/block_id]'],
  [{ type: 'divider', block_id: 1 }, 'must provide a string [json-pointer:/blocks/0/block_id]'],
  [{ type: 'section' }, 'missing required field: text [json-pointer:/blocks/0]'],
  [section({ text: 'hi' }), 'must provide an object [json-pointer:/blocks/0/text]'],
  [section({ text: mrkdwn('') }), 'must be more than 0 characters [json-pointer:/blocks/0/text/text]'],
  [
    section({ text: mrkdwn(repeatX(3001)) }),
    'must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
  ],
  [
    section({ text: { ...mrkdwn('x'), emoji: true } }),
    'invalid additional property: emoji [json-pointer:/blocks/0/text]',
  ],
  [section({ fields: [] }), 'must provide at least 1 items [json-pointer:/blocks/0/fields]'],
  [
    section({ fields: times(11, () => plain('x')) }),
    'no more than 10 items allowed [json-pointer:/blocks/0/fields]',
  ],
  [
    section({ fields: [plain(repeatX(2001))] }),
    'must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]',
  ],
  [section({ expand: 'yes' }), 'must provide a boolean [json-pointer:/blocks/0/expand]'],
  [
    section({ accessory: { type: 'plain_text_input' } }),
    'unsupported type: plain_text_input [json-pointer:/blocks/0/accessory/type]',
  ],
  [
    section({ accessory: image({ alt_text: '' }) }),
    'must be more than 0 characters [json-pointer:/blocks/0/accessory/alt_text]',
  ],
  [
    { type: 'header', text: plain(repeatX(151)) },
    'must be less than 151 characters [json-pointer:/blocks/0/text/text]',
  ],
  [{ type: 'header', text: mrkdwn('x') }, 'must be plain_text [json-pointer:/blocks/0/text/type]'],
  [{ type: 'context', elements: [] }, 'must provide at least 1 items [json-pointer:/blocks/0/elements]'],
  [
    { type: 'context', elements: times(11, () => plain('x')) },
    'no more than 10 items allowed [json-pointer:/blocks/0/elements]',
  ],
  [
    { type: 'context', elements: [button()] },
    'unsupported type: button [json-pointer:/blocks/0/elements/0/type]',
  ],
  [actions(), 'must provide at least 1 items [json-pointer:/blocks/0/elements]'],
  [actions(...times(26, () => button())), 'no more than 25 items allowed [json-pointer:/blocks/0/elements]'],
  [actions(image()), 'unsupported type: image [json-pointer:/blocks/0/elements/0/type]'],
  [
    actions(button({ action_id: 'a' }), button({ action_id: 'a' })),
    '`action_id` "a" already exists among the elements [json-pointer:/blocks/0/elements/1/action_id]',
  ],
  [
    actions(button({ text: mrkdwn('x') })),
    'must be plain_text [json-pointer:/blocks/0/elements/0/text/type]',
  ],
  [
    actions(button({ text: plain(repeatX(76)) })),
    'must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]',
  ],
  [
    actions(button({ action_id: repeatX(256) })),
    'must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]',
  ],
  [
    actions(button({ value: repeatX(2001) })),
    'must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]',
  ],
  [actions(button({ value: 1 })), 'must provide a string [json-pointer:/blocks/0/elements/0/value]'],
  [
    actions(button({ url: 'javascript:alert(1)' })),
    'must be a valid URL that starts with https: or http: or mailto: or slack: [json-pointer:/blocks/0/elements/0/url]',
  ],
  [
    actions(button({ url: `https://example.com/${repeatX(3000)}` })),
    'must be less than 3001 characters [json-pointer:/blocks/0/elements/0/url]',
  ],
  [
    actions(button({ style: 'default' })),
    'must be one of: primary, danger [json-pointer:/blocks/0/elements/0/style]',
  ],
  [
    actions(button({ accessibility_label: repeatX(76) })),
    'must be less than 76 characters [json-pointer:/blocks/0/elements/0/accessibility_label]',
  ],
  [
    actions(button({ confirm: confirm({ title: plain(repeatX(101)) }) })),
    'must be less than 101 characters [json-pointer:/blocks/0/elements/0/confirm/title/text]',
  ],
  [
    actions(button({ confirm: confirm({ text: mrkdwn(repeatX(301)) }) })),
    'must be less than 301 characters [json-pointer:/blocks/0/elements/0/confirm/text/text]',
  ],
  [
    actions(button({ confirm: confirm({ confirm: plain(repeatX(31)) }) })),
    'must be less than 31 characters [json-pointer:/blocks/0/elements/0/confirm/confirm/text]',
  ],
  [
    actions(button({ confirm: confirm({ deny: plain(repeatX(31)) }) })),
    'must be less than 31 characters [json-pointer:/blocks/0/elements/0/confirm/deny/text]',
  ],
  [
    actions(button({ confirm: { title: plain('t'), text: plain('t'), confirm: plain('y') } })),
    'missing required field: deny [json-pointer:/blocks/0/elements/0/confirm]',
  ],
  [
    actions(select({ options: [] })),
    'must provide at least 1 items [json-pointer:/blocks/0/elements/0/options]',
  ],
  [
    actions(select({ options: times(101, (index) => option('o', String(index))) })),
    'no more than 100 items allowed [json-pointer:/blocks/0/elements/0/options]',
  ],
  [
    actions(select({ options: [option(repeatX(76))] })),
    'must be less than 76 characters [json-pointer:/blocks/0/elements/0/options/0/text/text]',
  ],
  [
    actions(select({ options: [option('A', repeatX(151))] })),
    'must be less than 151 characters [json-pointer:/blocks/0/elements/0/options/0/value]',
  ],
  [
    actions(select({ options: [{ text: plain('A'), value: 1 }] })),
    'must provide a string [json-pointer:/blocks/0/elements/0/options/0/value]',
  ],
  [
    actions(select({ options: [{ text: plain('A') }] })),
    'missing required field: value [json-pointer:/blocks/0/elements/0/options/0]',
  ],
  [
    actions(select({ options: [{ ...option(), text: mrkdwn('A') }] })),
    'must be plain_text [json-pointer:/blocks/0/elements/0/options/0/text/type]',
  ],
  [
    actions({ type: 'static_select' }),
    'must define either `options` or `option_groups`, not neither [json-pointer:/blocks/0/elements/0]',
  ],
  [
    actions(select({ option_groups: [{ label: plain('G'), options: [option()] }] })),
    'must define either `options` or `option_groups`, not both [json-pointer:/blocks/0/elements/0]',
  ],
  [
    actions({ type: 'static_select', option_groups: [{ label: plain(repeatX(76)), options: [option()] }] }),
    'must be less than 76 characters [json-pointer:/blocks/0/elements/0/option_groups/0/label/text]',
  ],
  [
    actions(select({ initial_option: option('B', 'b') })),
    'must be one of the provided options [json-pointer:/blocks/0/elements/0/initial_option]',
  ],
  [
    actions(select({ initial_option: option('Other label', 'a') })),
    'must be one of the provided options [json-pointer:/blocks/0/elements/0/initial_option]',
  ],
  [
    actions({ type: 'multi_static_select', options: [option()], initial_options: [option('B', 'b')] }),
    'must be one of the provided options [json-pointer:/blocks/0/elements/0/initial_options/0]',
  ],
  [
    actions({ type: 'multi_static_select', options: [option()], max_selected_items: 0 }),
    'must be greater than or equal to 1 [json-pointer:/blocks/0/elements/0/max_selected_items]',
  ],
  [
    actions(select({ placeholder: plain(repeatX(151)) })),
    'must be less than 151 characters [json-pointer:/blocks/0/elements/0/placeholder/text]',
  ],
  [
    actions({ type: 'overflow', options: times(6, (index) => option('o', String(index))) }),
    'no more than 5 items allowed [json-pointer:/blocks/0/elements/0/options]',
  ],
  [
    actions({ type: 'overflow', options: [option(), option('B', 'a')] }),
    '`value` "a" already exists among the options [json-pointer:/blocks/0/elements/0/options/1/value]',
  ],
  [
    actions({ type: 'radio_buttons', options: times(11, (index) => option('o', String(index))) }),
    'no more than 10 items allowed [json-pointer:/blocks/0/elements/0/options]',
  ],
  [
    actions({ type: 'checkboxes', options: times(11, (index) => option('o', String(index))) }),
    'no more than 10 items allowed [json-pointer:/blocks/0/elements/0/options]',
  ],
  [
    { type: 'image', image_url: 'https://example.com/a.png' },
    'missing required field: alt_text [json-pointer:/blocks/0]',
  ],
  [image({ alt_text: repeatX(2001) }), 'must be less than 2001 characters [json-pointer:/blocks/0/alt_text]'],
  [
    image({ image_url: 'ftp://example.com/a.png' }),
    'must be a valid URL that starts with https: or http: [json-pointer:/blocks/0/image_url]',
  ],
  [
    image({ image_url: `https://example.com/${repeatX(3000)}` }),
    'must be less than 3001 characters [json-pointer:/blocks/0/image_url]',
  ],
  [
    { type: 'image', alt_text: 'a' },
    'must define either `image_url` or `slack_file`, not neither [json-pointer:/blocks/0]',
  ],
  [image({ title: mrkdwn('x') }), 'must be plain_text [json-pointer:/blocks/0/title/type]'],
  [
    { type: 'input', label: plain('L'), element: { type: 'file_input' } },
    'unsupported type: file_input [json-pointer:/blocks/0/element/type]',
  ],
]
