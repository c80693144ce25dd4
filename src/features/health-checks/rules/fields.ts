import { isIP } from 'node:net'
import { FieldErrors } from '@signalman/runtime'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'

export type CheckField = keyof HealthCheckBody

/** The names of a check's field: on screens, in a CSV file, and in the service's error messages. */
interface FieldNames {
  readonly label: string
  readonly column: string
  readonly mention: RegExp
  /** The protocols that have this field; undefined if all do. A field that only some have is optional. */
  readonly protocols?: readonly string[]
}

/** In the order of a file's columns. The inputs of a form have the same names. */
export const CHECK_FIELDS: Readonly<Record<CheckField, FieldNames>> = {
  name: { label: 'name', column: 'name', mention: /\bname\b/i },
  protocol: { label: 'protocol', column: 'protocol', mention: /\bprotocol\b/i },
  target: { label: 'target', column: 'target', mention: /\btarget\b/i },
  port: { label: 'port', column: 'port', mention: /\bport\b/i },
  frequency: { label: 'frequency', column: 'frequency', mention: /\bfrequency\b|\binterval\b/i },
  customerId: { label: 'customer', column: 'customer_id', mention: /\bcustomer(?:[ _-]?id)?\b/i },
  httpServerAddress: {
    label: 'server address',
    column: 'http_server_address',
    mention: /\b(?:http[ _-]?)?server[ _-]?address\b/i,
    protocols: ['HTTP', 'HTTPS'],
  },
  verifySsl: {
    label: 'SSL verification',
    column: 'verify_ssl',
    mention: /\bverify[ _-]?ssl\b|\bssl verification\b/i,
    protocols: ['HTTPS'],
  },
}

// `Object.keys` loses the type of the table's keys.
export const FIELDS = Object.keys(CHECK_FIELDS) as readonly CheckField[]

/** Whether checks with this protocol have the field. */
export const protocolHasField = (field: CheckField, protocol: string | undefined): boolean =>
  CHECK_FIELDS[field].protocols?.includes(protocol?.toUpperCase() ?? '') ?? true

export const DEFAULT_PORTS: Readonly<Record<string, number>> = { HTTP: 80, HTTPS: 443 }

export const MAX_NAME_LENGTH = 255
export const MAX_PORT = 65_535
export const MAX_FREQUENCY = 31_536_000

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 }
const INTERVAL = /^(\d{1,12}) ?(?:(ms|s|m|h)|(s)ec(?:ond)?s?|(m)in(?:ute)?s?|(h)ours?)?$/i
export const DAY_S = 86_400

/**
 * The seconds in `60`, `90 s`, `5 min`, or `2h`. A text says what is wrong: more than a day needs its unit, because other tools mean
 * milliseconds.
 */
export function readSeconds(typed: string): number | string {
  const [, digits, ...units] = INTERVAL.exec(typed) ?? []
  const unit = units.find((each) => each !== undefined) ?? ''
  if (unit === '' && Number(digits) > DAY_S)
    return `${typed} s is more than a day. Add the unit: s, ms, min, or h.`
  const seconds = Number(digits) * (UNITS[unit.toLowerCase()] ?? 1)
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_FREQUENCY
    ? seconds
    : `Enter a time from 1 s to ${MAX_FREQUENCY} s, such as 60 s or 5 min.`
}

const YES = new Set(['true', 'yes', '1'])
const NO = new Set(['false', 'no', '0'])

/** Parses a form's values. `portField` is the name of the form's port field, which depends on the protocol. Throws FieldErrors. */
export const readFields = (
  readTyped: (field: string) => string | undefined,
  portField = 'port',
): HealthCheckBody =>
  // The form asks for every required field.
  readSomeFields(readTyped, () => true, portField) as HealthCheckBody

