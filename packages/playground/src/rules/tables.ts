import { asList } from '../protocol/json.ts'
import {
  block,
  boolean,
  type CrossFieldRule,
  type Kind,
  kind,
  list,
  object,
  oneOfValues,
  text,
} from './rule.ts'
import { textLength } from './text-length.ts'

const MAX_TABLE_TEXT_LENGTH = 10_000

/** Slack doesn't document whether it refuses rows of unequal length. */
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

const row = list(kind('text cell', 'rich text'), 20)
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
    },
  ),
  object(
    'column settings',
    source,
    { align: oneOfValues('left', 'center', 'right'), is_wrapped: boolean },
    { family: 'cell' },
  ),
  object('text cell', source, { 'text!': text(MAX_TABLE_TEXT_LENGTH) }, { family: 'cell', type: 'raw_text' }),
]
