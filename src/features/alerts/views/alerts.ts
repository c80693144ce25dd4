import type { KnownBlock } from '@slack/types'
import type { Alert } from '../../../api/alerts.ts'
import type { HealthCheck } from '../../../api/health-checks.ts'
import { checkName } from '../../../blocks/checks.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { age, utc } from '../../../blocks/dates.ts'
import { type Fact, factLines, facts } from '../../../blocks/facts.ts'
import { actions, context, divider, header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { date, type FactValue, words } from '../../../blocks/rich-text.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted, listed } from '../../../domain/wording.ts'

const ALERTS_ON_A_PAGE = 8
const RECIPIENTS_SHOWN = 5
const ADDRESS = 100

/** `3 recipients`. */
export const recipientCount = (count: number): string => counted(count, 'recipient')

/** The first `most` addresses, and how many more there are. */
export const addressList = (addresses: readonly string[], most: number): string =>
  listed(addresses, most, (address) => clip(oneLine(address), ADDRESS))

/** The alerts of a check, `page` from 1; a page past the end shows the last one. */
export function alertsView(
  check: HealthCheck,
  alerts: readonly Alert[],
  { page, environment, now }: { page: number; environment: Environment; now: Date },
): Message {
  const pages = Math.max(1, Math.ceil(alerts.length / ALERTS_ON_A_PAGE))
  const current = Math.min(Math.max(1, page), pages)
  const shown = alerts.slice((current - 1) * ALERTS_ON_A_PAGE, current * ALERTS_ON_A_PAGE)
  const title = `Alerts of ${checkName(check)}${badgeOf(environment)}`
  const count = counted(alerts.length, 'alert')
  const place =
    alerts.length === 0
      ? 'There are none: nobody is mailed when the status of this health check changes.'
      : `${count}${pages > 1 ? ` · page ${current} of ${pages}` : ''}`
  const asOf = [environment === 'ote' && 'OTE test environment', `As of ${utc(now)}`]
  const line = (to: number): string => `/hc alerts ${quoted(check.uuid)} --page ${to}`
  return message(
    literal([`${title}: ${place}`, ...shown.map((alert) => factLines(alertFacts(alert, now)))].join('\n')),
    header(title),
    section(place),
    shown.flatMap((alert) => alertBlocks(check.uuid, alert, now)),
    divider(),
    actions(
      ...(current > 1 ? [commandButton('Previous', line(current - 1), { inPlace: true })] : []),
      ...(current < pages ? [commandButton('Next', line(current + 1), { inPlace: true })] : []),
      commandButton('Add alert', `/hc alert-add ${quoted(check.uuid)}`),
      commandButton('Back to the check', `/hc show ${quoted(check.uuid)}`),
      commandButton('Refresh', line(current), { inPlace: true }),
    ),
    context(asOf.filter(Boolean).join(' · ')),
  )
}

function alertBlocks(uuid: string, alert: Alert, now: Date): KnownBlock[] {
  const isCut = alert.recipients.length > RECIPIENTS_SHOWN
  const at = `${quoted(uuid)} ${alert.id}`
  const spoken = (what: string) => ({ spoken: `${what} of alert ${alert.id}` })
  if (alert.id === '') return [facts(alertFacts(alert, now))]
  return [
    facts(alertFacts(alert, now)),
    ...actions(
      commandButton('Edit recipients', `/hc alert-edit ${at}`, spoken('Edit recipients')),
      ...(isCut
        ? [commandButton('All recipients', `/hc alert-recipients ${at}`, spoken('All recipients'))]
        : []),
      commandButton('Remove', `/hc alert-remove ${at}`, {
        style: 'danger',
        spoken: `Remove alert ${alert.id}`,
      }),
    ),
  ]
}

function alertFacts({ id, type, recipients, unreadable = 0, ...alert }: Alert, now: Date): Fact[] {
  const nobody = unreadable > 0 ? 'none that can be read' : 'nobody is mailed'
  return [
    ['Alert', `${id || 'without an id that can be read'}, ${typeWords(type)}`],
    [recipientCount(recipients.length), addressList(recipients, RECIPIENTS_SHOWN) || nobody],
    ['Not understood', unreadable > 0 ? `${unreadable} of its parts: ${AT_THE_SERVICE}` : undefined],
    ['Created', changed(alert.createdAt, alert.createdBy, now)],
    ['Last changed', changed(alert.modifiedAt, alert.modifiedBy, now)],
  ]
}

const AT_THE_SERVICE = 'it can only be changed at the service itself'

function typeWords(type: string): string {
  if (type === 'EMAIL') return 'by e-mail'
  return type ? `of type ${clip(oneLine(type), 50)}` : 'of a type that the service did not tell'
}

function changed(at: Date | undefined, by: string | undefined, now: Date): FactValue | undefined {
  const who = by && `by ${clip(oneLine(by), 100)}`
  if (!at) return who
  return [date(at), words(` (${age(at, now)} ago)${who ? ` ${who}` : ''}`)]
}
