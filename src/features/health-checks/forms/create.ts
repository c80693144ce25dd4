import type { KnownBlock } from '@slack/types'
import type { HealthCheck, HealthCheckBody } from '../../../api/health-checks.ts'
import { numberInput, selectInput, textInput } from '../../../blocks/inputs.ts'
import { context } from '../../../blocks/layout.ts'
import { clip, oneLine } from '../../../blocks/text.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import type { Arguments, FlagSpecs } from '../../../bot/typed/command-line.ts'
import type { Environment } from '../../../domain/environment.ts'
import { listed } from '../../../domain/wording.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import { alike, lookUpCreate } from '../look-up.ts'
import { PROTOCOLS } from '../status.ts'
import { checkView } from '../views/check.ts'
import {
  portFieldOf,
  readForm,
  shownPortField,
  type TypedCheck,
  takesServerAddress,
  takesVerifySsl,
} from './read-fields.ts'
import { atFields } from './refusals.ts'

/** What the form starts with: nothing for a new check, everything the service knows for an edit. */
type Known = Partial<Pick<HealthCheck, keyof HealthCheckBody>>

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ['HTTP', 80],
  ['HTTPS', 443],
])

/** What a new check starts with where nothing was typed. An edit starts with what the service knows, and no more. */
const NEW: Known = { protocol: 'HTTPS', frequency: 60, verifySsl: true }

/** What was typed, with the port that goes with the protocol in place of one that goes with another. */
export function followed(typed: Known, usual = DEFAULT_PORTS.get(typed.protocol ?? '')): Known {
  const isOwn = typed.port !== undefined && ![...DEFAULT_PORTS.values()].includes(typed.port)
  return { ...typed, port: isOwn ? typed.port : usual }
}

interface Shown {
  /** The name of the field for the port. */
  portField?: string
  /** The address that the service uses, where nobody gave one. */
  resolved?: string | undefined
  /** Customers that other health checks are of. */
  customers?: readonly number[]
}

/** The fields, by what is known or was typed so far. */
export function fieldBlocks(
  known: Known,
  { portField = 'port', resolved, customers = [] }: Shown = {},
): KnownBlock[] {
  const protocol = known.protocol ?? ''
  return [
    textInput('name', 'Name', { initial: known.name, max: 255 }),
    selectInput(
      'protocol',
      'Protocol',
      PROTOCOLS.map((value) => ({ label: value, value, chosen: value === protocol })),
      { dispatch: true },
    ),
    textInput('target', 'Target', {
      initial: known.target,
      hint: 'An IPv4 or IPv6 address, a domain, or a URL.',
    }),
    numberInput(portField, 'Port', {
      initial: known.port ?? DEFAULT_PORTS.get(protocol),
      min: 1,
      max: 65_535,
    }),
    numberInput('frequency', 'Seconds between checks', { initial: known.frequency, min: 1 }),
    numberInput('customer', 'Customer ID', {
      initial: known.customerId,
      min: 1,
      ...(customers.length > 0 && {
        hint: `Of other health checks: ${listed(customers.map(String), 10, String)}.`,
      }),
    }),
    ...(takesServerAddress(protocol)
      ? [
          textInput('server-address', 'Server address', {
            initial: known.httpServerAddress,
            optional: true,
            hint: `The IP address to connect to. Left empty, the domain in the target is resolved${resolved ? `: to ${clip(oneLine(resolved), 60)} at present` : ''}.`,
          }),
        ]
      : []),
    ...(takesVerifySsl(protocol)
      ? [
          selectInput('verify-ssl', 'Verify the SSL/TLS certificate', [
            { label: 'Yes', value: 'yes', chosen: known.verifySsl === true },
            { label: 'No', value: 'no', chosen: known.verifySsl === false },
          ]),
        ]
      : []),
  ]
}

/** What was typed so far, unchecked: enough to draw the form again. */
export function typedSoFar(answers: Answers): Known {
  const verify = answers.choice('verify-ssl')
  return {
    name: answers.text('name') ?? '',
    protocol: answers.choice('protocol'),
    target: answers.text('target'),
    port: numberOf(answers.text(shownPortField(answers))),
    frequency: numberOf(answers.text('frequency')),
    customerId: numberOf(answers.text('customer')),
    httpServerAddress: answers.text('server-address'),
    ...(verify && { verifySsl: verify === 'yes' }),
  }
}

const numberOf = (typed: string | undefined): number | undefined =>
  typed && /^\d+$/.test(typed) ? Number(typed) : undefined

export const environmentLine = (isOte: boolean): KnownBlock[] =>
  isOte ? [context('OTE test environment')] : []

/** The answer to a creation lacks these two: what was sent stands in for them. */
export const completed = (check: HealthCheck, sent: HealthCheckBody): HealthCheck => ({
  ...check,
  httpServerAddress: check.httpServerAddress ?? sent.httpServerAddress,
  verifySsl: check.verifySsl ?? sent.verifySsl,
})

/** Drawn again when the protocol changes: what was typed stays. */
function follow(answers: Answers, _: unknown, environment: Environment): KnownBlock[] {
  const typed = followed(typedSoFar(answers))
  return [
    ...environmentLine(environment === 'ote'),
    ...fieldBlocks({ verifySsl: true, ...typed }, { portField: portFieldOf(typed.protocol) }),
  ]
}

export const createForm: Form<TypedCheck, undefined> = {
  id: 'health-checks.create',
  verb: '/hc create',
  needs: 'operator',
  working: 'Creating the health check…',
  read: readForm,
  async submit(requester, { body, portField }) {
    const { healthChecks } = await requester.api()
    const before = await requester.keep('alike', async () =>
      (await alike(healthChecks, body)).map(({ uuid }) => uuid),
    )
    const created = requester.change(
      {
        verb: '/hc create',
        object: `health-check ${body.name}`,
        after: (made: HealthCheck | undefined) => ({ ...body, ...(made && { uuid: made.uuid }) }),
        lookUp: () => lookUpCreate(healthChecks, body, before),
      },
      () => healthChecks.create(body),
    )
    const check = await created.catch((error: unknown) => {
      throw atFields(error, portField)
    })
    const { text, blocks } = checkView(completed(check, body), [], requester.environment, requester.now)
    return {
      text: `Created. ${text}`,
      blocks: [context('Created. The first result follows soon.'), ...blocks],
    }
  },
  follow,
}

const defined = (known: Known): Known =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))

/** What of a new check may stand in the line that opens its form. */
export const CREATE_FLAGS = {
  name: 'value',
  target: 'value',
  protocol: PROTOCOLS,
  customer: 'value',
} satisfies FlagSpecs

export function knownFrom({ name, target, protocol, customer }: Arguments['flags']): Known {
  const text = (flag: string | true | undefined) => (typeof flag === 'string' ? flag : undefined)
  return {
    name: text(name) ?? '',
    target: text(target),
    ...(text(protocol) && { protocol: text(protocol) }),
    customerId: numberOf(text(customer)),
  }
}

/** `customers` are those of other health checks; the only one there is stands in the form. */
export const createModal = (isOte: boolean, known: Known = {}, customers: readonly number[] = []): Modal => ({
  title: 'New health check',
  form: { id: createForm.id, submit: 'Create' },
  blocks: [
    environmentLine(isOte),
    fieldBlocks(
      { ...NEW, ...(customers.length === 1 && { customerId: customers[0] }), ...defined(known) },
      { customers },
    ),
  ],
})
