import { fieldsOf, listOf } from '../json.ts'
import { among, block, flag, type Kind, kind, list, part, type Together, text, whole } from './rule.ts'
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
  says: 'the first row (the header) contains no rich text',
  check(value, fault) {
    for (const [index, cell] of fieldsOf(listOf(value.rows)[0]).entries())
      if (cell.type === 'rich_text') fault(`/rows/0/${index}/type`, 'unsupported type: rich_text')
  },
}

const headerColumn: Together = {
  says: '`row_header_column_index` is the index of an existing column',
  check({ rows, row_header_column_index: column }, fault) {
    const width = listOf(listOf(rows)[0]).length
    if (typeof column === 'number' && width > 0 && column >= width)
      fault('/row_header_column_index', `must be less than ${width}`)
  },
}

const row = list(kind('text cell', 'number cell', 'rich text'), 20)
const source = 'block-kit/blocks/table-block'

export const TABLES: readonly Kind[] = [
  block(
    'table',
    ['message'],
    {
      'rows!': list(row, 100),
      column_settings: list({ is: 'null or', of: kind('column settings') }, 20, 0),
    },
    {
      together: [sameWidth, fewCharacters],
      unsettled: "Whether Slack refuses rows of unequal length isn't known. The playground refuses them.",
    },
  ),
  part(
    'column settings',
    source,
    { align: among('left', 'center', 'right'), is_wrapped: flag },
    { family: 'cell' },
  ),
  block(
    'data_table',
    ['message'],
    {
      ...{ 'caption!': text(255), 'rows!': list(row, 101, 2) },
      ...{ page_size: whole(1, 100), row_header_column_index: whole(0, 19) },
    },
    {
      together: [sameWidth, plainHeader, headerColumn, fewCharacters],
      unsettled:
        "One source allows 200 rows, and data tables in modals. The maximum length of a caption isn't documented.",
    },
  ),
  part('text cell', source, { 'text!': text(CELL_CHARACTERS) }, { family: 'cell', type: 'raw_text' }),
  part(
    'number cell',
    'block-kit/blocks/data-table-block',
    { 'value!': { is: 'number' }, 'text!': text(100) },
    {
      ...{ family: 'cell', type: 'raw_number' },
      unsettled: "One source says that `text` is optional. Its maximum length isn't documented.",
    },
  ),
]
