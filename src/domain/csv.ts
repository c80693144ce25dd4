import { stringify } from 'csv-stringify/sync'

/** The mark by which spreadsheets know UTF-8. */
export const BOM = '\ufeff'

/**
 * What a spreadsheet takes for the start of a formula, in either width: OWASP's list
 * (https://owasp.org/www-community/attacks/CSV_Injection, November 2026), with `|` and `%`, which old ones take too, and past
 * the spaces, quotes and invisible characters that some of them skip. Apostrophes are skipped as well, so that the one put in front can be told.
 */
const FORMULA = /^(?:[\s\p{Cf}"'\u2018\u2019\u201c\u201d]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n])/u
/** What a spreadsheet may part cells at, where the comma parts none. */
const PARTING = /[;\t|\r\n]/
/** What stands before a formula within a cell, from its beginning: a long run is looked at once. */
const BEFORE_FORMULA = /(?<![;|\s\p{Cf}"'])[;|\s\p{Cf}"']+(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/gu

/** A cell that no spreadsheet computes: an apostrophe stands before each formula. `restored` takes exactly those away. */
export function neutral(cell: string): string {
  const inside = cell.replace(BEFORE_FORMULA, (run) => (PARTING.test(run) ? `${run}'` : run))
  return FORMULA.test(inside) ? `'${inside}` : inside
}

/** What `neutral` was given. */
export function restored(cell: string): string {
  if (!cell.includes("'")) return cell
  const inside = cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
  return inside.replace(BEFORE_FORMULA, (run) =>
    run.endsWith("'") && PARTING.test(run) ? run.slice(0, -1) : run,
  )
}

/** Records as lines of a file, CRLF between them (RFC 4180), every cell neutral; space around a cell is quoted with it. */
export const csvText = (records: readonly (readonly string[])[]): string =>
  stringify(
    records.map((cells) => cells.map(neutral)),
    // Left alone, it quotes a cell for the line end of its own kind only.
    { record_delimiter: 'windows', quoted_match: /[\r\n]|^\s|\s$/ },
  )
