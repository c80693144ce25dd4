import { clip, oneLine } from '@signalman/slack'
import type { Environment } from '../../../domain/environment.ts'
import { recipientKey } from '../../../domain/recipients.ts'
import { SERVER_ADDRESS_VARIABLES } from '../../../domain/server-addresses.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import type { CurrentCheck, Field, Fields, Step } from '../rules/change.ts'
import {
  applyPatch,
  describeAddress,
  fieldName,
  formatTableValue,
  listDifferingFields,
} from '../rules/compare.ts'
import { applyRecipientChange, listRecipients, sameAlerts } from '../rules/recipients.ts'
import type { AddressAnswer } from '../rules/server-address.ts'

/** How many problems or changes a message lists. A file has all of them. */
export const MAX_LISTED = 10

const MAX_PEOPLE = 3

export const countChecks = (count: number): string => pluralize(count, 'health check')

/** `port 443`, `every 60 s`. An empty `label` leaves out the field's name. */
function formatField(field: Field, fields: Fields, label = `${fieldName(field)} `): string {
  const value = fields[field]
  if (field === 'address') return `${label}${describeAddress(fields.address)}`
  return field === 'frequency' && value ? `every ${value} s` : `${label}${formatTableValue(value)}`
}

type RecipientLists = readonly Pick<AlertBody, 'recipients'>[]

/**
 * Lists recipients: `emails ann@example.com, bob@example.com`. Addresses that `others` don't email get the marker, and come first
 * so that they aren't clipped.
 */
export function describeRecipients(
  alerts: RecipientLists,
  others: RecipientLists = alerts,
  marker: '−' | '+' | '' = '',
): string {
  const otherKeys = new Set(listRecipients(others).map(recipientKey))
  const isInBoth = (address: string): boolean => otherKeys.has(recipientKey(address))
  const all = listRecipients(alerts)
  const people = [
    ...all.filter((address) => !isInBoth(address)).map((address) => `${marker}${address}`),
    ...all.filter(isInBoth),
  ]
  return people.length === 0
    ? 'no recipients'
    : `emails ${formatList(people, MAX_PEOPLE, (address) => clip(oneLine(address), 100))}`
}

/**
 * Like `describeRecipients`, but says so if the number of alerts changes, or only who shares one: `1 alert: ann@example.com,
 * bob@example.com`. Each alert is an email of its own.
 */
function describeAlerts(alerts: RecipientLists, others: RecipientLists, marker: '−' | '+'): string {
  const toKeys = (lists: RecipientLists): string => listRecipients(lists).map(recipientKey).sort().join()
  if (toKeys(alerts) === toKeys(others)) {
    const groups = alerts.map(({ recipients }) => recipients.join(', ')).join('; ')
    return `${pluralize(alerts.length, 'alert')}: ${clip(oneLine(groups), 300)}`
  }
  const isSplit = alerts.length > 0 && others.length > 0 && alerts.length !== others.length
  return `${describeRecipients(alerts, others, marker)}${isSplit ? ` in ${pluralize(alerts.length, 'alert')}` : ''}`
}

/**
 * Describes an edit: the current values, the new ones, and both in one line. If the server address is a person's answer, shows it,
 * because saving the check writes it.
 */
export function describeEdit(
  step: Step & { do: 'edit' },
  { state }: CurrentCheck,
  { isAnswered = false }: { isAnswered?: boolean } = {},
): { before: string[]; after: string[]; summary: string } {
  const { fields, alerts } = state
  const next = applyPatch(fields, step.set)
  const changed = Object.keys(step.set).length === 0 ? [] : listDifferingFields(fields, next)
  const newAlerts = step.alerts ? applyRecipientChange(alerts, step.alerts) : alerts
  const changesAlerts = !sameAlerts(alerts, newAlerts)
  const oldRecipients = changesAlerts ? [describeAlerts(alerts, newAlerts, '−')] : []
  const newRecipients = changesAlerts ? [describeAlerts(newAlerts, alerts, '+')] : []
  const savesAnswer = isAnswered && changed.length > 0 && !changed.includes('address')
  const addressNote = savesAnswer ? [formatField('address', next)] : []
  return {
    before: [...changed.map((field) => formatField(field, fields)), ...oldRecipients],
    after: [...changed.map((field) => formatField(field, next)), ...newRecipients, ...addressNote],
    summary: [
      ...changed.map((field) => `${formatField(field, fields)} → ${formatField(field, next, '')}`),
      ...(changesAlerts ? [`${oldRecipients[0]} → ${newRecipients[0]}`] : []),
      ...addressNote,
    ].join(', '),
  }
}

export const ADDRESS_ANSWER_LABELS: Readonly<Record<AddressAnswer, string>> = {
  keep: 'It was set by hand',
  resolve: 'It comes from DNS',
}

/** Says how an operator can find out which server addresses are set, so that nobody is asked. */
export const howToFindOut = (environment: Environment): string =>
  `The operator can settle this for good with ${SERVER_ADDRESS_VARIABLES[environment]}: \`signalman doctor\` says how to find out.`

/** Describes a new check: `HTTPS shop.example.com, port 443`. */
export function describeNewCheck({ protocol, target, port, address, verifySsl }: Fields): string {
  return [
    `${protocol} ${formatTableValue(target)}`,
    `port ${port}`,
    address.is === 'set' && `server address ${address.ip}`,
    verifySsl === false && 'certificate not verified',
  ]
    .filter(Boolean)
    .join(', ')
}
