import type { Fields } from '../../../src/playground/protocol.ts'

/** Payloads that the tiny app of these suites sends. */
export const plain = (text: string): Fields => ({ type: 'plain_text', text })
export const mrkdwn = (text: string): Fields => ({ type: 'mrkdwn', text })
export const option = (text: string, value: string): Fields => ({ text: plain(text), value })

export const button = (text: string, actionId: string, more: Fields = {}): Fields => ({
  type: 'button',
  text: plain(text),
  action_id: actionId,
  ...more,
})

export const input = (blockId: string, label: string, element: Fields, more: Fields = {}): Fields => ({
  type: 'input',
  block_id: blockId,
  label: plain(label),
  element: { action_id: 'v', ...element },
  ...more,
})

export const modal = (title: string, blocks: Fields[]): Fields => ({
  type: 'modal',
  title: plain(title),
  submit: plain('Save'),
  blocks,
})

export const form = modal('New check', [
  { type: 'section', text: mrkdwn('One more?'), accessory: button('Push', 'push') },
  input('name', 'Name', { type: 'plain_text_input', min_length: 3 }),
  input('protocol', 'Protocol', {
    type: 'static_select',
    initial_option: option('HTTPS', 'HTTPS'),
    option_groups: [{ label: plain('Web'), options: [option('HTTP', 'HTTP'), option('HTTPS', 'HTTPS')] }],
  }),
  input(
    'port',
    'Port',
    { type: 'number_input', is_decimal_allowed: false, max_value: '65535' },
    { optional: true },
  ),
  input(
    'tags',
    'Tags',
    { type: 'multi_static_select', options: [option('prod', 'p'), option('dev', 'd')] },
    { optional: true },
  ),
  input('product', 'Product', { type: 'external_select', min_query_length: 0 }, { optional: true }),
  input('day', 'Day', { type: 'datepicker' }, { optional: true }),
  input('file', 'File', { type: 'file_input', max_files: 1 }, { optional: true }),
  input('ssl', 'TLS', { type: 'checkboxes', options: [option('Verify', 'yes')] }, { optional: true }),
])

export const everything: Fields[] = [
  { type: 'header', text: plain('Everything') },
  {
    type: 'section',
    text: mrkdwn('*bold* &lt;b&gt; <https://example.com/|site> <@U0ADMIN001> <javascript:alert(1)|no>'),
  },
  { type: 'section', fields: [mrkdwn('*Port*\n443'), mrkdwn('*Every*\n60 s')] },
  { type: 'divider' },
  { type: 'context', elements: [mrkdwn('Page 1 of 2')] },
  {
    type: 'rich_text',
    elements: [
      { type: 'rich_text_section', elements: [{ type: 'text', text: '*stays*', style: { italic: true } }] },
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'item' }] }],
      },
      { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'one\n two' }] },
    ],
  },
  {
    type: 'table',
    rows: [[{ type: 'raw_text', text: 'Name' }], [{ type: 'raw_text', text: 'ns1.example.com' }]],
  },
  {
    type: 'data_table',
    caption: 'Checks',
    page_size: 2,
    rows: [
      [{ type: 'raw_text', text: 'Took' }],
      ...[30, 4, 200].map((value) => [{ type: 'raw_number', value, text: `${value} ms` }]),
    ],
  },
  { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'A screenshot' },
  { type: 'markdown', text: '## Heading\n- **point**' },
  {
    type: 'data_visualization',
    title: 'Up and down',
    chart: {
      type: 'pie',
      segments: [
        { label: 'up', value: 3 },
        { label: 'down', value: 1 },
      ],
    },
  },
]
