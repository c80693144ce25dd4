import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import type { Channel, Delivery, Person } from '../../src/protocol/protocol.ts'
import type { Cell, Element, RichText } from '../../src/web/block-kit.ts'
import { slicePath, toSlices, valueRange } from '../../src/web/blocks/chart-geometry.ts'
import { nextSort, sortRows } from '../../src/web/blocks/sorting.ts'
import { filterChoices, initialChoices, toChoiceGroups } from '../../src/web/elements/select-options.ts'
import { formatPayload } from '../../src/web/inspector/format-payload.ts'
import { summarize } from '../../src/web/inspector/summary.ts'
import { splitArt } from '../../src/web/text/art.ts'
import { toTextBlock } from '../../src/web/text/rich.ts'

const textCell = (text: string): Cell => ({ type: 'raw_text', text })
const numberCell = (value: number): Cell => ({ type: 'raw_number', value, text: `${value} ms` })

describe('sorting a data table', () => {
  const rows = [
    [textCell('check-10'), numberCell(3)],
    [textCell('check-2'), numberCell(20)],
    [textCell('Alpha'), numberCell(3)],
  ]
  const cellTexts = (sorted: Cell[][]) => sorted.map(([cell]) => (cell?.type === 'raw_text' ? cell.text : ''))

  it.each([
    [undefined, ['check-10', 'check-2', 'Alpha']],
    [{ column: 0, descending: false }, ['Alpha', 'check-2', 'check-10']],
    [{ column: 0, descending: true }, ['check-10', 'check-2', 'Alpha']],
    [{ column: 1, descending: false }, ['check-10', 'Alpha', 'check-2']],
    [{ column: 1, descending: true }, ['check-2', 'check-10', 'Alpha']],
  ])('orders the rows by %j', (sort, order) => {
    expect(cellTexts(sortRows(rows, sort))).toEqual(order)
  })

  it('cycles through ascending, descending, and original order', () => {
    const ascending = nextSort(undefined, 1)
    expect(ascending).toEqual({ column: 1, descending: false })
    const descending = nextSort(ascending, 1)
    expect(descending).toEqual({ column: 1, descending: true })
    expect(nextSort(descending, 1)).toBeUndefined()
    expect(nextSort(descending, 0)).toEqual({ column: 0, descending: false })
  })
})

describe('searching in a select', () => {
  const option = (label: string) => ({ text: { type: 'plain_text' as const, text: label }, value: label })
  const groups = toChoiceGroups(
    [],
    [
      { label: { type: 'plain_text', text: 'Web' }, options: [option('HTTP'), option('HTTPS')] },
      { label: { type: 'plain_text', text: 'Other' }, options: [option('TCP')] },
    ],
  )

  it.each([
    ['', ['HTTP', 'HTTPS', 'TCP']],
    ['http', ['HTTP', 'HTTPS']],
    ['https', ['HTTPS']],
    ['tcp ', ['TCP']],
    ['x', []],
  ])('finds options that match %j', (typed, labels) => {
    expect(filterChoices(groups, typed).flatMap(({ choices }) => choices.map(({ label }) => label))).toEqual(
      labels,
    )
  })
})

it('offers people and channels in menus with the names that people know', () => {
  const person = (id: string, realName: string, role: Person['role'] = 'member'): Person => ({
    ...{ id, teamId: 'T1', name: id.toLowerCase(), realName, email: `${id}@example.com` },
    ...{ role, deleted: id === 'U3' },
  })
  const channel = (id: string, fields: Partial<Channel>): Channel => ({
    ...{ id, teamId: 'T1', name: id.toLowerCase(), kind: 'channel', members: ['U1'] },
    ...{ created: 0, creator: 'U1', updatedMs: 0, topic: '', archived: false },
    ...fields,
  })
  const me = person('U1', 'Ann')
  const directory = {
    me,
    people: [me, person('U2', 'Bo'), person('U3', 'Gone'), person('U4', 'Deploys', 'bot')],
    channels: [
      channel('D1', { kind: 'dm', members: ['U1', 'U2'] }),
      channel('D2', { kind: 'dm', members: ['U1', 'U4'] }),
      channel('C1', { name: 'news' }),
      channel('C2', { name: 'secret', privacy: 'private' }),
      channel('C3', { name: 'old', archived: true }),
      channel('C4', { name: 'open', members: [] }),
    ],
  }
  const labels = (element: Pick<Element, 'type' | 'filter'>) =>
    initialChoices({ action_id: 'id', ...element }, directory).flatMap(({ choices }) =>
      choices.map(({ label }) => label),
    )
  expect(labels({ type: 'multi_users_select' })).toEqual(['Ann', 'Bo', 'Deploys'])
  expect(labels({ type: 'channels_select' })).toEqual(['#news', '#open'])
  expect(labels({ type: 'conversations_select' })).toEqual(['#news', '#secret', '#open', 'Bo', 'Deploys'])
  const filter = { include: ['private' as const, 'im' as const], exclude_bot_users: true }
  expect(labels({ type: 'conversations_select', filter })).toEqual(['#secret', 'Bo'])
})

