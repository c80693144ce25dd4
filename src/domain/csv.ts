import { stringify } from 'csv-stringify/sync'

/** The byte order mark by which spreadsheets recognize UTF-8. */
export const BOM = '\ufeff'

/**
 * What a spreadsheet treats as the start of a formula, in either width: OWASP's list
 * (https://owasp.org/www-community/attacks/CSV_Injection, November 2026), plus `|` and `%` for old ones, and after any
 * spaces, quotes, and invisible characters that some skip. Apostrophes are skipped too, so that the one added here can be
 * recognized.
 */
const FORMULA = /^(?:[\s\p{Cf}"'\u2018\u2019\u201c\u201d]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n])/u
/** Characters at which a spreadsheet may split cells that the comma doesn't. */
const PARTING = /[;\t|\r\n]/
/** What comes before a formula within a cell, from its start, so that a long run is scanned once. */
const BEFORE_FORMULA = /(?<![;|\s\p{Cf}"'])[;|\s\p{Cf}"']+(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/gu

/** Makes a cell that no spreadsheet computes, by adding an apostrophe before each formula. `restored` removes exactly those. */
export function neutral(cell: string): string {
  const inside = cell.replace(BEFORE_FORMULA, (run) => (PARTING.test(run) ? `${run}'` : run))
  return FORMULA.test(inside) ? `'${inside}` : inside
}

/** The text that `neutral` was given. */
export function restored(cell: string): string {
  if (!cell.includes("'")) return cell
  const inside = cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
  return inside.replace(BEFORE_FORMULA, (run) =>
    run.endsWith("'") && PARTING.test(run) ? run.slice(0, -1) : run,
  )
}

/** Records as lines of a file, with CRLF (RFC 4180) and neutralized cells; cells with leading or trailing space are quoted. */
export const csvText = (records: readonly (readonly string[])[]): string =>
  stringify(
    records.map((cells) => cells.map(neutral)),
    // By default it quotes a cell only for its own kind of line end.
    { record_delimiter: 'windows', quoted_match: /[\r\n]|^\s|\s$/ },
  )
