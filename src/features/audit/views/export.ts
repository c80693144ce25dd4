import { section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { literal } from '../../../blocks/text.ts'
import { counted } from '../../../domain/wording.ts'
import { type AuditFilters, filtersLine } from '../parse.ts'

/** The direct message while the file is made. */
export function exportingView(rows: number): Message {
  const sentence = `Exporting ${counted(rows, 'row')} of the audit log…`
  return message(sentence, section(sentence))
}

/** The direct message above the file. */
export function exportedView(rows: number, filters: AuditFilters): Message {
  const narrowed = filtersLine(filters)
  const sentence = `${counted(rows, 'row')} of the audit log, oldest first, one JSON object a line.${narrowed ? ` Only: ${narrowed}.` : ''}`
  return message(literal(sentence), section(sentence))
}

/** The answer in the place where it was asked for. */
export function sentView(rows: number): Message {
  const sentence = `The file with ${counted(rows, 'row')} is in your direct messages with Signalman.`
  return message(sentence, section(sentence))
}
