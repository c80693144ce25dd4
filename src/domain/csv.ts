import { stringify } from 'csv-stringify/sync'

/** The byte order mark by which spreadsheets recognize UTF-8. */
export const BOM = '\ufeff'

/**
 * Matches a cell that a spreadsheet would treat as a formula. The first characters, in half and full width, are OWASP's list
 * (https://owasp.org/www-community/attacks/CSV_Injection, November 2026), plus `|` and `%` for old spreadsheets. Spaces, quotes,
 * and invisible characters before them are skipped, as some spreadsheets do, and so is the apostrophe that `neutralizeCell` adds.
 */
const FORMULA = /^(?:[\s\p{Cf}"'\u2018\u2019\u201c\u201d]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n])/u
/** Separators other than the comma at which a spreadsheet may split cells. */
const SEPARATOR = /[;\t|\r\n]/
/** The separators, spaces, and quotes before a formula inside a cell. Matches only a whole run, so that it is scanned once. */
const BEFORE_FORMULA = /(?<![;|\s\p{Cf}"'])[;|\s\p{Cf}"']+(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/gu

/** Adds an apostrophe before each formula in a cell, so that no spreadsheet computes it. `restoreCell` removes exactly those. */
export function neutralizeCell(cell: string): string {
  const inside = cell.replace(BEFORE_FORMULA, (run) => (SEPARATOR.test(run) ? `${run}'` : run))
  return FORMULA.test(inside) ? `'${inside}` : inside
}

/** Restores the text that was passed to `neutralizeCell`. */
export function restoreCell(cell: string): string {
  if (!cell.includes("'")) return cell
  const inside = cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
  return inside.replace(BEFORE_FORMULA, (run) =>
    run.endsWith("'") && SEPARATOR.test(run) ? run.slice(0, -1) : run,
  )
}

/** Writes records as CSV, with CRLF (RFC 4180) and neutralized cells. Quotes cells with leading or trailing space. */
export const csvText = (records: Records): string =>
  stringify(
    records.map((cells) => cells.map(neutralizeCell)),
    // By default, the library quotes a cell only if it contains the kind of line break that it writes.
    { record_delimiter: 'windows', quoted_match: /[\r\n]|^\s|\s$/ },
  )

type Records = readonly (readonly string[])[]

/** Builds a CSV file from pages of records, so that other requests run in between. */
export async function buildCsv(
  { name, title }: { readonly name: string; readonly title: string },
  pages: AsyncIterable<Records> | Iterable<Records>,
) {
  const parts = [Buffer.from(BOM)]
  for await (const records of pages) parts.push(Buffer.from(csvText(records)))
  const body = Buffer.concat(parts)
  return { name, title, bytes: body.length, body }
}
