import type { ThreatEvent } from '../../../api/threat-event.ts'
import { oneLine } from '../../../blocks/text.ts'
import type { Indicators } from './indicators.ts'

const HEAD = ['kind', 'value', 'found in', 'name', 'threat event', 'type', 'criticality', 'brand', 'date']

/** What spreadsheets take for the start of a formula, in either width, past spaces and quotes. */
const FORMULA = /^[\s"'\u2018\u2019\u201c\u201d]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/
/** The same behind what a spreadsheet may take for a separator, in a place where the comma is none. */
const FORMULA_WITHIN = /([;\t|][\s"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** A cell that no spreadsheet runs: an apostrophe makes text of it, the quotes keep it in one piece. */
export function cellOf(text: string): string {
  const line = oneLine(text).replace(FORMULA_WITHIN, "$1'")
  const inert = FORMULA.test(line) ? `'${line}` : line
  return `"${inert.replaceAll('"', '""')}"`
}

/** The indicators as CSV (RFC 4180) in UTF-8, with the byte order mark that spreadsheets know it by. */
export function csvOf(id: string, event: ThreatEvent, { all }: Indicators): string {
  const about = [
    id,
    event.type ?? '',
    event.criticality?.level ?? event.criticality?.name ?? '',
    event.brand?.name ?? '',
    event.date?.toISOString() ?? '',
  ]
  const rows = all.map(({ kind, value, source, name = '' }) => [kind, value, source, name, ...about])
  return `\ufeff${[HEAD, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`
}
