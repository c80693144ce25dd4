import { clip, oneLine } from '@signalman/slack'
import type { AlertBody } from '../../../service/alerts.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import {
  type Address,
  ALL_FIELDS,
  type Answered,
  type Expected,
  type Field,
  type Fields,
  type Patch,
  type State,
} from './change.ts'
import { CHECK_FIELDS, type CheckField, DEFAULT_PORTS, findUrlPort, protocolHasField } from './fields.ts'
import { findMissing, sameAlerts, toAlertBody } from './recipients.ts'
import { isAddressMissing, isSameIp, toFields } from './server-address.ts'

/** Lowercases the scheme and host of a target, and keeps the rest. */
const normalizeTarget = (target: string): string =>
  target.replace(/^(?:[a-z][a-z+.-]*:\/\/)?[^/?#]*/i, (start) => start.toLowerCase())

function toComparable(field: Field, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? null)
  if (field === 'target') return JSON.stringify(normalizeTarget(value))
  return JSON.stringify(field === 'protocol' ? value.toUpperCase() : value)
}

/** Whether the service treats the values as equal. It ignores the case of hosts and protocols. */
const valuesMatch = (field: Field, left: unknown, right: unknown): boolean =>
  toComparable(field, left) === toComparable(field, right)

function findKnownIp(address: Address): string | undefined {
  if (address.is === 'set') return address.ip
  return address.is === 'unknown' ? address.shown : undefined
}

/** Whether two addresses may be the same. An unknown IP address matches any other. */
function mayBeSameAddress(left: Address, right: Address): boolean {
  if (left.is === 'set' && right.is === 'set') return isSameIp(left.ip, right.ip)
  if (left.is !== 'unknown' && right.is !== 'unknown') return left.is === right.is
  const leftIp = findKnownIp(left)
  const rightIp = findKnownIp(right)
  return leftIp === undefined || rightIp === undefined || isSameIp(leftIp, rightIp)
}

/** Whether a field of a check is as expected. */
export function fieldMatches(current: Fields, expected: Fields, field: Field): boolean {
  if (field === 'address') return mayBeSameAddress(current.address, expected.address)
  return valuesMatch(field, current[field], expected[field])
}

/** The fields in which two checks differ. Unlike `fieldMatches`, this is case-sensitive for hosts and protocols too. */
export const listDifferingFields = (left: Fields, right: Fields): Field[] =>
  ALL_FIELDS.filter((field) => JSON.stringify(left[field] ?? null) !== JSON.stringify(right[field] ?? null))

export const pick = (fields: Fields, names: readonly Field[]): Patch =>
  Object.fromEntries(names.map((name) => [name, fields[name]]))

const toCheckField = (field: Field): CheckField => (field === 'address' ? 'httpServerAddress' : field)

/** The field's name in a sentence, such as `server address`. */
export const fieldName = (field: Field): string => CHECK_FIELDS[toCheckField(field)].label

export const fieldAppliesTo = (field: Field, protocol: string | undefined): boolean =>
  protocolHasField(toCheckField(field), protocol)

const KNOWN_PROTOCOLS: ReadonlySet<string | undefined> = new Set(['TCP', 'HTTP', 'HTTPS'])

/**
 * The port that a patch means without saying so: the one in a new URL, or the default port of a new protocol in place of the old one's.
 */
function fillPort({ protocol = '', port }: Fields, patch: Patch): Pick<Patch, 'port'> {
  if (patch.port !== undefined) return {}
  const urlPort = patch.target === undefined ? undefined : findUrlPort(patch.target)
  if (urlPort !== undefined) return { port: urlPort }
  const newDefault = DEFAULT_PORTS[patch.protocol?.toUpperCase() ?? '']
  const isOldDefault = port !== undefined && port === DEFAULT_PORTS[protocol.toUpperCase()]
  return isOldDefault && newDefault !== undefined ? { port: newDefault } : {}
}

/**
 * Says which two ports a check would have, if its target is a URL that names another one than its port; undefined if they agree.
 */
export function describePortConflict({ target = '', port }: Fields): string | undefined {
  const urlPort = findUrlPort(target)
  if (urlPort === undefined || port === undefined || urlPort === port) return undefined
  return `Its target says port ${urlPort}, but its port would be ${port}. Give both the same port, or a target without one.`
}

/**
 * Applies a patch. Removes fields that the protocol doesn't have, and fills in the service's defaults for fields that a new
 * protocol needs.
 */
export function applyPatch(fields: Fields, patch: Patch): Fields {
  const next = { ...fields, ...patch, ...fillPort(fields, patch) }
  const protocol = next.protocol?.toUpperCase()
  // Unknown protocols may have any fields.
  if (!KNOWN_PROTOCOLS.has(protocol)) return next
  const isNewProtocol = protocol !== fields.protocol?.toUpperCase()
  let { address } = next
  if (protocol === 'TCP') address = { is: 'none' }
  else if (address.is === 'none') address = { is: 'resolve' }
  const verifySsl = protocol === 'HTTPS' ? (next.verifySsl ?? (isNewProtocol ? true : undefined)) : undefined
  return { ...next, address, verifySsl }
}

/** Builds the body of a request; undefined if a required value is missing, or if it could change an unknown server address. */
export function toBody(fields: Fields): HealthCheckBody | undefined {
  const { name, protocol, target, port, frequency, customerId, address, verifySsl } = fields
  if (name === undefined || protocol === undefined || target === undefined) return undefined
  if (port === undefined || frequency === undefined || customerId === undefined) return undefined
  if (isAddressMissing(fields) || (protocol.toUpperCase() === 'HTTPS' && verifySsl === undefined))
    return undefined
  return {
    name,
    protocol,
    target,
    port,
    frequency,
    customerId,
    ...(address.is === 'set' && { httpServerAddress: address.ip }),
    ...(verifySsl !== undefined && { verifySsl }),
  }
}

/** Describes the first difference from the expected state; undefined if there is none. */
export function describeDifference({ fields, alerts }: State, expects: Expected): string | undefined {
  const expected = { ...fields, ...expects }
  for (const field of ALL_FIELDS)
    if (field in expects && !fieldMatches(fields, expected, field))
      return `Its ${fieldName(field)} is now ${describeFieldValue(field, fields[field])}, not ${describeFieldValue(field, expects[field])}.`
  if (expects.alerts && !sameAlerts(alerts, expects.alerts)) return 'Its recipients have changed.'
  return undefined
}

/**
 * Names what a check doesn't have yet: `Not done: frequency, an alert for ann@example.com.` `instead`: alerts that the service made
 * instead of wanted ones.
 */
export function describeMissing(wanted: State, current: State, instead: readonly AlertBody[] = []): string {
  const fields = ALL_FIELDS.filter((field) => !fieldMatches(current.fields, wanted.fields, field))
  const extra = findMissing([...wanted.alerts, ...instead], current.alerts)
  const parts = [
    ...fields.map(fieldName),
    ...findMissing(current.alerts, wanted.alerts).map(describeAlert),
    ...extra.map((alert) => `removing ${describeAlert(alert)}`),
  ]
  return `Not done: ${parts.join(', ')}.`
}

const describeAlert = ({ recipients }: AlertBody): string =>
  recipients.length === 0 ? 'an alert without recipients' : `an alert for ${recipients.join(' and ')}`

/** Compares the check that the service answered with the one that was sent; undefined if they agree. The answer may omit fields. */
export function compareAnswer(sent: Fields, answer: HealthCheck): Answered | undefined {
  const answered = toFields(answer, { is: 'unknown', shown: answer.httpServerAddress })
  const differing = ALL_FIELDS.filter((field) => isAnsweredDifferently(field, sent, answered))
  const [first] = differing
  if (first === undefined) return undefined
  const [answeredValue, sentValue] = [answered, sent].map((fields) =>
    formatTableValue(findValue(fields, first)),
  )
  return {
    difference: `The service answered that its ${fieldName(first)} is ${answeredValue}, not ${sentValue}.`,
    fields: pick(answered, differing),
    alerts: [],
  }
}

function isAnsweredDifferently(field: Field, sent: Fields, answered: Fields): boolean {
  const [sentValue, answeredValue] = [findValue(sent, field), findValue(answered, field)]
  if (sentValue === undefined || answeredValue === undefined || answeredValue === '') return false
  if (field === 'address') return !isSameIp(String(sentValue), String(answeredValue))
  return !valuesMatch(field, trimText(sentValue), trimText(answeredValue))
}

const findValue = (fields: Fields, field: Field): unknown =>
  field === 'address' ? findKnownIp(fields.address) : fields[field]
const trimText = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value)

/** Compares the alert that the service answered with the one that was sent; undefined if they mail the same people. */
export const compareAlertAnswer = (sent: AlertBody, answer: AlertBody): Answered | undefined =>
  sameAlerts([sent], [answer])
    ? undefined
    : {
        difference: `The service answered with ${describeAlert(answer)} instead of ${describeAlert(sent)}.`,
        fields: {},
        alerts: [toAlertBody(answer)],
      }

/** Formats a value for a sentence. */
export function describeFieldValue(field: Field, value: unknown): string {
  if (field === 'address') return describeAddress(value as Address | undefined)
  if (value === undefined || value === null || value === '') return 'not known'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return field === 'frequency' ? `${value} s` : String(value)
}

const MAX_VALUE_LENGTH = 80

/** Formats a value for a table or a preview. */
export function formatTableValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return clip(oneLine(String(value)), MAX_VALUE_LENGTH)
}

export function describeAddress(address: Address | undefined): string {
  switch (address?.is) {
    case 'set':
      return address.ip
    case 'resolve':
      return 'resolved from the target'
    case 'unknown':
      return address.shown === undefined
        ? 'not known'
        : `${address.shown} (set or resolved, the service doesn’t say)`
    default:
      return 'none'
  }
}
