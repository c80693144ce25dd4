import { stringify } from 'csv-stringify/sync'

/** The mark by which spreadsheets know UTF-8. */
export const BOM = '\ufeff'

/**
 * What a spreadsheet takes for the start of a formula, in either width: OWASP's list
 * (https://owasp.org/www-community/attacks/CSV_Injection, November 2026), with `|` and `%`, which old ones take too, and past
 * the spaces and quotes that some of them skip. Apostrophes are skipped as well, so that the one put in front can be told.
 */
const FORMULA = /^(?:[\s"'\u2018\u2019\u201c\u201d]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n])/
/** The same behind what a spreadsheet may part cells at, where the comma parts none. */
const FORMULA_WITHIN = /([;\t|\r\n][\s"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const NEUTRAL_WITHIN = /([;\t|\r\n][\s"']*)'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** A cell that no spreadsheet computes: an apostrophe stands before each formula. `restored` takes exactly those away. */
export function neutral(cell: string): string {
  const inside = cell.replace(FORMULA_WITHIN, "$1'")
  return FORMULA.test(inside) ? `'${inside}` : inside
}

/** What `neutral` was given. */
export function restored(cell: string): string {
  if (!cell.includes("'")) return cell
  const inside = cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
  return inside.replace(NEUTRAL_WITHIN, '$1')
}

/** Records as lines of a file, CRLF between them (RFC 4180), every cell neutral; space around a cell is quoted with it. */
export const csvText = (records: readonly (readonly string[])[]): string =>
  stringify(
    records.map((cells) => cells.map(neutral)),
    // Left alone, it quotes a cell for the line end of its own kind only.
    { record_delimiter: 'windows', quoted_match: /[\r\n]|^\s|\s$/ },
  )
