import { asList, objectsIn } from '../protocol/json.ts'
import {
  block,
  boolean,
  type CrossFieldRule,
  integer,
  type Kind,
  kind,
  list,
  object,
  oneOfValues,
  text,
} from './rule.ts'
import { textLength } from './text-length.ts'

const MAX_TABLE_TEXT_LENGTH = 10_000

const sameWidth: CrossFieldRule = {
  description: 'every row must have as many cells as the first',
  check(value, report) {
    const rows = asList(value.rows)
    const width = asList(rows[0]).length
    for (const [index, row] of rows.entries())
      if (asList(row).length !== width) report(`/rows/${index}`, `all rows must have ${width} cells`)
  },
}

const totalLength: CrossFieldRule = {
  description: `all cells together must have at most ${MAX_TABLE_TEXT_LENGTH} characters`,
  check(value, report) {
    if (textLength(value.rows ?? null) > MAX_TABLE_TEXT_LENGTH)
      report('/rows', `all cells together must be less than ${MAX_TABLE_TEXT_LENGTH + 1} characters`)
  },
}

const noRichTextHeader: CrossFieldRule = {
  description: "the first row (the header) can't contain rich text",
  check(value, report) {
    for (const [index, cell] of objectsIn(asList(value.rows)[0]).entries())
      if (cell.type === 'rich_text') report(`/rows/0/${index}/type`, 'unsupported type: rich_text')
  },
}

const existingHeaderColumn: CrossFieldRule = {
  description: '`row_header_column_index` must be the index of an existing column',
  check({ rows, row_header_column_index: column }, report) {
    const width = asList(asList(rows)[0]).length
    if (typeof column === 'number' && width > 0 && column >= width)
      report('/row_header_column_index', `must be less than ${width}`)
  },
}

const row = list(kind('text cell', 'rich text'), 20)
/** Only data tables document cells with numbers. */
const dataRow = list(kind('text cell', 'number cell', 'rich text'), 20)
const source = 'reference/block-kit/blocks/table-block'

export const TABLES: readonly Kind[] = [
  block(
    'table',
    ['message'],
    {
      'rows!': list(row, 100),
      column_settings: list({ type: 'nullable', of: kind('column settings') }, 20, 0),
    },
    {
      crossFieldRules: [sameWidth, totalLength],
      openQuestion:
        'Slack doesn’t document whether it refuses rows of unequal length. The playground refuses them.',
    },
  ),
  object(
    'column settings',
    source,
    { align: oneOfValues('left', 'center', 'right'), is_wrapped: boolean },
    { family: 'cell' },
  ),
  block(
    'data_table',
    ['message'],
    {
      'caption!': text(255),
      'rows!': list(dataRow, 101, 2),
      page_size: integer(1, 100),
      row_header_column_index: integer(0, 19),
    },
    {
      crossFieldRules: [sameWidth, noRichTextHeader, existingHeaderColumn, totalLength],
      openQuestion:
        "Sources disagree: one allows 200 rows, and data tables in modals. The maximum length of a caption isn't documented.",
    },
  ),
  object('text cell', source, { 'text!': text(MAX_TABLE_TEXT_LENGTH) }, { family: 'cell', type: 'raw_text' }),
  object(
    'number cell',
    'reference/block-kit/blocks/data-table-block',
    { 'value!': { type: 'number' }, 'text!': text(100) },
    {
      family: 'cell',
      type: 'raw_number',
      openQuestion:
        "Sources disagree: one says that `text` is optional. Its maximum length isn't documented.",
    },
  ),
]
