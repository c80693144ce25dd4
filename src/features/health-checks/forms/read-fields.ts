import { isIP } from 'node:net'
import { FieldErrors } from '@signalman/runtime'
import type { Answers } from '@signalman/slack'
import { PROTOCOLS } from '../../../bot/replies/check-facts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'

type Protocol = (typeof PROTOCOLS)[number]

export const takesServerAddress = (protocol: string): boolean => protocol === 'HTTP' || protocol === 'HTTPS'
export const takesVerifySsl = (protocol: string): boolean => protocol === 'HTTPS'

export const MAX_NAME = 255
export const MAX_PORT = 65_535
export const MAX_FREQUENCY = 31_536_000

/** A form's answers, and the name that its field for the port had: what is wrong with the port is said there. */
interface TypedCheck {
  body: HealthCheckBody
  portField: string
}

/**
 * The name of the field for the port once the protocol was changed. Slack keeps what stands in a field as long as it has
 * its name, so that the port could not follow its protocol otherwise.
 */
export const portFieldOf = (protocol = ''): string =>
  PROTOCOLS.some((known) => known === protocol) ? `port-${protocol.toLowerCase()}` : 'port'

/** The field for the port that a form was sent with. */
export const shownPortField = (answers: Pick<Answers, 'has'>): string =>
  PROTOCOLS.map(portFieldOf).find((field) => answers.has(field)) ?? 'port'

export const readForm = (answers: Answers): TypedCheck => ({
  body: readFields(answers),
  portField: shownPortField(answers),
})

/** The form's answers as what the service is sent, fields by protocol. Throws FieldErrors: what is wrong and its mend. */
export function readFields(answers: Answers): HealthCheckBody {
  const errors: Record<string, string> = {}
  const fault = (field: string, sentence: string): void => {
    errors[field] ??= sentence
  }
  const number = (field: string, min: number, max: number): number => {
    const typed = answers.text(field) ?? ''
    const value = Number(typed)
    if (!/^\d+$/.test(typed) || value < min || value > max) {
      fault(field, `Give a whole number from ${min} to ${max}.`)
    }
    return value
  }

  const name = answers.text('name') ?? ''
  if (!name) fault('name', 'Give the health check a name.')
  if (name.length > MAX_NAME)
    fault('name', `The name has ${name.length} characters; at most ${MAX_NAME} fit.`)
  const protocol = PROTOCOLS.find((known) => known === answers.choice('protocol'))
  if (!protocol) fault('protocol', 'Choose TCP, HTTP or HTTPS.')
  const target = answers.text('target') ?? ''
  const targetFault = faultOfTarget(target, protocol)
  if (targetFault) fault('target', targetFault)
  const body: HealthCheckBody = {
    name,
    protocol: protocol ?? '',
    target,
    port: number(shownPortField(answers), 1, MAX_PORT),
    frequency: number('frequency', 1, MAX_FREQUENCY),
    customerId: number('customer', 1, Number.MAX_SAFE_INTEGER),
    ...byProtocol(answers, protocol, fault),
  }
  if (Object.keys(errors).length > 0) throw new FieldErrors(errors)
  return body
}

function byProtocol(
  answers: Answers,
  protocol: Protocol | undefined,
  fault: (field: string, sentence: string) => void,
): Pick<HealthCheckBody, 'httpServerAddress' | 'verifySsl'> {
  const address = answers.text('server-address')
  const isAddressed = protocol !== undefined && takesServerAddress(protocol) && address !== undefined
  if (isAddressed && isIP(address) === 0) {
    fault(
      'server-address',
      'Give an IPv4 or IPv6 address, or leave it empty to use the one the domain resolves to.',
    )
  }
  const verify = answers.choice('verify-ssl')
  return {
    ...(isAddressed && { httpServerAddress: address }),
    ...(protocol && takesVerifySsl(protocol) && { verifySsl: verify !== 'no' }),
  }
}

const LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?$/u
/** A name whose last part is a number is read as an address by whoever looks it up (https://url.spec.whatwg.org/#ends-in-a-number-checker). */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/i
const SCHEME = /^(https?):$/

