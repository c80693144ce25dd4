import { isIP } from 'node:net'
import type { HealthCheckBody } from '../../../api/health-checks.ts'
import { FieldErrors } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import { PROTOCOLS } from '../status.ts'
import { faultOfTarget } from './target.ts'

type Protocol = (typeof PROTOCOLS)[number]

export const takesServerAddress = (protocol: string): boolean => protocol === 'HTTP' || protocol === 'HTTPS'
export const takesVerifySsl = (protocol: string): boolean => protocol === 'HTTPS'

export const MAX_NAME = 255
const MAX_FREQUENCY = 31_536_000

/** A form's answers, and the name that its field for the port had: what is wrong with the port is said there. */
export interface TypedCheck {
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
    port: number(shownPortField(answers), 1, 65_535),
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
