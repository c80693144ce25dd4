import { isIP } from 'node:net'
import { FieldErrors, UserError } from '@signalman/runtime'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'

export type CheckField = keyof HealthCheckBody

/** The settings of a health check. A field that the service didn't return is undefined. */
export type Settings = { readonly [Field in CheckField]?: HealthCheckBody[Field] | undefined }

/** New values of some settings. A server address of null makes the service resolve the domain in the target. */
export type Patch = Omit<Settings, 'httpServerAddress'> & {
  readonly httpServerAddress?: string | null | undefined
}

/** A field of a check: its names on screens and in a CSV file, and what people type for it. */
interface FieldRules<T> {
  readonly label: string
  readonly column: string
  /** The protocols that have this field; undefined if all do. A field that only some have is optional. */
  readonly protocols?: readonly string[]
  /** Reads what was typed into a window, a cell, or after a flag. Throws UserError. */
  read(typed: string): T
}

export const MAX_NAME_LENGTH = 255
export const MAX_PORT = 65_535
export const DAY_S = 86_400
const MAX_FREQUENCY = 365 * DAY_S

/** Stands for a server address that the service finds by resolving the domain in the target. */
export const RESOLVE = 'resolve'

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 }
const INTERVAL = /^(\d{1,12}) ?(?:(ms|s|m|h)|(s)ec(?:ond)?s?|(m)in(?:ute)?s?|(h)ours?)?$/i
const YES = ['yes', 'true', '1']
const NO = ['no', 'false', '0']

/** In the order of a file's columns. The inputs of a form have the same names. */
export const CHECK_FIELDS: {
  readonly [Field in CheckField]-?: FieldRules<Exclude<Patch[Field], undefined>>
} = {
  name: {
    label: 'name',
    column: 'name',
    read(typed) {
      if (typed.trim() === '') throw new UserError('Enter a name.')
      if (typed.length > MAX_NAME_LENGTH)
        throw new UserError(`The name has ${typed.length} characters. The limit is ${MAX_NAME_LENGTH}.`)
      return typed
    },
  },
  protocol: {
    label: 'protocol',
    column: 'protocol',
    read(typed) {
      const protocol = PROTOCOLS.find((each) => each === typed.toUpperCase())
      if (!protocol) throw new UserError('Choose TCP, HTTP, or HTTPS.')
      return protocol
    },
  },
  target: {
    label: 'target',
    column: 'target',
    read(typed) {
      const fault = findTargetFault(typed, undefined)
      if (fault) throw new UserError(fault)
      return typed
    },
  },
  port: {
    label: 'port',
    column: 'port',
    read: (typed) => parseWholeNumber(typed, MAX_PORT),
  },
  frequency: {
    label: 'frequency',
    column: 'frequency',
    read: parseSeconds,
  },
  customerId: {
    label: 'customer',
    column: 'customer_id',
    read: (typed) => parseWholeNumber(typed),
  },
  httpServerAddress: {
    label: 'server address',
    column: 'http_server_address',
    protocols: ['HTTP', 'HTTPS'],
    read(typed) {
      if (typed.toLowerCase() === RESOLVE) return null
      if (isIP(typed) === 0) throw new UserError(`Enter an IPv4 or IPv6 address, or “${RESOLVE}”.`)
      return typed
    },
  },
  verifySsl: {
    label: 'SSL verification',
    column: 'verify_ssl',
    protocols: ['HTTPS'],
    read(typed) {
      const word = typed.toLowerCase()
      if (!YES.includes(word) && !NO.includes(word)) throw new UserError('Enter yes or no.')
      return YES.includes(word)
    },
  },
}

// `Object.keys` loses the type of the table's keys.
export const FIELDS = Object.keys(CHECK_FIELDS) as readonly CheckField[]

/** Whether checks with this protocol have the field. */
export const protocolHasField = (field: CheckField, protocol: string | undefined): boolean =>
  CHECK_FIELDS[field].protocols?.includes(protocol?.toUpperCase() ?? '') ?? true

export const DEFAULT_PORTS: Readonly<Record<string, number>> = { HTTP: 80, HTTPS: 443 }

function parseWholeNumber(typed: string, max?: number): number {
  const value = Number(typed)
  if (/^\d{1,16}$/.test(typed) && value >= 1 && value <= (max ?? Number.MAX_SAFE_INTEGER)) return value
  throw new UserError(`Enter a whole number ${max === undefined ? 'from 1' : `from 1 to ${max}`}.`)
}

/** The seconds in `60`, `90 s`, `5 min`, or `2h`. More than a day needs its unit, because other tools mean milliseconds. */
function parseSeconds(typed: string): number {
  const [, digits, ...units] = INTERVAL.exec(typed) ?? []
  const unit = units.find((each) => each !== undefined) ?? ''
  if (unit === '' && Number(digits) > DAY_S)
    throw new UserError(`${typed} s is more than a day. Add the unit: s, ms, min, or h.`)
  const seconds = Number(digits) * (UNITS[unit.toLowerCase()] ?? 1)
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_FREQUENCY) return seconds
  throw new UserError(`Enter a time from 1 s to ${MAX_FREQUENCY / DAY_S} days, such as 60 s or 5 min.`)
}

/**
 * Parses the typed values of some fields. Leaves out what the typed protocol doesn't have. Throws FieldErrors with a sentence for each
 * field.
 */
export function parseSettings(typed: Readonly<Partial<Record<CheckField, string>>>): Patch {
  const { protocol = '', target } = typed
  const errors: Record<string, string> = {}
  const values: Record<string, unknown> = {}
  for (const field of FIELDS) {
    const text = typed[field]
    // Without a protocol, the check may have any field.
    if (text === undefined || (protocol !== '' && !protocolHasField(field, protocol))) continue
    try {
      values[field] = CHECK_FIELDS[field].read(text)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      errors[field] = error.message
    }
  }
  const targetFault =
    target !== undefined && values.protocol ? findTargetFault(target, String(values.protocol)) : undefined
  if (targetFault) errors.target ??= targetFault
  if (Object.keys(errors).length > 0) throw new FieldErrors(errors)
  return values
}

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

/** The port that a check has unless it says another one: that of its URL, or the default of its protocol. */
export const findUsualPort = ({ protocol = '', target = '' }: Settings): number | undefined =>
  findUrlPort(target) ?? DEFAULT_PORTS[protocol.toUpperCase()]

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
