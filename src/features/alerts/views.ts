import {
  type Choice,
  clip,
  commandButton,
  commandMenu,
  type Fact,
  facts,
  type Message,
  oneLine,
} from '@signalman/slack'
import { checkName, formatTimeAndAuthor } from '../../bot/views/check-facts.ts'
import { describePage, listPage, neighborPages, slicePage } from '../../bot/views/list-page.ts'
import { addressList, describeMailed } from '../../bot/views/mailed.ts'
import type { Environment } from '../../domain/environment.ts'
import { quoted } from '../../domain/quoting.ts'
import { findAlertsFault, isReadable } from '../../domain/recipients.ts'
import { pluralize } from '../../domain/wording.ts'
import type { Alert } from '../../service/alerts.ts'
import { parseDate } from '../../service/dates.ts'
import type { HealthCheck } from '../../service/health-checks.ts'

const PAGE_SIZE = 8
const MAX_RECIPIENTS = 20

export const recipientCount = (count: number): string => pluralize(count, 'recipient')

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
  const formatPageLine = (to: number): string => `/hc alerts ${quoted(check.uuid)} --page ${to}`
  const isSingle = alerts.length === 1
  const fault = findAlertsFault(alerts)
  const canChange = fault === undefined
  const choices = canChange ? shownAlerts.flatMap((alert) => listChoices(check.uuid, alert, isSingle)) : []
  const [edit, ...others] = isSingle ? choices : []
  return listPage({
    title: formatTitle(name, alerts),
    environment,
    subtitle: [alerts.length > 0 && count, describePage(currentPage.page, currentPage.pages)]
      .filter(Boolean)
      .join(' · '),
    rows: shownAlerts.map((alert) => facts(alertFacts(alert))),
    notes: [
      ...(fault ? [fault] : []),
      `Alerts are emails. To alert a channel, type this there:\n${watchLine}`,
    ],
    ...neighborPages(currentPage, formatPageLine),
    refreshLine: formatPageLine(currentPage.page),
    openMenu: [
      ...(edit ? [commandButton(edit.label, edit.value)] : []),
      ...(!isSingle && choices.length > 0
        ? [commandMenu('Change an alert…', choices, { inPlace: false })]
        : []),
    ],
    controls: [
      ...(canChange ? [commandButton('Add alert', `/hc alert-add ${quoted(check.uuid)}`)] : []),
      commandButton('Back to the check', `/hc show ${quoted(check.uuid)}`),
    ],
    moreControls: others.map(({ label, value }) => commandButton(label, value)),
    now,
  })
}

function formatTitle(name: string, alerts: readonly Alert[]): string {
  if (alerts.some(({ recipients }) => recipients.length > 0))
    return `${name} emails ${describeMailed(alerts)}`
  return isReadable(alerts)
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
    ['Unreadable', unreadable > 0 ? recipientCount(unreadable) : undefined],
    ['Created', formatTimeAndAuthor(parseDate(alert.createdAt), alert.createdBy)],
    ['Last changed', formatTimeAndAuthor(parseDate(alert.modifiedAt), alert.modifiedBy)],
  ]
}

function alertTypeText(type: string): string {
  if (type === 'EMAIL') return 'by email'
  return type ? `of type ${clip(oneLine(type), 50)}` : 'type unknown'
}
