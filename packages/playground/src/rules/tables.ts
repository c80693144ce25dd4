import { fieldsOf, listOf } from '../json.ts'
import { among, anything, fields, flag, type Kind, kind, list, type Together, text, whole } from './rule.ts'
import { textLength } from './text-length.ts'

const CELL_CHARACTERS = 10_000

const sameWidth: Together = {
  says: 'every row has as many cells as the first',
  check(value, fault) {
    const rows = listOf(value.rows)
    const width = listOf(rows[0]).length
    for (const [index, row] of rows.entries())
      if (listOf(row).length !== width) fault(`/rows/${index}`, `all rows must have ${width} cells`)
  },
}

const fewCharacters: Together = {
  says: `all cells together have at most ${CELL_CHARACTERS} characters`,
  check(value, fault) {
    if (textLength(value.rows ?? null) > CELL_CHARACTERS)
      fault('/rows', `all cells together must be less than ${CELL_CHARACTERS + 1} characters`)
  },
}

const plainHeader: Together = {
  says: 'the first row, the header, holds no rich text',
  check(value, fault) {
    for (const [index, cell] of fieldsOf(listOf(value.rows)[0]).entries())
      if (cell.type === 'rich_text') fault(`/rows/0/${index}/type`, 'unsupported type: rich_text')
  },
}

const headerColumn: Together = {
  says: '`row_header_column_index` is a column that there is',
  check({ rows, row_header_column_index: column }, fault) {
    const width = listOf(listOf(rows)[0]).length
    if (typeof column === 'number' && width > 0 && column >= width)
      fault('/row_header_column_index', `must be less than ${width}`)
  },
}

const cell = kind('text cell', 'number cell', 'rich text')
const row = list(cell, 20)
const block = { 'type!': anything, block_id: text(255) }
const HEAD = [
  { type: 'raw_text', text: 'Name' },
  { type: 'raw_text', text: 'Count' },
]
const ROW = [
  { type: 'raw_text', text: 'api' },
  { type: 'raw_number', value: 3, text: '3' },
]
const ROWS = [HEAD, ROW]

export const TABLES: readonly Kind[] = [
  {
    name: 'table',
    family: 'block',
    type: 'table',
    surfaces: ['message'],
    fields: fields({
      ...block,
      'rows!': list(row, 100),
      column_settings: list({ is: 'null or', of: kind('column settings') }, 20, 0),
    }),
    together: [sameWidth, fewCharacters],
    source: 'block-kit/blocks/table-block',
    unsettled: 'Whether Slack refuses rows of unequal length is not known; a table is refused here.',
    example: {
      type: 'table',
      block_id: 'b',
      rows: ROWS,
      column_settings: [{ align: 'right', is_wrapped: true }, null],
    },
  },
  {
    name: 'column settings',
    family: 'cell',
    fields: fields({ align: among('left', 'center', 'right'), is_wrapped: flag }),
    source: 'block-kit/blocks/table-block',
    example: { align: 'right', is_wrapped: true },
  },
  {
    name: 'data table',
    family: 'block',
    type: 'data_table',
    surfaces: ['message'],
    fields: fields({
      ...block,
      'caption!': text(255),
      'rows!': list(row, 101, 2),
      page_size: whole(1, 100),
      row_header_column_index: whole(0, 19),
    }),
    together: [sameWidth, plainHeader, headerColumn, fewCharacters],
    source: 'block-kit/blocks/data-table-block',
    unsettled: 'One source takes 200 rows, and data tables in modals; how long a caption may be is not said.',
    example: {
      type: 'data_table',
      block_id: 'b',
      caption: 'Checks',
      rows: ROWS,
      page_size: 10,
      row_header_column_index: 1,
    },
  },
  {
    name: 'text cell',
    family: 'cell',
    type: 'raw_text',
    fields: fields({ 'type!': anything, 'text!': text(CELL_CHARACTERS) }),
    source: 'block-kit/blocks/table-block',
    example: { type: 'raw_text', text: 'api' },
  },
  {
    name: 'number cell',
    family: 'cell',
    type: 'raw_number',
    fields: fields({ 'type!': anything, 'value!': { is: 'number' }, 'text!': text(100) }),
    source: 'block-kit/blocks/data-table-block',
    unsettled: 'One source lets `text` be left out; how long it may be is not said.',
    example: { type: 'raw_number', value: 3, text: '3' },
  },
]
