import type { Json } from '../../src/protocol/json.ts'
import {
  button,
  cell,
  chart,
  dataTable,
  plain,
  plot,
  repeatX,
  rich,
  richCell,
  table,
  times,
} from './samples.ts'

/** Invalid blocks of newer kinds (Markdown, tables, charts, rich text, …), each with the expected error. */
export const REFUSED_NEWER_BLOCKS: [block: Json, message: string][] = [
  [
    { type: 'markdown', text: repeatX(12_001) },
    'must be less than 12001 characters [json-pointer:/blocks/0/text]',
  ],
  [
    { type: 'context_actions', elements: [button()] },
    'unsupported type: button [json-pointer:/blocks/0/elements/0/type]',
  ],
  [
    {
      type: 'context_actions',
      elements: times(6, () => ({ type: 'icon_button', icon: 'trash', text: plain('x') })),
    },
    'no more than 5 items allowed [json-pointer:/blocks/0/elements]',
  ],
  [
    {
      type: 'context_actions',
      elements: [{ type: 'feedback_buttons', positive_button: { text: plain('+'), value: 'p' } }],
    },
    'missing required field: negative_button [json-pointer:/blocks/0/elements/0]',
  ],
  [
    { type: 'context_actions', elements: [{ type: 'icon_button', icon: 'star', text: plain('x') }] },
    'must be one of: trash [json-pointer:/blocks/0/elements/0/icon]',
  ],
  [
    { type: 'card', title: plain('x'), actions: times(4, () => button()) },
    'no more than 3 items allowed [json-pointer:/blocks/0/actions]',
  ],
  [
    {
      type: 'card',
      title: plain('x'),
      icon: { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'x' },
      slack_icon: { type: 'icon', name: 'rocket' },
    },
    'only one of the following fields is allowed: icon, slack_icon [json-pointer:/blocks/0]',
  ],
  [table([]), 'must provide at least 1 items [json-pointer:/blocks/0/rows]'],
  [table(times(101, () => [cell()])), 'no more than 100 items allowed [json-pointer:/blocks/0/rows]'],
  [table([times(21, () => cell())]), 'no more than 20 items allowed [json-pointer:/blocks/0/rows/0]'],
  [table([[cell(), cell()], [cell()]]), 'all rows must have 2 cells [json-pointer:/blocks/0/rows/1]'],
  [table([[plain('x')]]), 'unsupported type: plain_text [json-pointer:/blocks/0/rows/0/0/type]'],
  [
    table([[{ type: 'raw_number', value: 1, text: '1' }]]),
    'unsupported type: raw_number [json-pointer:/blocks/0/rows/0/0/type]',
  ],
  [table([[cell('')]]), 'must be more than 0 characters [json-pointer:/blocks/0/rows/0/0/text]'],
  [
    table(times(3, () => [cell(repeatX(4000))])),
    'all cells together must be less than 10001 characters [json-pointer:/blocks/0/rows]',
  ],
  [
    table([[cell()]], { column_settings: times(21, () => ({})) }),
    'no more than 20 items allowed [json-pointer:/blocks/0/column_settings]',
  ],
  [
    table([[cell()]], { column_settings: [{ align: 'middle' }] }),
    'must be one of: left, center, right [json-pointer:/blocks/0/column_settings/0/align]',
  ],
  [
    { type: 'data_table', rows: [[cell()], [cell()]] },
    'missing required field: caption [json-pointer:/blocks/0]',
  ],
  [dataTable([[cell()]]), 'must provide at least 2 items [json-pointer:/blocks/0/rows]'],
  [dataTable(times(102, () => [cell()])), 'no more than 101 items allowed [json-pointer:/blocks/0/rows]'],
  [dataTable([[richCell], [cell()]]), 'unsupported type: rich_text [json-pointer:/blocks/0/rows/0/0/type]'],
  [
    dataTable([[cell()], [{ type: 'raw_number', value: '1', text: '1' }]]),
    'must provide a number [json-pointer:/blocks/0/rows/1/0/value]',
  ],
  [
    dataTable([[cell()], [cell()]], { page_size: 101 }),
    'must be less than or equal to 100 [json-pointer:/blocks/0/page_size]',
  ],
  [chart({ title: repeatX(51) }), 'must be less than 51 characters [json-pointer:/blocks/0/title]'],
  [chart({ chart: { type: 'radar' } }), 'unsupported type: radar [json-pointer:/blocks/0/chart/type]'],
  [
    chart({ chart: { type: 'pie', segments: [{ label: 'a', value: 0 }] } }),
    'must be greater than 0 [json-pointer:/blocks/0/chart/segments/0/value]',
  ],
  [
    chart({ chart: plot(['b', 'a']) }),
    'must have one point per category, in the order of the categories [json-pointer:/blocks/0/chart/series/0/data]',
  ],
  [
    rich({ type: 'rich_text_section', elements: [{ type: 'text' }] }),
    'missing required field: text [json-pointer:/blocks/0/elements/0/elements/0]',
  ],
  [
    rich({ type: 'rich_text_section', elements: [{ type: 'marquee' }] }),
    'unsupported type: marquee [json-pointer:/blocks/0/elements/0/elements/0/type]',
  ],
  [
    rich({
      type: 'rich_text_list',
      style: 'dashed',
      elements: [{ type: 'rich_text_section', elements: [] }],
    }),
    'must be one of: bullet, ordered [json-pointer:/blocks/0/elements/0/style]',
  ],
  [
    rich({ type: 'rich_text_section', elements: [{ type: 'link', url: 'javascript:1' }] }),
    'must be a valid URL that starts with https: or http: or mailto: or slack: or tel: [json-pointer:/blocks/0/elements/0/elements/0/url]',
  ],
  [
    rich({ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: 'U1' }] }),
    'unsupported type: user [json-pointer:/blocks/0/elements/0/elements/0/type]',
  ],
  [
    rich({ type: 'rich_text_section', elements: [{ type: 'text', text: 'x', style: { big: true } }] }),
    'invalid additional property: big [json-pointer:/blocks/0/elements/0/elements/0/style]',
  ],
]
