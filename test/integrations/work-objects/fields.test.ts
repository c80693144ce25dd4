import { actions, card, commandButton, header, section } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { describe, expect, it } from 'vitest'
import { buildPaneFields, type Clock, formatTime } from '../../../src/integrations/work-objects/fields.ts'

const now = new Date('2026-11-21T00:30:00Z')
const clock: Clock = { timeZone: 'America/New_York', now }
const readFields = (answers: KnownBlock[][], lines: string[] = ['/cert-order show 1']) => {
  const { fields, custom_fields = [] } = buildPaneFields(answers, { name: 'Order', clock, lines })
  const rows = custom_fields.map(({ label, value }) => [label, value])
  return { status: fields && 'status' in fields ? fields.status?.value : undefined, rows, custom_fields }
}

it.each([
  ['2026-11-21T00:19:00Z', 'America/New_York', 'today 7:19 PM'],
  ['2026-11-20T04:59:00Z', 'America/New_York', 'yesterday 11:59 PM'],
  ['2026-11-21T00:19:00Z', 'Asia/Kolkata', 'today 5:49 AM'],
  ['2026-03-29T12:00:00Z', 'Europe/Paris', 'Mar 29 2:00 PM'],
  ['2024-12-31T23:30:00Z', 'Europe/Paris', 'Jan 1, 2025 12:30 AM'],
  ['2026-11-22T15:00:00Z', 'Etc/UTC', 'Nov 22 3:00 PM'],
  ['2026-11-21T00:19:00Z', 'Mars/Olympus', '2026-11-21 00:19 UTC'],
  ['2026-11-21T00:19:00Z', undefined, '2026-11-21 00:19 UTC'],
])('formats %s in %s as %s', (at, timeZone, expected) => {
  expect(formatTime(Date.parse(at) / 1000, { timeZone, now })).toBe(expected)
})

describe('a response as a Work Object', () => {
  it('has a status, labeled values, and dates in the reader’s time zone', () => {
    const { blocks } = card({
      headline: ['Order 1 waits', ' · since ', new Date('2026-11-21T00:19:00Z')],
      notes: ['Look at this', 'and this'],
      facts: [
        ['Ends', new Date('2026-11-24T00:19:00Z')],
        ['Approved by', ['ann, ', new Date('2026-11-21T00:20:00Z')]],
        ['Names', `${'a.example, '.repeat(40)}`],
      ],
    })
    expect(readFields([blocks])).toMatchObject({
      status: 'Order 1 waits',
      rows: [
        ['Order', 'since today 7:19 PM\nLook at this\nand this'],
        ['Ends', Date.parse('2026-11-24T00:19:00Z') / 1000],
        ['Approved by', 'ann, today 7:20 PM'],
        ['Names', expect.stringMatching(/^a\.example, /)],
      ],
    })
  })

  it('is shown literally, even if it contains markup', () => {
    const hostile = '<!channel> *bold* [x](https://evil.example) <@U1> &lt; \u202e'
    const { blocks } = card({ headline: ['A', ' b'], notes: [hostile], facts: [['Name', hostile]] })
    const { rows, custom_fields } = readFields([blocks])
    for (const [, value] of rows)
      expect(String(value)).toContain('<!channel> *bold* [x](https://evil.example) <@U1> &lt; [U+202E]')
    expect(custom_fields.every((field) => !('format' in field))).toBe(true)
  })

  it('labels a second answer with its subject, without repeating fields of the first', () => {
    const first = card({ headline: ['One', ''], facts: [['Key', 'EC']] }).blocks
    const second = [
      header('Two'),
      section('line'),
      ...card({ headline: 'x', facts: [['Key', 'EC']], smallPrint: ['s'] }).blocks,
    ]
    expect(readFields([first, second]).rows).toEqual([
      ['Key', 'EC'],
      ['Two', 'line'],
      ['Notes', 's'],
      ['Order', 'x'],
    ])
  })

  it('says how to see the rest if it leaves something out', () => {
    const facts = Array.from({ length: 60 }, (_, index) => [`Label ${index}`, 'x'.repeat(10)] as const)
    const longCard = card({
      headline: ['A', ' b'],
      notes: ['y'.repeat(2900), 'z'.repeat(2900)],
      facts,
    }).blocks
    const { rows } = readFields([longCard])
    expect(rows).toHaveLength(51)
    expect(rows.slice(0, 2).map(([, value]) => String(value).at(-1))).toEqual(['y', 'z'])
    expect(rows.at(-1)).toEqual(['In full', '/cert-order show 1'])
    const paged = [section('a'), ...actions(commandButton('Next', '/cert-order csr 1 --from 101'))]
    expect(readFields([paged]).rows).toEqual([['In full', '/cert-order show 1']])
  })
})