/** What is wrong with a target, as a sentence that never repeats it: it may hold a password. */
export function faultOfTarget(target: string, protocol: string | undefined): string | undefined {
  if (!target) return 'Give an IP address, a domain or a URL.'
  if (isIP(target) !== 0 || isDomain(target)) return undefined
  if (isNumeric(target))
    return 'This is not an IPv4 address, which has four numbers from 0 to 255, e.g. 192.0.2.10.'
  const url = URL.parse(target)
  const scheme = SCHEME.exec(url?.protocol ?? '')?.[1]
  if (!url || !scheme)
    return 'This is not an IP address, domain or URL, e.g. 192.0.2.10, shop.example.com or https://shop.example.com/health.'
  if (url.username || url.password)
    return 'A target must not hold a user name or a password: everyone who may look would read it.'
  if (!isHost(url.hostname, target)) return 'There is no domain and no IP address in this URL.'
  if (protocol === 'TCP') return 'TCP takes an IP address or a domain; a URL needs HTTP or HTTPS.'
  if (protocol !== undefined && protocol.toLowerCase() !== scheme)
    return `The target begins with ${scheme}:// and the protocol is ${protocol}: make them the same.`
  return undefined
}

/** Whether somebody's password may stand in it. */
export const mayHoldPassword = (target: string): boolean => target.includes('@')

function isDomain(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.')
  return text.length <= 253 && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? '')
}

const isNumeric = (text: string): boolean => text.split('.').every((part) => NUMBER.test(part))

/** `https://1.2.3` would be read as 1.2.0.3: an address has to stand there as it is. */
function isHost(hostname: string, typed: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIP(bare) === 4) return typed.includes(bare)
  return isIP(bare) === 6 || isDomain(hostname)
}

/** How a service may name what a field of the form holds, where a sentence is about it. */
const NAMES: readonly (readonly [field: string, pattern: RegExp])[] = [
  ['server-address', /\b(?:http[ _-]?)?server[ _-]?address\b/i],
  ['verify-ssl', /\bverify[ _-]?ssl\b|\bssl verification\b/i],
  ['customer', /\bcustomer(?:[ _-]?id)?\b/i],
  ['frequency', /\bfrequency\b|\binterval\b/i],
  ['protocol', /\bprotocol\b/i],
  ['port', /\bport\b/i],
  ['target', /\btarget\b/i],
  ['name', /\bname\b/i],
]

/**
 * A refusal of the service brought back to the fields that its sentences are about; what is about none stays beside them.
 * Any other error comes back as it was.
 */
export function atFields(error: unknown, portField: string): unknown {
  const isRefusal =
    error instanceof ApiError &&
    (error.kind === 'rejected' || error.kind === 'conflict') &&
    !error.mayHaveHappened
  if (!isRefusal) return error
  const fields: Record<string, string> = {}
  const rest: string[] = []
  for (const sentence of error.said) {
    const named = fieldOf(sentence)
    const field = named === 'port' ? portField : named
    if (field === undefined) rest.push(sentence)
    else fields[field] = [fields[field], sentence].filter(Boolean).join(' ')
  }
  return Object.keys(fields).length > 0 ? new FieldErrors(fields, rest) : error
}

/** “Customer 2000 has a health check of this name already”: what is taken is the name, whatever else is named. */
const TAKEN = /\b(?:already|taken|exists?|in use|unique|duplicate|another name)\b/i
const NAME = /\bname\b/i

/** The field that is named first: “target must not be given with this protocol” is about the target. */
function fieldOf(sentence: string): string | undefined {
  if (TAKEN.test(sentence) && NAME.test(sentence)) return 'name'
  const found = NAMES.map(([field, pattern]) => ({ field, at: sentence.search(pattern) })).filter(
    ({ at }) => at >= 0,
  )
  return found.reduce<(typeof found)[number] | undefined>(
    (first, next) => (first && first.at <= next.at ? first : next),
    undefined,
  )?.field
}
