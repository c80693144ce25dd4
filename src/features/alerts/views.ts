import {
  type Choice,
  card,
  clip,
  commandButton,
  commandMenu,
  context,
  type Fact,
  facts,
  header,
  type Message,
  oneLine,
  section,
} from '@signalman/slack'
import type { SectionBlock } from '@slack/types'
import type { Modal } from '../../bot/routes/routes.ts'
import { checkName, formatTimeAndAuthor } from '../../bot/views/check-facts.ts'
import { describePage, listPage, neighborPages, packLines, slicePage } from '../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { quoted } from '../../domain/quoting.ts'
import { type Recipients, recipientKey } from '../../domain/recipients.ts'
import { formatCount, formatList, pluralize } from '../../domain/wording.ts'
import type { Alert } from '../../service/alerts.ts'
import { parseDate } from '../../service/dates.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import { describeBadAddresses, type RecipientChange } from './rules/recipients.ts'

const PAGE_SIZE = 8
const MAX_RECIPIENTS = 5
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
  { page, environment, now }: { page: number; environment: Environment; now: Date },
): Message {
  const currentPage = slicePage(alerts, page, PAGE_SIZE)
  const shownAlerts = currentPage.items
  const count = pluralize(alerts.length, 'alert')
  const recipientTotal = new Set(alerts.flatMap(({ recipients }) => recipients.map(recipientKey))).size
  const isComplete = alerts.every(({ unreadable = 0 }) => unreadable === 0)
  const formatPageLine = (to: number): string => `/hc alerts ${quoted(check.uuid)} --page ${to}`
  const isSingle = alerts.length === 1
  const choices = shownAlerts.flatMap((alert) =>
    listChoices(check.uuid, alert, isSingle ? '' : ` of alert ${alert.id}`),
  )
  const [edit, ...others] = isSingle ? choices : []
  return listPage({
    title: formatTitle(checkName(check), recipientTotal, isComplete),
    environment,
    subtitle: [alerts.length > 0 && count, describePage(currentPage.page, currentPage.pages)]
      .filter(Boolean)
      .join(' · '),
    rows: shownAlerts.map((alert) => facts(alertFacts(alert))),
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

/** The actions on an alert; none if its ID is unreadable. `suffix` names the alert if there are several. */
function listChoices(uuid: string, { id, recipients }: Alert, suffix = ''): Choice[] {
  if (id === '') return []
  const choice = (label: string, verb: string) => ({
    label: `${label}${suffix}`,
    value: `/hc ${verb} ${quoted(uuid)} ${id}`,
  })
  return [
    choice('Edit recipients', 'alert-edit'),
    ...(recipients.length > MAX_RECIPIENTS ? [choice('All recipients', 'alert-recipients')] : []),
    choice('Remove', 'alert-remove'),
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

/** Slack refuses windows of more than 250 KB, and a character takes up to three bytes. */
const MAX_WINDOW_BLOCKS = 25

/** Lists the recipients of an alert, one per line, and how many more there are if the window is full. */
export function allRecipientsModal(environment: Environment, check: HealthCheck, alert: Alert): Modal {
  const { recipients } = alert
  const { blocks, hiddenCount } = packLines(
    recipients.map((address) => clip(oneLine(address), 260)),
    MAX_WINDOW_BLOCKS,
  )
  return {
    title: 'Recipients',
    blocks: [
      header(recipientCount(recipients.length)),
      section(
        `The recipients of alert ${alert.id} of “${checkName(check)}”${environmentSuffix(environment)}.`,
      ),
      blocks,
      hiddenCount > 0 ? [context(`And ${formatCount(hiddenCount)} more, too many for one window.`)] : [],
    ],
  }
}

const MAX_NAMED = 5

/** A preview of the change: `+2 −1`, the added and removed addresses, and any text that isn't an address yet. */
export function previewBlock(
  { added, removed, recipients: { length: total } }: RecipientChange,
  people: number,
  { bad, repeated }: Pick<Recipients, 'bad' | 'repeated'>,
): SectionBlock {
  const signs = formatSigns(added.length, removed.length)
  const lines = [
    signs ? `${signs}, ${recipientCount(total)} in total.` : `No change: ${recipientCount(total)}.`,
    added.length > 0 && `Added: ${addressList(added, MAX_NAMED)}`,
    removed.length > 0 && `Removed: ${addressList(removed, MAX_NAMED)}`,
    people > 0 &&
      `Plus ${people} ${people === 1 ? 'person' : 'people'} from Slack, if they aren’t recipients yet.`,
    repeated.length > 0 && `Duplicates removed: ${addressList(repeated, MAX_NAMED)}`,
    bad.length > 0 && describeBadAddresses(bad),
  ]
  return { ...section(lines.filter(Boolean).join('\n')), block_id: 'preview' }
}

/** `+2 −1`; empty if nothing changed. */
const formatSigns = (added: number, removed: number): string =>
  [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ')

/** The check that an alert belongs to. */
export interface AlertTarget {
  uuid: string
  name: string
  environment: Environment
}

const MAX_LISTED = 20

/** Shows what an edit did: `+2 −1`, and the addresses. `repeated` lists those that were typed more than once. */
export function changedView(
  target: AlertTarget,
  change: RecipientChange,
  repeated: readonly string[],
): Message {
  const { added, removed, recipients } = change
  if (added.length + removed.length === 0)
    return outcomeCard(
      target,
      `Nothing to change: the alert for ${quoteName(target)} already has these recipients.`,
      [
        ['Recipients', recipientCount(recipients.length)],
        ['Duplicates', addressList(repeated, MAX_LISTED) || undefined],
      ],
    )
  return outcomeCard(
    target,
    `Recipients of the alert for ${quoteName(target)}: ${formatSigns(added.length, removed.length)}`,
    [
      ['Added', addressList(added, MAX_LISTED) || undefined],
      ['Removed', addressList(removed, MAX_LISTED) || undefined],
      ['Duplicates removed', addressList(repeated, MAX_LISTED) || undefined],
      ['Now', recipientCount(recipients.length)],
    ],
  )
}

export function addedView(
  target: AlertTarget,
  recipients: readonly string[],
  repeated: readonly string[],
): Message {
  return outcomeCard(
    target,
    `Added an alert to ${quoteName(target)}. ${recipientCount(recipients.length)} will get an email when its status changes.`,
    [
      ['Recipients', addressList(recipients, MAX_LISTED)],
      ['Duplicates removed', addressList(repeated, MAX_LISTED) || undefined],
    ],
  )
}

export function removedView(target: AlertTarget, recipients: readonly string[]): Message {
  return outcomeCard(
    target,
    `Removed an alert of ${quoteName(target)}. It had ${recipientCount(recipients.length)}.`,
    [['Recipients', addressList(recipients, MAX_LISTED) || undefined]],
  )
}

const quoteName = ({ name, environment }: AlertTarget): string => `“${name}”${environmentSuffix(environment)}`

const outcomeCard = ({ uuid }: AlertTarget, headline: string, entries: readonly Fact[]): Message =>
  card({
    headline,
    facts: entries,
    controls: [
      commandButton('This check’s alerts', `/hc alerts ${quoted(uuid)}`),
      commandButton('Back to the check', `/hc show ${quoted(uuid)}`),
    ],
  })
