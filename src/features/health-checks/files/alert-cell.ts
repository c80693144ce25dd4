import { readRecipients } from '../../../domain/recipients.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'

/** Stands for alerts that could not be read whole: whoever reads it back leaves them as they are. */
const UNREADABLE = '?'

/** The alerts of a check in one cell: commas between the recipients of one, semicolons between alerts. */
export const alertCell = (alerts: readonly Alert[]): string =>
  isReadBack(alerts) ? cellOf(alerts) : UNREADABLE

const cellOf = (alerts: readonly Alert[]): string =>
  alerts.map(({ recipients }) => recipients.join(', ')).join('; ')

/** Whether a file can say these alerts: whoever reads it back gets the same ones. */
export function isReadBack(alerts: readonly Alert[]): boolean {
  if (alerts.some(({ type, unreadable }) => unreadable || (type || 'EMAIL') !== 'EMAIL')) return false
  const read = readAlertCell(cellOf(alerts))
  const found = 'alerts' in read ? (read.alerts ?? []) : []
  const listsOf = (some: readonly Pick<AlertBody, 'recipients'>[]): string =>
    JSON.stringify(some.map(({ recipients }) => recipients))
  return listsOf(found) === listsOf(alerts)
}

/** What a cell of alerts asks for; undefined to leave them as they are, or what is wrong with it. */
export function readAlertCell(cell: string): { alerts: AlertBody[] | undefined } | { says: string } {
  if (cell.trim() === UNREADABLE) return { alerts: undefined }
  const alerts: AlertBody[] = []
  for (const one of cell.split(/[;\n]+/)) {
    const { addresses, bad } = readRecipients(one)
    const [first] = bad
    if (first) return { says: `“${first.typed.slice(0, 60)}” ${first.reason}.` }
    if (addresses.length > 0) alerts.push({ type: 'EMAIL', recipients: addresses })
  }
  return { alerts }
}
