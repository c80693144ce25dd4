import { describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { checkMessage } from '../../src/validation/message.ts'
import {
  actions,
  button,
  cell,
  chart,
  confirm,
  dataTable,
  image,
  mrkdwn,
  option,
  plain,
  plot,
  repeatX,
  rich,
  richCell,
  section,
  select,
  table,
  times,
} from './samples.ts'

/** Valid blocks of every kind, with values at their limits. */
const VALID_BLOCKS: Json[] = [
  section({ text: mrkdwn(repeatX(3000)), fields: times(10, () => plain('x')), expand: true }),
  section({
    accessory: button({ url: 'https://example.com', style: 'danger', confirm: confirm({ style: 'danger' }) }),
  }),
  section({ text: mrkdwn('😀'.repeat(3000)) }),
  { type: 'header', text: { ...plain(repeatX(150)), emoji: true } },
  { type: 'divider' },
  { type: 'context', elements: [image(), mrkdwn('x'), plain('x')] },
  actions(
    button({ value: '' }),
    select({ initial_option: option() }),
    { type: 'users_select' },
    { type: 'datepicker', initial_date: '2026-11-20' },
  ),
  image({ title: plain('x') }),
  { type: 'image', slack_file: { id: 'F1' }, alt_text: 'a' },
  { type: 'input', label: plain('L'), element: { type: 'plain_text_input' } },
  { type: 'markdown', text: '**x**' },
  { type: 'context_actions', elements: [{ type: 'icon_button', icon: 'trash', text: plain('x') }] },
  table(
    [
      [cell(), richCell],
      [cell(), cell()],
    ],
    { column_settings: [null, { align: 'right', is_wrapped: true }] },
  ),
  dataTable([[cell()], [{ type: 'raw_number', value: 1, text: '1' }]]),
  dataTable(
    times(101, () => [cell()]),
    { page_size: 100 },
  ),
  chart(),
  chart({ chart: plot(['a', 'b']) }),
  rich({
    type: 'rich_text_list',
    style: 'ordered',
    indent: 1,
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'link', url: 'https://example.com' },
          { type: 'emoji', name: 'wave' },
          { type: 'broadcast', range: 'here' },
        ],
      },
    ],
  }),
]

