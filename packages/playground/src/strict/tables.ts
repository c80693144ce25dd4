import { isFields, listOf, stringOf } from '../json.ts'
import type { Json } from '../protocol.ts'
import { richText } from './rich-text.ts'
import {
  all,
  among,
  anything,
  byType,
  fault,
  finite,
  flag,
  list,
  nullable,
  object,
  type Rule,
  type Shape,
  text,
  whole,
} from './rules.ts'

const CELL_CHARACTERS = 10_000

const rawText = object({ 'type!': anything, 'text!': text(CELL_CHARACTERS) })
const rawNumber = object({ 'type!': anything, 'value!': finite, 'text!': text(100) })
const cell = byType({ raw_text: rawText, raw_number: rawNumber, rich_text: richText })
const headerCell = byType({ raw_text: rawText, raw_number: rawNumber })

/** All `text` strings in a value, added up in code points. */
export function textLength(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + textLength(each), 0)
  if (!isFields(value)) return 0
  return Object.entries(value).reduce(
    (sum, [name, inner]) =>
      sum + (name === 'text' && typeof inner === 'string' ? [...inner].length : textLength(inner)),
    0,
  )
}

const sameWidth: Rule = (value, at, check) => {
  if (!isFields(value)) return
  const rows = listOf(value.rows)
  const width = listOf(rows[0]).length
  for (const [index, row] of rows.entries())
    if (listOf(row).length !== width) fault(check, `${at}/rows/${index}`, `all rows must have ${width} cells`)
}

const fewCharacters: Rule = (value, at, check) => {
  if (isFields(value) && textLength(value.rows ?? null) > CELL_CHARACTERS)
    fault(check, `${at}/rows`, `all cells together must be less than ${CELL_CHARACTERS + 1} characters`)
}

const column = nullable(object({ align: among('left', 'center', 'right'), is_wrapped: flag }))

/** https://docs.slack.dev/reference/block-kit/blocks/table-block (November 2026). */
export const table = (base: Shape): Rule =>
  all(
    object({ ...base, 'rows!': list(list(cell, 20), 100), column_settings: list(column, 20, 0) }),
    sameWidth,
    fewCharacters,
  )

const headerFirst: Rule = (value, at, check) => {
  if (!isFields(value)) return
  for (const [index, each] of listOf(listOf(value.rows)[0]).entries())
    if (isFields(each) && stringOf(each.type) === 'rich_text')
      headerCell(each, `${at}/rows/0/${index}`, check)
}

/** https://docs.slack.dev/reference/block-kit/blocks/data-table-block (November 2026): a header and 1 to 100 rows. */
export const dataTable = (base: Shape): Rule =>
  all(
    object({
      ...base,
      'caption!': text(255),
      'rows!': list(list(cell, 20), 101, 2),
      page_size: whole(1, 100),
      row_header_column_index: whole(0, 19),
    }),
    sameWidth,
    headerFirst,
    fewCharacters,
  )
