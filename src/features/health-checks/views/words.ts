import { clip, oneLine } from '@signalman/slack'
import { recipientKey } from '../../../domain/recipients.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import type { CurrentCheck, Field, Fields, State, Step } from '../rules/change.ts'
import {
  applyPatch,
  describeAddress,
  fieldName,
  formatTableValue,
  listDifferingFields,
} from '../rules/compare.ts'
import { applyRecipientChange, listRecipients, sameAlerts } from '../rules/recipients.ts'
import { applyAddressChoice } from '../rules/server-address.ts'

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

/** Describes an edit: the current values, the new ones, and both in one line. */
export function describeEdit(
  step: Step & { do: 'edit' },
  { state }: CurrentCheck,
): { before: string[]; after: string[]; summary: string } {
  const { fields, alerts } = state
  const next = applyPatch(fields, step.set)
  const changed = Object.keys(step.set).length === 0 ? [] : listDifferingFields(fields, next)
  const newAlerts = step.alerts ? applyRecipientChange(alerts, step.alerts) : alerts
  const changesAlerts = !sameAlerts(alerts, newAlerts)
  const oldRecipients = changesAlerts ? [describeRecipients(alerts, newAlerts, '−')] : []
  const newRecipients = changesAlerts ? [describeRecipients(newAlerts, alerts, '+')] : []
  const addressNote = describeAddressAnswer(step, state)
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

/** Describes the choice for an unknown address. */
function describeAddressAnswer({ set, unknownAddress }: Step & { do: 'edit' }, { fields }: State): string[] {
  if (Object.keys(set).length === 0 || 'address' in set || fields.address.is !== 'unknown') return []
  return [`server address ${describeAddress(applyAddressChoice(fields.address, unknownAddress))}`]
}

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