describe('a message', () => {
  it.each(VALID_BLOCKS.map((block, index) => ({ index, block })))(
    'is accepted with valid block $index',
    ({ block }) => {
      expect(checkMessage({ blocks: [block] })).not.toHaveProperty('notes')
    },
  )

  it.each<{ problem: string; message: Fields; error: string; note: string }>([
    {
      problem: '51 blocks',
      message: { blocks: times(51, () => ({ type: 'divider' })) },
      error: 'invalid_blocks',
      note: 'no more than 50 items allowed [json-pointer:/blocks]',
    },
    {
      problem: 'a repeated block_id',
      message: { blocks: times(2, () => ({ type: 'divider', block_id: 'b' })) },
      error: 'invalid_blocks',
      note: '`block_id` "b" already exists for the block at /blocks/0 [json-pointer:/blocks/1/block_id]',
    },
    {
      problem: 'two tables',
      message: { blocks: times(2, () => table([[cell()]])) },
      error: 'invalid_attachments',
      note: 'only_one_table_allowed',
    },
    {
      problem: 'a table of each kind',
      message: { blocks: [table([[cell()]]), dataTable([[cell()], [cell()]])] },
      error: 'invalid_attachments',
      note: 'only_one_table_allowed',
    },
    {
      problem: 'a table next to one in an attachment',
      message: { blocks: [table([[cell()]])], attachments: [{ blocks: [table([[cell()]])] }] },
      error: 'invalid_attachments',
      note: 'only_one_table_allowed',
    },
    {
      problem: 'two plans',
      message: { blocks: times(2, () => ({ type: 'plan', title: 'P' })) },
      error: 'invalid_blocks',
      note: 'no more than 1 plan block allowed [json-pointer:/blocks/1]',
    },
    {
      problem: 'too much Markdown in its blocks together',
      message: { blocks: times(2, () => ({ type: 'markdown', text: repeatX(6001) })) },
      error: 'invalid_blocks',
      note: 'all markdown blocks together must be less than 12001 characters [json-pointer:/blocks]',
    },
    {
      problem: 'a row header column that doesn’t exist',
      message: { blocks: [dataTable([[cell()], [cell()]], { row_header_column_index: 1 })] },
      error: 'invalid_blocks',
      note: 'must be less than 1 [json-pointer:/blocks/0/row_header_column_index]',
    },
    {
      problem: 'a repeated series',
      message: {
        blocks: [
          chart({
            chart: {
              type: 'bar',
              series: times(2, () => ({ name: 's', data: [{ label: 'a', value: 1 }] })),
              axis_config: { categories: ['a'] },
            },
          }),
        ],
      },
      error: 'invalid_blocks',
      note: '`name` "s" already exists among the series [json-pointer:/blocks/0/chart/series/1/name]',
    },
    {
      problem: 'an empty filter',
      message: { blocks: [actions({ type: 'conversations_select', filter: {} })] },
      error: 'invalid_blocks',
      note: 'missing required field: include [json-pointer:/blocks/0/elements/0/filter]',
    },
    {
      problem: 'a filter with a repeated value',
      message: { blocks: [actions({ type: 'conversations_select', filter: { include: ['im', 'im'] } })] },
      error: 'invalid_blocks',
      note: 'must not be a duplicate [json-pointer:/blocks/0/elements/0/filter/include/1]',
    },
    {
      problem: 'a response_url, which only modals can have',
      message: { blocks: [actions({ type: 'channels_select', response_url_enabled: true })] },
      error: 'invalid_blocks',
      note: 'must be false outside of input blocks in modals [json-pointer:/blocks/0/elements/0/response_url_enabled]',
    },
    {
      problem: 'three charts',
      message: { blocks: times(3, () => chart()) },
      error: 'invalid_blocks',
      note: 'no more than 2 data_visualization blocks allowed [json-pointer:/blocks/2]',
    },
    {
      problem: 'too much text in blocks',
      message: { blocks: times(5, () => section({ text: mrkdwn(repeatX(3000)) })) },
      error: 'msg_blocks_too_long',
      note: 'at most 13200',
    },
    { problem: 'no text', message: { text: ' ' }, error: 'no_text', note: 'needs `text` or `blocks`' },
    {
      problem: 'too much text',
      message: { text: repeatX(40_001) },
      error: 'msg_too_long',
      note: 'at most 40000',
    },
    {
      problem: 'invalid blocks',
      message: { text: 'x', blocks: { type: 'divider' } },
      error: 'invalid_blocks_format',
      note: 'array of objects',
    },
    {
      problem: 'an invalid text',
      message: { text: { text: 'x' } },
      error: 'invalid_arguments',
      note: 'must provide a string [json-pointer:/text]',
    },
    {
      problem: 'legacy interactive attachments',
      message: { text: 'x', attachments: [{ actions: [{ name: 'a' }] }] },
      error: 'invalid_attachments',
      note: 'use blocks',
    },
  ])('is rejected with $problem', ({ message, error, note }) => {
    const checked = checkMessage(message)
    expect(checked).toMatchObject({ error })
    expect('notes' in checked && checked.notes.join('\n')).toContain(note)
  })

  it.each<[feature: string, message: Fields]>([
    [
      'option values of up to 150 characters',
      { blocks: [actions(select({ options: [option('A', repeatX(150))] }))] },
    ],
    ['a level of a header', { blocks: [{ type: 'header', text: plain('x'), level: 4 }] }],
    ['a picture over http', { blocks: [image({ image_url: 'http://example.com/a.png' })] }],
    ['an empty rich text', { blocks: [rich()] }],
    ['attachments', { attachments: [{ color: 'good', text: 'x', blocks: [section()], unknown: 1 }] }],
    [
      'unescaped characters',
      { text: 'Tom & Jerry <3', blocks: [section({ text: mrkdwn('a -> b?x=1&y=2') })] },
    ],
  ])('is accepted with %s at the `slack` level', (_feature, message) => {
    expect(checkMessage(message, { levels: ['slack'] })).not.toHaveProperty('notes')
  })

  it('is rejected with unescaped characters at the `careful` level', () => {
    expect(checkMessage({ text: 'Tom & Jerry' })).toMatchObject({ error: 'invalid_arguments' })
    expect(checkMessage({ blocks: [section({ text: mrkdwn('a -> b') })] })).toMatchObject({
      error: 'invalid_blocks',
    })
  })

  it('is rejected with a note for every error', () => {
    const checked = checkMessage({ blocks: [{ type: 'nope' }, { type: 'section' }, { type: 'header' }] })
    expect('notes' in checked && checked.notes).toHaveLength(3)
  })

  it('gets block and action IDs if they are missing', () => {
    const checked = checkMessage({
      blocks: [section({ accessory: button() }), actions(button(), button({ action_id: 'mine' }))],
    })
    if ('error' in checked) throw new Error(checked.error)
    const ids = JSON.stringify(checked.blocks)
    expect(ids.match(/"action_id":"[^"]+"/g)).toHaveLength(3)
    expect(ids).toContain('"action_id":"mine"')
    expect(checked.blocks.every(({ block_id }) => block_id !== '')).toBe(true)
  })
})
