import {
  type Choice,
  card,
  clip,
  commandButton,
  commandMenu,
  type Fact,
  facts,
  type Message,
  oneLine,
} from '@signalman/slack'
import type { AlertsChanged } from '../../bot/ports.ts'
import { checkName, formatTimeAndAuthor } from '../../bot/views/check-facts.ts'
import { describePage, listPage, neighborPages, slicePage } from '../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { quoted } from '../../domain/quoting.ts'
import { recipientKey } from '../../domain/recipients.ts'
import { formatList, pluralize } from '../../domain/wording.ts'
import type { Alert } from '../../service/alerts.ts'
import { parseDate } from '../../service/dates.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import type { RecipientChange } from './rules/recipient-list.ts'

const PAGE_SIZE = 8
const MAX_RECIPIENTS = 20
const MAX_ADDRESS_LENGTH = 100

/** `3 recipients`. */
export const recipientCount = (count: number): string => pluralize(count, 'recipient')

/** The first `max` addresses, and how many more there are. */
export const addressList = (addresses: readonly string[], max: number): string =>
  formatList(addresses, max, (address) => clip(oneLine(address), MAX_ADDRESS_LENGTH))

/** A page of a check's alerts. Pages count from 1; a page past the end shows the last one. */
export function alertsView(
  check: HealthCheck,
  alerts: readonly Alert[],
  {
    page,
    environment,
    now,
    watchLine,
  }: {
    page: number
    environment: Environment
    now: Date
    /** The line that watches the health check, to type. */
    watchLine: string
  },
): Message {
  const name = checkName(check)
  const currentPage = slicePage(alerts, page, PAGE_SIZE)
  const shownAlerts = currentPage.items
  const count = pluralize(alerts.length, 'alert')
  const recipientTotal = new Set(alerts.flatMap(({ recipients }) => recipients.map(recipientKey))).size
  const isComplete = alerts.every(({ unreadable = 0 }) => unreadable === 0)
  const formatPageLine = (to: number): string => `/hc alerts ${quoted(check.uuid)} --page ${to}`
  const isSingle = alerts.length === 1
  const choices = shownAlerts.flatMap((alert) => listChoices(check.uuid, alert, isSingle))
  const [edit, ...others] = isSingle ? choices : []
  return listPage({
    title: formatTitle(name, recipientTotal, isComplete),
    environment,
    subtitle: [alerts.length > 0 && count, describePage(currentPage.page, currentPage.pages)]
      .filter(Boolean)
      .join(' · '),
    rows: shownAlerts.map((alert) => facts(alertFacts(alert))),
    notes: [`Alerts are emails. To alert a channel, type this there:\n${watchLine}`],
    ...neighborPages(currentPage, formatPageLine),
    refreshLine: formatPageLine(currentPage.page),
    openMenu: [
      ...(edit
        ? [
            commandButton(edit.label, edit.value, {
              accessibilityLabel: `${edit.label} of alert ${alerts[0]?.id}`,
            }),
          ]
        : []),
      ...(!isSingle && choices.length > 0
        ? [commandMenu('Change an alert…', choices, { inPlace: false })]
        : []),
    ],
    controls: [
      commandButton('Add alert', `/hc alert-add ${quoted(check.uuid)}`),
      commandButton('Back to the check', `/hc show ${quoted(check.uuid)}`),
    ],
    moreControls: others.map(({ label, value }) => commandButton(label, value)),
    now,
  })
}

function formatTitle(name: string, recipientTotal: number, isComplete: boolean): string {
  if (recipientTotal > 0)
    return `${name} emails ${isComplete ? '' : 'at least '}${recipientCount(recipientTotal)}`
  return isComplete
    ? `No one gets an email when the status of ${name} changes`
    : `Signalman can’t read who gets an email when the status of ${name} changes`
}

/** The actions on an alert; none if its ID is unreadable. They name the alert if there are several. */
function listChoices(uuid: string, { id }: Alert, isSingle: boolean): Choice[] {
  if (id === '') return []
  const choice = (label: string, verb: string) => ({ label, value: `/hc ${verb} ${quoted(uuid)} ${id}` })
  return [
    choice(isSingle ? 'Edit recipients' : `Edit recipients of alert ${id}`, 'alert-edit'),
    choice(isSingle ? 'Remove' : `Remove alert ${id}`, 'alert-remove'),
  ]
}

function alertFacts({ id, type, recipients, unreadable = 0, ...alert }: Alert): Fact[] {
  const nobody = unreadable > 0 ? 'none that Signalman can read' : 'no recipients'
  return [
    ['Alert', `${id ? `ID ${id}` : 'ID unreadable'}, ${alertTypeText(type)}`],
    [recipientCount(recipients.length), addressList(recipients, MAX_RECIPIENTS) || nobody],
    ['Unreadable', unreadable > 0 ? `${unreadable} recipients. ${CHANGE_IN_SERVICE}` : undefined],
    ['Created', formatTimeAndAuthor(parseDate(alert.createdAt), alert.createdBy)],
    ['Last changed', formatTimeAndAuthor(parseDate(alert.modifiedAt), alert.modifiedBy)],
  ]
}

const CHANGE_IN_SERVICE = 'You can change this alert only in the service.'

function alertTypeText(type: string): string {
  if (type === 'EMAIL') return 'by email'
  return type ? `of type ${clip(oneLine(type), 50)}` : 'type unknown'
}

/** `+2 −1`; empty if nothing changed. */
const formatSigns = (added: number, removed: number): string =>
  [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ')

const MAX_LISTED = 20

/** What a window did to an alert: `Recipients of the alert for “web”: +2 −1`. `said`: what else the person should know. */
export function changedView(
  done: string,
  check: HealthCheck,
  environment: Environment,
  { change: { added, removed, recipients }, said, controls }: AlertsChanged & { change: RecipientChange },
): Message {
  const signs = formatSigns(added.length, removed.length)
  const about = `“${checkName(check)}”${environmentSuffix(environment)}`
  return card({
    headline:
      signs === ''
        ? `Nothing to change: the alert for ${about} keeps its recipients.`
        : `${done} ${about}: ${signs}`,
    notes: [...said],
    facts: [
      ['Added', addressList(added, MAX_LISTED) || undefined],
      ['Removed', addressList(removed, MAX_LISTED) || undefined],
      ['Now', recipients.length > 0 ? recipientCount(recipients.length) : undefined],
    ],
    controls: [
      commandButton('This check’s alerts', `/hc alerts ${quoted(check.uuid)}`),
      commandButton('Back to the check', `/hc show ${quoted(check.uuid)}`),
      ...controls,
    ],
  })
}