/** Like `readFields`, but only for the columns that a file has. */
export function readSomeFields(
  readTyped: (field: string) => string | undefined,
  has: (field: CheckField) => boolean,
  portField = 'port',
): Partial<HealthCheckBody> {
  const errors: Record<string, string> = {}
  const addError = (field: string, sentence: string | false | undefined): void => {
    if (sentence) errors[field] ??= sentence
  }
  const readNumber = (field: string, max: number): number => {
    const typed = readTyped(field) ?? ''
    const isValid = /^\d+$/.test(typed) && Number(typed) >= 1 && Number(typed) <= max
    addError(field, !isValid && `Enter a whole number from 1 to ${max}.`)
    return Number(typed)
  }
  const [name = '', target = '', address] = ['name', 'target', 'httpServerAddress'].map(readTyped)
  const protocol = PROTOCOLS.find((each) => each === readTyped('protocol')?.toUpperCase())
  // If the file has no protocol column, the check may have any field.
  const hasField = (field: CheckField): boolean => !has('protocol') || protocolHasField(field, protocol)
  const hasAddress = address !== undefined && hasField('httpServerAddress')
  const hasVerifySsl = hasField('verifySsl') && (has('protocol') || readTyped('verifySsl') !== undefined)
  const readers: Record<keyof HealthCheckBody, () => unknown> = {
    name() {
      addError('name', !name && 'Enter a name.')
      addError(
        'name',
        name.length > MAX_NAME_LENGTH &&
          `The name has ${name.length} characters. The limit is ${MAX_NAME_LENGTH}.`,
      )
      return name
    },
    protocol() {
      addError('protocol', !protocol && 'Choose TCP, HTTP, or HTTPS.')
      return protocol ?? ''
    },
    target() {
      addError('target', findTargetFault(target, protocol))
      return target
    },
    port: () => readNumber(portField, MAX_PORT),
    frequency: () => readNumber('frequency', MAX_FREQUENCY),
    customerId: () => readNumber('customerId', Number.MAX_SAFE_INTEGER),
    httpServerAddress() {
      addError('httpServerAddress', isIP(address ?? '') === 0 && INVALID_ADDRESS)
      return address
    },
    verifySsl() {
      const typed = readTyped('verifySsl')?.toLowerCase() ?? 'yes'
      addError('verifySsl', !YES.has(typed) && !NO.has(typed) && 'Enter yes or no.')
      return YES.has(typed)
    },
  }
  const isRead = (field: CheckField): boolean => {
    if (field === 'httpServerAddress') return hasAddress
    return field === 'verifySsl' ? hasVerifySsl : has(field)
  }
  const body = Object.fromEntries(FIELDS.filter(isRead).map((field) => [field, readers[field]()]))
  if (Object.keys(errors).length > 0) throw new FieldErrors(errors)
  return body
}

const INVALID_ADDRESS = 'Enter an IPv4 or IPv6 address.'

const DOMAIN_LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?$/u
/**
 * URL parsers treat a host whose last part is a number as an IP address (https://url.spec.whatwg.org/#ends-in-a-number-checker).
 */
const NUMERIC_LABEL = /^(?:\d+|0x[0-9a-f]*)$/i
const SCHEME = /^(https?):$/

/** Explains what is wrong with a target. Never quotes it, because it may contain a password. */
export function findTargetFault(target: string, protocol: string | undefined): string | undefined {
  if (!target) return 'Enter an IP address, domain, or URL.'
  if (isIP(target) !== 0 || isDomain(target)) return undefined
  if (isNumeric(target))
    return 'This isn’t an IPv4 address, which has four numbers from 0 to 255, such as 192.0.2.10.'
  const url = URL.parse(target)
  const scheme = SCHEME.exec(url?.protocol ?? '')?.[1]
  if (!url || !scheme)
    return 'This isn’t an IP address, domain, or URL, such as 192.0.2.10, shop.example.com, or https://shop.example.com/health.'
  if (url.username || url.password)
    return 'A target can’t contain a user name or password, because everyone who can see the health check could read it.'
  if (!isHost(url.hostname, target)) return 'This URL has no domain or IP address.'
  if (protocol === 'TCP') return 'TCP needs an IP address or a domain. For a URL, choose HTTP or HTTPS.'
  if (protocol !== undefined && protocol.toLowerCase() !== scheme)
    return `The target starts with ${scheme}://, but the protocol is ${protocol}. Change one of them.`
  return undefined
}

/** The port that a URL names, such as 8443 in `https://shop.example.com:8443/health`. The URL parser hides a default port. */
export function findUrlPort(target: string): number | undefined {
  const typed = /^[a-z][a-z+.-]*:\/\/(?:\[[^\]]*\]|[^/?#:]*):(\d{1,5})(?=[/?#]|$)/i.exec(target.trim())?.[1]
  return typed === undefined ? undefined : Number(typed)
}

/** Whether the target may contain a password. */
export const mayHoldPassword = (target: string): boolean => target.includes('@')

function isDomain(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.')
  return (
    text.length <= 253 &&
    labels.every((label) => DOMAIN_LABEL.test(label)) &&
    !NUMERIC_LABEL.test(labels.at(-1) ?? '')
  )
}

const isNumeric = (text: string): boolean => text.split('.').every((part) => NUMERIC_LABEL.test(part))

/** The URL parser reads `https://1.2.3` as 1.2.0.3, so an IP address must be written in full. */
function isHost(hostname: string, typed: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIP(bare) === 4) return typed.includes(bare)
  return isIP(bare) === 6 || isDomain(hostname)
}
