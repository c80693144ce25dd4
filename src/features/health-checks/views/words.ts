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

/** A message lists this many. The file has all of them. */
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
 * Lists recipients: `mails ann@example.com, bob@example.com`. Addresses that `others` don't mail are marked and come first,
 * to keep them from being clipped.
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
    : `mails ${formatList(people, MAX_PEOPLE, (address) => clip(oneLine(address), 100))}`
}

/** Describes an edit: the current values, the new ones, and both in one line. */
export function describeEdit(
  step: Step & { do: 'edit' },
  { state }: CurrentCheck,
): { was: string[]; becomes: string[]; summary: string } {
  const { fields, alerts } = state
  const next = applyPatch(fields, step.set)
  const changed = Object.keys(step.set).length === 0 ? [] : listDifferingFields(fields, next)
  const newAlerts = step.alerts ? applyRecipientChange(alerts, step.alerts) : alerts
  const [removed, added] = sameAlerts(alerts, newAlerts)
    ? [[], []]
    : [[describeRecipients(alerts, newAlerts, '−')], [describeRecipients(newAlerts, alerts, '+')]]
  const addressNote = describeAddressAnswer(step, state)
  return {
    was: [...changed.map((field) => formatField(field, fields)), ...removed],
    becomes: [...changed.map((field) => formatField(field, next)), ...added, ...addressNote],
    summary: [
      ...changed.map((field) => `${formatField(field, fields)} → ${formatField(field, next, '')}`),
      ...(removed.length > 0 ? [`${removed.join()} → ${added.join()}`] : []),
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
    address.is === 'given' && `server address ${address.ip}`,
    verifySsl === false && 'certificate not verified',
  ]
    .filter(Boolean)
    .join(', ')
}
