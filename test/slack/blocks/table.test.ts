import { checkMessage } from '@signalman/playground'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../../packages/slack/src/blocks/limits.ts'
import { table } from '../../../packages/slack/src/blocks/table.ts'

const readCells = (block: ReturnType<typeof table>) =>
  block.rows.map((row) => row.map((cell) => ('text' in cell ? cell.text : '')))

describe('a table', () => {
  it('has its header first, and never parses a cell as markup', () => {
    const block = table(['Name', 'Value'], [['<!channel>', '*a*\n:boom:']])
    expect(block.rows.flat().every((cell) => cell.type === 'raw_text')).toBe(true)
    expect(readCells(block)).toEqual([
      ['Name', 'Value'],
      ['<!channel>', '*a* :boom:'],
    ])
  })

  it('fills missing and empty cells, because Slack rejects cells without text', () => {
    expect(readCells(table(['A', 'B'], [['', 'x', 'too much'], []]))).toEqual([
      ['A', 'B'],
      ['–', 'x'],
      ['–', '–'],
    ])
  })

  it.each([
    { name: 'rows', columns: 2, rows: 5000, cell: 'x', shown: 99 },
    { name: 'characters', columns: 10, rows: 99, cell: 'y'.repeat(400), shown: 2 },
    { name: 'columns', columns: 40, rows: 1, cell: 'x', shown: 1 },
    { name: 'one huge cell', columns: 1, rows: 1, cell: 'z'.repeat(2_000_000), shown: 1 },
  ])('stays within Slack’s limits: $name', ({ columns, rows, cell, shown }) => {
    const row = Array.from({ length: columns }, () => cell)
    const block = table(
      row.map(() => 'head'),
      Array.from({ length: rows }, () => row),
    )
    expect(block.rows.length - 1).toBe(shown)
    expect(block.rows[0]?.length).toBe(Math.min(columns, LIMITS.tableColumns))
    expect(checkMessage({ text: 'x', blocks: [structuredClone(block) as never] })).not.toHaveProperty('error')
  })
})
