import {
  type Choice,
  card,
  clip,
  commandButton,
  commandMenu,
  context,
  date,
  type Fact,
  facts,
  header,
  type Line,
  type Message,
  oneLine,
  section,
} from '@signalman/slack'
import type { SectionBlock } from '@slack/types'
import type { Modal } from '../../bot/routes/routes.ts'
import { checkName } from '../../bot/views/check-facts.ts'
import { describePage, lineBlocks, listPage, neighborPages, slicePage } from '../../bot/views/list-page.ts'
import { badgeOf, type Environment } from '../../domain/environment.ts'
import { quoted } from '../../domain/quoting.ts'
import { type Recipients, recipientKey } from '../../domain/recipients.ts'
import { counted, grouped, listed } from '../../domain/wording.ts'
import type { Alert } from '../../service/alerts.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import { badSentence, type RecipientChange } from './rules/recipients.ts'

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
  const part = slicePage(alerts, page, ALERTS_ON_A_PAGE)
  const shown = part.items
  const count = counted(alerts.length, 'alert')
  const people = new Set(alerts.flatMap(({ recipients }) => recipients.map(recipientKey))).size
  const isAll = alerts.every(({ unreadable = 0 }) => unreadable === 0)
  const line = (to: number): string => `/hc alerts ${quoted(check.uuid)} --page ${to}`
  const only = alerts.length === 1
  const choices = shown.flatMap((alert) =>
    listChoices(check.uuid, alert, only ? '' : ` of alert ${alert.id}`),
  )
  const [edit, ...others] = only ? choices : []
  return listPage({
    title: formatTitle(checkName(check), people, isAll),
    environment,
    place: [alerts.length > 0 && count, describePage(part.page, part.pages)].filter(Boolean).join(' · '),
    rows: shown.map((alert) => facts(alertFacts(alert))),
    ...neighborPages(part, line),
    here: line(part.page),
    open: [
      ...(edit
        ? [commandButton(edit.label, edit.value, { spoken: `${edit.label} of alert ${alerts[0]?.id}` })]
        : []),
      ...(!only && choices.length > 0 ? [commandMenu('Change an alert…', choices, { inPlace: false })] : []),
    ],
    controls: [
      commandButton('Add alert', `/hc alert-add ${quoted(check.uuid)}`),
      commandButton('Back to the check', `/hc show ${quoted(check.uuid)}`),
    ],
    more: others.map(({ label, value }) => commandButton(label, value)),
    now,
  })
}

function formatTitle(name: string, people: number, isAll: boolean): string {
  if (people > 0) return `${name} mails ${isAll ? '' : 'at least '}${recipientCount(people)}`
  return isAll
    ? `No one gets an email when the status of ${name} changes`
    : `Signalman can’t read who gets an email when the status of ${name} changes`
}

/** Buttons for an alert with a readable ID; `of` names it if there are several. */
function listChoices(uuid: string, { id, recipients }: Alert, of = ''): Choice[] {
  if (id === '') return []
  const choice = (label: string, verb: string) => ({
    label: `${label}${of}`,
    value: `/hc ${verb} ${quoted(uuid)} ${id}`,
  })
  return [
    choice('Edit recipients', 'alert-edit'),
    ...(recipients.length > RECIPIENTS_SHOWN ? [choice('All recipients', 'alert-recipients')] : []),
    choice('Remove', 'alert-remove'),
  ]
}

function alertFacts({ id, type, recipients, unreadable = 0, ...alert }: Alert): Fact[] {
  const nobody = unreadable > 0 ? 'none that Signalman can read' : 'nobody is mailed'
  return [
    ['Alert', `${id || 'ID unreadable'}, ${alertTypeText(type)}`],
    [recipientCount(recipients.length), addressList(recipients, RECIPIENTS_SHOWN) || nobody],
    ['Unreadable', unreadable > 0 ? `${unreadable} recipients. ${SERVICE_NAMES}` : undefined],
    ['Created', changedText(alert.createdAt, alert.createdBy)],
    ['Last changed', changedText(alert.modifiedAt, alert.modifiedBy)],
  ]
}

const SERVICE_NAMES = 'You can change this alert only in the service.'

function alertTypeText(type: string): string {
  if (type === 'EMAIL') return 'by email'
  return type ? `of type ${clip(oneLine(type), 50)}` : 'type unknown'
}

