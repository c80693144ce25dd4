import { clip, oneLine } from '@signalman/slack'
import { recipientKey } from '../../../domain/recipients.ts'
import { counted, listed } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import type { CurrentCheck, Field, Fields, State, Step } from '../rules/change.ts'
import { addressWords, differingFields, fieldName, valueWords, withPatch } from '../rules/compare.ts'
import { applyRecipientChange, everyRecipient, sameAlerts } from '../rules/recipients.ts'
import { applyAnswerToAddress } from '../rules/server-address.ts'

/** A message lists this many. The file has all of them. */
export const MAX_LISTED = 10

const MAX_PEOPLE = 3

export const countChecks = (count: number): string => counted(count, 'health check')

/** `port 443`, `every 60 s`; without the name if the previous value has the same field. */
function fieldValue(field: Field, fields: Fields, label = `${fieldName(field)} `): string {
  const value = fields[field]
  if (field === 'address') return `${label}${addressWords(fields.address)}`
  return field === 'frequency' && value ? `every ${value} s` : `${label}${valueWords(value)}`
}

type Lists = readonly Pick<AlertBody, 'recipients'>[]

/**
 * Lists recipients: `mails ann@example.com, bob@example.com`. Addresses that `others` don't mail are marked and come first,
 * to keep them from being clipped.
 */
export function mailWords(alerts: Lists, others: Lists = alerts, marker: '−' | '+' | '' = ''): string {
  const otherKeys = new Set(everyRecipient(others).map(recipientKey))
  const isInBoth = (address: string): boolean => otherKeys.has(recipientKey(address))
  const all = everyRecipient(alerts)
  const people = [
    ...all.filter((address) => !isInBoth(address)).map((address) => `${marker}${address}`),
    ...all.filter(isInBoth),
  ]
  return people.length === 0
    ? 'no recipients'
    : `mails ${listed(people, MAX_PEOPLE, (address) => clip(oneLine(address), 100))}`
}

/** Describes an edit: the current values, the new ones, and both in one line. */
export function editWords(
  step: Step & { do: 'edit' },
  { state }: CurrentCheck,
): { was: string[]; becomes: string[]; says: string } {
  const { fields, alerts } = state
  const next = withPatch(fields, step.set)
  const changed = Object.keys(step.set).length === 0 ? [] : differingFields(fields, next)
  const newAlerts = step.alerts ? applyRecipientChange(alerts, step.alerts) : alerts
  const [removed, added] = sameAlerts(alerts, newAlerts)
    ? [[], []]
    : [[mailWords(alerts, newAlerts, '−')], [mailWords(newAlerts, alerts, '+')]]
  const addressNote = addressAnswer(step, state)
  return {
    was: [...changed.map((field) => fieldValue(field, fields)), ...removed],
    becomes: [...changed.map((field) => fieldValue(field, next)), ...added, ...addressNote],
    says: [
      ...changed.map((field) => `${fieldValue(field, fields)} → ${fieldValue(field, next, '')}`),
      ...(removed.length > 0 ? [`${removed.join()} → ${added.join()}`] : []),
      ...addressNote,
    ].join(', '),
  }
}

/** Describes the choice for an unknown address. */
function addressAnswer({ set, unknown }: Step & { do: 'edit' }, { fields }: State): string[] {
  if (Object.keys(set).length === 0 || 'address' in set || fields.address.is !== 'unknown') return []
  return [`server address ${addressWords(applyAnswerToAddress(fields.address, unknown))}`]
}

/** Describes a new check: `HTTPS shop.example.com, port 443`. */
export function fieldsWords({ protocol, target, port, address, verifySsl }: Fields): string {
  return [
    `${protocol} ${valueWords(target)}`,
    `port ${port}`,
    address.is === 'given' && `server address ${address.ip}`,
    verifySsl === false && 'certificate not verified',
  ]
    .filter(Boolean)
    .join(', ')
}
