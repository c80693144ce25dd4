import { isIP } from 'node:net'
import type { HealthCheckBody } from '../../../api/health-checks.ts'
import { FieldErrors } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import { PROTOCOLS } from '../status.ts'

type Protocol = (typeof PROTOCOLS)[number]

export const takesServerAddress = (protocol: string): boolean => protocol === 'HTTP' || protocol === 'HTTPS'
export const takesVerifySsl = (protocol: string): boolean => protocol === 'HTTPS'

export const MAX_NAME = 255
const MAX_FREQUENCY = 31_536_000
const LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?$/u

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
    port: number('port', 1, 65_535),
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

function faultOfTarget(target: string, protocol: Protocol | undefined): string | undefined {
  if (!target) return 'Give an IP address, a domain or a URL.'
  if (isIP(target) !== 0 || isDomain(target)) return undefined
  const url = URL.parse(target)
  if (!url || !/^https?:$/.test(url.protocol)) {
    return 'This is no IP address, domain or URL, e.g. 192.0.2.10, shop.example.com or https://shop.example.com/health.'
  }
  return protocol === 'TCP' ? 'TCP takes an IP address or a domain; a URL needs HTTP or HTTPS.' : undefined
}

function isDomain(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.')
  return text.length <= 253 && labels.every((label) => LABEL.test(label))
}