function changedText(at: Date | undefined, by: string | undefined): Line | undefined {
  const who = by && `by ${clip(oneLine(by), 100)}`
  if (!at) return who
  return [date(at), who ? ` ${who}` : '']
}

/** Slack refuses windows of more than 250 KB, and a character takes up to three bytes. */
const WINDOW_BLOCKS = 25

/** Every recipient of an alert in a window, one per line; the rest is counted at the end. */
export function allRecipientsModal(environment: Environment, check: HealthCheck, alert: Alert): Modal {
  const { recipients } = alert
  const { blocks, left } = lineBlocks(
    recipients.map((address) => clip(oneLine(address), 260)),
    WINDOW_BLOCKS,
  )
  return {
    title: 'Recipients',
    blocks: [
      header(recipientCount(recipients.length)),
      section(`The recipients of alert ${alert.id} of “${checkName(check)}”${badgeOf(environment)}.`),
      blocks,
      left > 0 ? [context(`And ${grouped(left)} more, too many for one window.`)] : [],
    ],
  }
}

const NAMED = 5

/** A preview of the change: `+2 −1`, the names, and typed text that isn't an address yet. */
export function previewBlock(
  { added, removed, recipients: { length: total } }: RecipientChange,
  people: number,
  { bad, repeated }: Pick<Recipients, 'bad' | 'repeated'>,
): SectionBlock {
  const signs = formatSigns(added.length, removed.length)
  const lines = [
    signs ? `${signs}, ${recipientCount(total)} in total.` : `No change: ${recipientCount(total)}.`,
    added.length > 0 && `Added: ${addressList(added, NAMED)}`,
    removed.length > 0 && `Removed: ${addressList(removed, NAMED)}`,
    people > 0 &&
      `Plus ${people} ${people === 1 ? 'person' : 'people'} from Slack, if they aren’t recipients yet.`,
    repeated.length > 0 && `Duplicates removed: ${addressList(repeated, NAMED)}`,
    bad.length > 0 && badSentence(bad),
  ]
  return { ...section(lines.filter(Boolean).join('\n')), block_id: 'preview' }
}

/** `+2 −1`; empty when there is neither. */
export const formatSigns = (added: number, removed: number): string =>
  [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ')

/** The check that an alert belongs to, and where. */
export interface AlertTarget {
  uuid: string
  name: string
  environment: Environment
}

const LISTED = 20

/** What an edit did: `+2 −1`, and the names. `repeated` were given more than once. */
export function changedView(of: AlertTarget, change: RecipientChange, repeated: readonly string[]): Message {
  const { added, removed, recipients } = change
  if (added.length + removed.length === 0)
    return outcome(of, `Nothing to change: the alert for ${quoteName(of)} already has these recipients.`, [
      ['Recipients', recipientCount(recipients.length)],
      ['Duplicates', addressList(repeated, LISTED) || undefined],
    ])
  return outcome(
    of,
    `Recipients of the alert for ${quoteName(of)}: ${formatSigns(added.length, removed.length)}`,
    [
      ['Added', addressList(added, LISTED) || undefined],
      ['Removed', addressList(removed, LISTED) || undefined],
      ['Duplicates removed', addressList(repeated, LISTED) || undefined],
      ['Now', recipientCount(recipients.length)],
    ],
  )
}

export function addedView(
  of: AlertTarget,
  recipients: readonly string[],
  repeated: readonly string[],
): Message {
  return outcome(
    of,
    `Added an alert to ${quoteName(of)}. ${recipientCount(recipients.length)} will get an email when its status changes.`,
    [
      ['Recipients', addressList(recipients, LISTED)],
      ['Duplicates removed', addressList(repeated, LISTED) || undefined],
    ],
  )
}

export function removedView(of: AlertTarget, recipients: readonly string[]): Message {
  return outcome(of, `Removed an alert of ${quoteName(of)}. It had ${recipientCount(recipients.length)}.`, [
    ['Recipients', addressList(recipients, LISTED) || undefined],
  ])
}

const quoteName = ({ name, environment }: AlertTarget): string => `“${name}”${badgeOf(environment)}`

const outcome = ({ uuid }: AlertTarget, answer: string, entries: readonly Fact[]): Message =>
  card({
    answer,
    facts: entries,
    controls: [
      commandButton('Alerts of this check', `/hc alerts ${quoted(uuid)}`),
      commandButton('Back to the check', `/hc show ${quoted(uuid)}`),
    ],
  })
