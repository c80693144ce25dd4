import { clip, oneLine } from '@signalman/slack'
import { recipientKey } from '../../../domain/recipients.ts'
import { counted, listed } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import type { CurrentCheck, Field, Fields, State, Step } from '../rules/change.ts'
import { addressWords, differingFields, fieldName, valueWords, withPatch } from '../rules/compare.ts'
import { changedAlerts, everyRecipient, sameAlerts } from '../rules/recipients.ts'
import { applyAnswerToAddress } from '../rules/server-address.ts'

/** A message names this many; the file has all of them. */
export const NAMED = 10

const NAMED_PEOPLE = 3

export const checks = (count: number): string => counted(count, 'health check')

/** `port 443`, `every 60 s`; without the name if the previous value has the same field. */
function fieldValue(field: Field, fields: Fields, label = `${fieldName(field)} `): string {
  const value = fields[field]
  if (field === 'address') return `${label}${addressWords(fields.address)}`
  return field === 'frequency' && value ? `every ${value} s` : `${label}${valueWords(value)}`
}

type Lists = readonly Pick<AlertBody, 'recipients'>[]

/**
 * Whom the alerts mail: `mails ann@example.com, bob@example.com`. Addresses that other alerts don't mail are marked and come
 * first, so that a change isn't clipped.
 */
export function mailWords(alerts: Lists, others: Lists = alerts, sign: '−' | '+' | '' = ''): string {
  const there = new Set(everyRecipient(others).map(recipientKey))
  const isThere = (address: string): boolean => there.has(recipientKey(address))
  const all = everyRecipient(alerts)
  const people = [
    ...all.filter((address) => !isThere(address)).map((address) => `${sign}${address}`),
    ...all.filter(isThere),
  ]
  return people.length === 0
    ? 'no recipients'
    : `mails ${listed(people, NAMED_PEOPLE, (address) => clip(oneLine(address), 100))}`
}

/** The changes of an edit: the current values and the new ones. */
export function editWords(
  step: Step & { do: 'edit' },
  { state }: CurrentCheck,
): { was: string[]; becomes: string[]; says: string } {
  const { fields, alerts } = state
  const next = withPatch(fields, step.set)
  const changed = Object.keys(step.set).length === 0 ? [] : differingFields(fields, next)
  const mails = step.alerts ? changedAlerts(alerts, step.alerts) : alerts
  const [without, instead] = sameAlerts(alerts, mails)
    ? [[], []]
    : [[mailWords(alerts, mails, '−')], [mailWords(mails, alerts, '+')]]
  const answer = addressAnswer(step, state)
  return {
    was: [...changed.map((field) => fieldValue(field, fields)), ...without],
    becomes: [...changed.map((field) => fieldValue(field, next)), ...instead, ...answer],
    says: [
      ...changed.map((field) => `${fieldValue(field, fields)} → ${fieldValue(field, next, '')}`),
      ...(without.length > 0 ? [`${without.join()} → ${instead.join()}`] : []),
      ...answer,
    ].join(', '),
  }
}

/** Describes the answer for an unknown address, next to the requested values. */
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
