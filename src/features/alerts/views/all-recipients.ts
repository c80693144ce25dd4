import type { Alert } from '../../../api/alerts.ts'
import type { HealthCheck } from '../../../api/health-checks.ts'
import { checkName } from '../../../blocks/checks.ts'
import { context, header, section } from '../../../blocks/layout.ts'
import { clip, oneLine } from '../../../blocks/text.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { recipientCount } from './alerts.ts'

/** A section holds 3,000 characters and an address at most 254, so that no line is cut. */
const SECTION = 2700
/** Slack refuses windows of more than 250 KB. */
const WINDOW_BYTES = 150_000

/** Every recipient of an alert in a window, one per line; what is too much for a window is counted at its end. */
export function allRecipientsModal(check: HealthCheck, alert: Alert, environment: Environment): Modal {
  const { recipients } = alert
  const { texts, left } = columns(recipients)
  return {
    title: 'Recipients',
    blocks: [
      header(recipientCount(recipients.length)),
      section(`The recipients of alert ${alert.id} of “${checkName(check)}”${badgeOf(environment)}.`),
      texts.map((text) => section(text)),
      left > 0 ? [context(`And ${left} more: too much for one window.`)] : [],
    ],
  }
}

function columns(addresses: readonly string[]): { texts: string[]; left: number } {
  const texts: string[][] = []
  let length = SECTION
  let bytes = 0
  for (const [index, address] of addresses.entries()) {
    const line = clip(oneLine(address), 260)
    bytes += Buffer.byteLength(line) + 2
    if (bytes > WINDOW_BYTES) return { texts: joined(texts), left: addresses.length - index }
    length += line.length + 1
    if (length > SECTION) {
      texts.push([])
      length = line.length
    }
    texts.at(-1)?.push(line)
  }
  return { texts: joined(texts), left: 0 }
}

const joined = (texts: readonly string[][]): string[] => texts.map((lines) => lines.join('\n'))
