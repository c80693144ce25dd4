import { FieldErrors } from '@signalman/runtime'
import { type Answers, numberInput, selectInput, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import { frequencyField } from '../parse.ts'
import {
  type CheckField,
  FIELDS,
  findUsualPort,
  MAX_NAME_LENGTH,
  MAX_PORT,
  parseSettings,
  protocolHasField,
  type Settings,
} from '../rules/fields.ts'
import { describePortConflict } from '../rules/settings.ts'

/** The form's inputs with their initial values, in the order of the fields. */
export function checkInputs(initial: Settings): KnownBlock[] {
  const protocol = initial.protocol ?? ''
  const inputs: Readonly<Record<CheckField, KnownBlock>> = {
    name: textInput('name', 'Name', { initial: initial.name, max: MAX_NAME_LENGTH }),
    protocol: selectInput(
      'protocol',
      'Protocol',
      PROTOCOLS.map((value) => ({ label: value, value, chosen: value === protocol })),
      // The service may have another one, which stays unless one is chosen.
      { dispatch: true, optional: protocol !== '' && !PROTOCOLS.some((each) => each === protocol) },
    ),
    target: textInput('target', 'Target', {
      initial: initial.target,
      hint: 'A URL, domain, or IP address, such as https://shop.example.com/health, shop.example.com, or 192.0.2.7.',
    }),
    port: numberInput('port', 'Port', {
      initial: initial.port === findUsualPort(initial) ? undefined : initial.port,
      min: 1,
      max: MAX_PORT,
      optional: protocol !== 'TCP',
      hint: 'HTTP and HTTPS don’t need it: an empty field means the port in the target, or 80 and 443.',
    }),
    frequency: frequencyField.input(initial.frequency),
    customerId: numberInput('customerId', 'Customer ID', {
      initial: initial.customerId,
      min: 1,
      optional: initial.customerId !== undefined && initial.customerId < 1,
      hint: 'The number of the customer at the service that it belongs to. Details of another health check shows its number.',
    }),
    httpServerAddress: textInput('httpServerAddress', 'Server address', {
      initial: initial.httpServerAddress,
      optional: true,
      hint: 'The IP address that the service connects to. Empty it to make the service resolve the domain in the target.',
    }),
    verifySsl: selectInput('verifySsl', 'Verify the SSL/TLS certificate', [
      { label: 'Yes', value: 'yes', chosen: initial.verifySsl === true },
      { label: 'No', value: 'no', chosen: initial.verifySsl === false },
    ]),
  }
  return FIELDS.filter((field) => protocolHasField(field, protocol)).map((field) => inputs[field])
}

/** What stands in the inputs: empty for an empty one, and missing where the form has none. */
export type Typed = Readonly<Partial<Record<CheckField, string>>>

export const readTyped = (answers: Answers): Typed =>
  Object.fromEntries(
    FIELDS.flatMap((field) =>
      answers.has(field) ? [[field, answers.text(field) ?? answers.choice(field) ?? '']] : [],
    ),
  )

/** What is typed for the port. In an empty input, the usual one. */
export const typedPort = ({ port, protocol, target }: Typed): string =>
  port || String(findUsualPort({ protocol, target }) ?? '')

/** Parses the answers of a form for a new check. Throws FieldErrors. */
export function parseForm(answers: Answers): HealthCheckBody {
  const { httpServerAddress, ...typed } = readTyped(answers)
  // An empty address follows DNS.
  const set = { ...typed, port: typedPort(typed), ...(httpServerAddress && { httpServerAddress }) }
  // Cast: `checkInputs` has an input for each field, and no required one may be empty.
  return parseSettings(set) as HealthCheckBody
}

/** Throws FieldErrors if the target is a URL that names another port than the port field. */
export function refusePortConflict(body: HealthCheckBody): void {
  const conflict = describePortConflict(body)
  if (conflict !== undefined) throw new FieldErrors({ port: conflict })
}
