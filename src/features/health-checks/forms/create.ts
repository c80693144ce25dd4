import { type Answers, clip, numberInput, oneLine, section, selectInput, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../../bot/forms/form.ts'
import { type FieldTable, textField } from '../../../bot/typed/fields.ts'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import { listed } from '../../../domain/wording.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import { createOnce } from '../jobs/write-once.ts'
import { WHICH_FIELDS } from '../parse.ts'
import { MAX_NAME, MAX_PORT, protocolHasField } from '../rules/fields.ts'
import { checkView, USUAL_PORTS } from '../views/check.ts'
import { atFields, portFieldName, readForm, shownPortField } from './check-form.ts'

/** The form's initial values: none for a new check, everything the service returned for an edit. */
type KnownFields = { readonly [Field in keyof HealthCheckBody]?: HealthCheckBody[Field] | undefined }

/** Defaults of a new check. An edit starts with what the service returned, and no more. */
const DEFAULTS: KnownFields = { protocol: 'HTTPS', frequency: 60, verifySsl: true }

/** What was typed, with the default port of the new protocol instead of the old one's. */
export function followProtocol(typed: KnownFields, usual = USUAL_PORTS[typed.protocol ?? '']): KnownFields {
  const isOwn = typed.port !== undefined && !Object.values(USUAL_PORTS).includes(typed.port)
  return { ...typed, port: isOwn ? typed.port : usual }
}

interface Shown {
  /** The name of the field for the port. */
  portField?: string
  /** The address that the service uses, if nobody set one. */
  resolved?: string | undefined
  /** True if the service doesn't say whether someone set it. */
  isUnknown?: boolean | undefined
  /** Customers of other health checks. */
  customers?: readonly number[]
}

/** The fields, with what is known or was typed so far. */
export function fieldBlocks(
  known: KnownFields,
  { portField = 'port', resolved, isUnknown = false, customers = [] }: Shown = {},
): KnownBlock[] {
  const protocol = known.protocol ?? ''
  return [
    textInput('name', 'Name', { initial: known.name, max: MAX_NAME }),
    selectInput(
      'protocol',
      'Protocol',
      PROTOCOLS.map((value) => ({ label: value, value, chosen: value === protocol })),
      { dispatch: true },
    ),
    textInput('target', 'Target', {
      initial: known.target,
      hint: 'A URL, domain, or IP address, such as https://shop.example.com/health, shop.example.com, or 192.0.2.7.',
    }),
    numberInput(portField, 'Port', { initial: known.port ?? USUAL_PORTS[protocol], min: 1, max: MAX_PORT }),
    numberInput('frequency', 'Seconds between checks', { initial: known.frequency, min: 1 }),
    numberInput('customerId', 'Customer ID', {
      initial: known.customerId,
      min: 1,
      ...(customers.length > 0 && {
        hint: `Used by other health checks: ${listed(customers.map(String), 10, String)}.`,
      }),
    }),
    ...(protocolHasField('httpServerAddress', protocol)
      ? [
          ...(isUnknown ? [unknownAddressInput(resolved)] : []),
          textInput('httpServerAddress', isUnknown ? 'Another server address' : 'Server address', {
            initial: known.httpServerAddress,
            optional: true,
            hint: isUnknown
              ? 'An IP address to connect to. It overrides the choice above.'
              : `The IP address to connect to. If empty, the service resolves the domain in the target${resolved ? `, currently to ${clip(oneLine(resolved), 60)}` : ''}.`,
          }),
        ]
      : []),
    ...(protocolHasField('verifySsl', protocol)
      ? [
          selectInput('verifySsl', 'Verify the SSL/TLS certificate', [
            { label: 'Yes', value: 'yes', chosen: known.verifySsl === true },
            { label: 'No', value: 'no', chosen: known.verifySsl === false },
          ]),
        ]
      : []),
  ]
}

/** Nothing is preselected: the wrong choice would pin the check to an address, or unpin it. */
const unknownAddressInput = (shown: string | undefined) =>
  selectInput('unknownAddress', 'Server address', [
    { label: 'Resolve the domain in the target', value: 'resolve', chosen: false },
    ...(shown === undefined
      ? []
      : [
          {
            label: `Keep ${clip(oneLine(shown), 60)}, whether it was set or resolved`,
            value: 'keep',
            chosen: false,
          },
        ]),
  ])

/** What was typed so far, unchecked: enough to redraw the form. */
export function typedSoFar(answers: Answers): KnownFields {
  const verify = answers.choice('verifySsl')
  return {
    name: answers.text('name') ?? '',
    protocol: answers.choice('protocol'),
    target: answers.text('target'),
    port: readNumber(answers.text(shownPortField(answers))),
    frequency: readNumber(answers.text('frequency')),
    customerId: readNumber(answers.text('customerId')),
    httpServerAddress: answers.text('httpServerAddress'),
    ...(verify && { verifySsl: verify === 'yes' }),
  }
}

const readNumber = (typed: string | undefined): number | undefined =>
  typed && /^\d+$/.test(typed) ? Number(typed) : undefined

/** The answer to a creation lacks these two, so the sent values are used. */
const withSentValues = (check: HealthCheck, sent: HealthCheckBody): HealthCheck => ({
  ...check,
  httpServerAddress: check.httpServerAddress ?? sent.httpServerAddress,
  verifySsl: check.verifySsl ?? sent.verifySsl,
})

const CREATES =
  'The service starts checking the target right away. No one gets alert emails until you add an alert.'

/** Starts with what was typed, and with the customer if all other health checks have the same. */
export const createForm = form({
  id: 'health-checks.create',
  title: 'New health check',
  button: 'Create',
  verb: '/hc create',
  needs: 'operator',
  working: 'Creating the health check…',
  isMarked: true,
  asks(_, known: KnownFields, customers: readonly number[] = []) {
    const only = customers.length === 1 ? { customerId: customers[0] } : {}
    return {
      blocks: [
        section(CREATES),
        fieldBlocks({ ...DEFAULTS, ...only, ...dropUndefined(known) }, { customers }),
      ],
    }
  },
  /** Redrawn when the protocol changes, keeping what was typed. */
  follow(answers) {
    const typed = followProtocol(typedSoFar(answers))
    return [
      section(CREATES),
      ...fieldBlocks({ verifySsl: true, ...typed }, { portField: portFieldName(typed.protocol) }),
    ]
  },
  read: readForm,
  async submit(requester, { body, portField }) {
    const api = await requester.api()
    const check = await createOnce(requester, api, body, { verb: '/hc create' }).catch((error: unknown) => {
      throw atFields(error, portField)
    })
    return checkView(withSentValues(check, body), [], requester.environment, requester.now, {
      done: 'Created. The first result will be available soon.',
    })
  },
})

const dropUndefined = (known: KnownFields): KnownFields =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))

const { protocol, customerId } = WHICH_FIELDS

/** The fields of a new check that the line that opens its form may contain. */
export const GIVEN: FieldTable<Pick<KnownFields, 'name' | 'target' | 'protocol' | 'customerId'>> = {
  name: textField('name', 'Name'),
  target: textField('target', 'Target', { hint: 'A URL, domain, or IP address.' }),
  protocol,
  customerId,
}
