import type { Alert } from '../../api/alerts.ts'
import type { HealthCheck } from '../../api/health-checks.ts'
import type { Environment } from '../../api/service.ts'
import { header, section } from '../../blocks/layout.ts'
import { oneLine } from '../../blocks/text.ts'
import type { Modal } from '../../slack/routes.ts'
import { badge, counted, nameOf } from './views.ts'

/** A section holds 3,000 characters; addresses are at most 254 each, so this leaves no line cut. */
const SECTION = 2700

/** Every recipient of an alert in a window, one per line; past a hundred sections the window says what is left out. */
export function allRecipientsModal(check: HealthCheck, alert: Alert, environment: Environment): Modal {
  const of = `of alert ${alert.id} of “${nameOf(check)}”${badge(environment)}`
  return {
    title: 'Recipients',
    blocks: [
      header(counted(alert.recipients.length)),
      section(`The recipients ${of}.`),
      ...chunks(alert.recipients).map((text) => section(text)),
    ],
  }
}

function chunks(addresses: readonly string[]): string[] {
  const found: string[] = []
  let current = ''
  for (const address of addresses) {
    const line = oneLine(address)
    if (current && current.length + line.length >= SECTION) {
      found.push(current)
      current = ''
    }
    current += current ? `\n${line}` : line
  }
  return current ? [...found, current] : found
}