describe('rich text', () => {
  it('never parses its text as markup', () => {
    expect(
      toTextBlock({ type: 'rich_text_section', elements: [{ type: 'text', text: '*x* <@U1> &lt;' }] }),
    ).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'text', text: '*x* <@U1> &lt;' }],
    })
  })

  it('applies styles to text and mentions', () => {
    expect(
      toTextBlock({
        type: 'rich_text_section',
        elements: [{ type: 'user', user_id: 'U1', style: { bold: true, code: true } }],
      }),
    ).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'bold', children: [{ kind: 'code', children: [{ kind: 'user', id: 'U1' }] }] }],
    })
  })

  it('keeps the start number of a list', () => {
    const elements: RichText['elements'] = [
      {
        type: 'rich_text_list',
        style: 'ordered',
        indent: 2,
        offset: 4,
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'a' }] }],
      },
    ]
    expect(elements.map(toTextBlock)[0]).toMatchObject({
      kind: 'rich-list',
      ordered: true,
      indent: 2,
      start: 5,
    })
  })
})

describe('charts', () => {
  it('divide a pie into slices', () => {
    const slices = toSlices([
      { label: 'a', value: 3 },
      { label: 'b', value: 1 },
    ])
    expect(slices.map(({ share, from, to }) => [share, from, to])).toEqual([
      [0.75, 0, 0.75],
      [0.25, 0.75, 1],
    ])
    expect(slices.map(slicePath).every((path) => path.endsWith('Z') && !path.includes('NaN'))).toBe(true)
    expect(toSlices([{ label: 'all', value: 1 }]).map(slicePath)[0]).not.toContain('L')
  })

  it.each([
    [[1, 2], { low: 0, high: 2 }],
    [[-3, 2], { low: -3, high: 2 }],
    [[0], { low: 0, high: 1 }],
  ])('scale the axis for the values %j to the range %j', (values, range) => {
    expect(valueRange([{ name: 's', data: values.map((value) => ({ label: '', value })) }])).toEqual(range)
  })
})

describe('the inspector', () => {
  it.each([
    [null, '(empty)'],
    ['', '(empty)'],
    ['plain', 'plain'],
    ['{"a":1}', '{\n  "a": 1\n}'],
    [{ payload: '{"a":[1]}' }, '{\n  "payload": {\n    "a": [\n      1\n    ]\n  }\n}'],
    ['[broken', '[broken'],
  ])('formats the payload %j', (body, text) => {
    expect(formatPayload(body)).toBe(text)
  })
})

describe('the summary of a delivery', () => {
  const delivery = (kind: string, body: Json): Delivery => ({
    id: 'D1',
    direction: kind === 'chat.postMessage' ? 'from-app' : 'to-app',
    kind,
    at: '2026-11-20T12:00:00.000Z',
    durationMs: 1,
    user: null,
    request: { method: 'POST', url: '', headers: {}, body },
    response: null,
    verdict: 'ok',
    notes: [],
    retry: null,
  })

  it.each<[kind: string, body: Json, summary: string]>([
    ['command', { command: '/hc', text: 'list' }, '/hc list'],
    ['command', { command: '/hc', text: '' }, '/hc'],
    ['block_actions', { actions: [{ action_id: 'show' }] }, 'show'],
    ['block_suggestion', { action_id: 'find', value: 'ab' }, 'find ab'],
    ['view_submission', { view: { callback_id: 'form' } }, 'form'],
    ['message_action', { callback_id: 'look' }, 'look'],
    ['chat.postMessage', { channel: 'C1', text: 'x' }, 'C1'],
    ['block_actions', null, ''],
    ['block_actions', { actions: 'odd' }, ''],
  ])('for %s with %j is %j', (kind, body, summary) => {
    expect(summarize(delivery(kind, body))).toBe(summary)
  })
})

describe('status icons', () => {
  it('are split from the text without losing other characters', () => {
    expect(splitArt('🔴 down, ⚠️ slow')).toEqual([
      { text: '🔴', art: 'red' },
      { text: ' down, ' },
      { text: '⚠️', art: 'warning' },
      { text: ' slow' },
    ])
  })
})
