import { FieldErrors, UserError } from '@signalman/runtime'
import { type Answers, numberInput, section, selectInput, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { WriteDeps } from '../../../bot/audit/hold-check.ts'
import { form } from '../../../bot/forms/form.ts'
import { type FieldTable, textField } from '../../../bot/typed/fields.ts'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import { formatList } from '../../../domain/wording.ts'
import { frequencyField, SERVICE_FILTERS } from '../parse.ts'
import {
  CHECK_FIELDS,
  findUsualPort,
  MAX_NAME_LENGTH,
  MAX_PORT,
  protocolHasField,
  type Settings,
} from '../rules/fields.ts'
import { NAME_TAKEN } from '../rules/row.ts'
import { checkView } from '../views/check.ts'
import { writeInWindow } from '../write/write-in-window.ts'
import { readForm, refusePortConflict } from './check-form.ts'

/** Defaults of a new check. An edit doesn't use them. */
const DEFAULTS: Settings = { protocol: 'HTTPS', frequency: 60, verifySsl: true }

/** The form's inputs with their initial values. */
export function checkInputs(
  initial: Settings,
  /** The customers of other health checks, as suggestions. */
  customers: readonly number[] = [],
): KnownBlock[] {
  const protocol = initial.protocol ?? ''
  return [
    textInput('name', 'Name', { initial: initial.name, max: MAX_NAME_LENGTH }),
    selectInput(
      'protocol',
      'Protocol',
      PROTOCOLS.map((value) => ({ label: value, value, chosen: value === protocol })),
      { dispatch: true },
    ),
    textInput('target', 'Target', {
      initial: initial.target,
      hint: 'A URL, domain, or IP address, such as https://shop.example.com/health, shop.example.com, or 192.0.2.7.',
    }),
    numberInput('port', 'Port', {
      initial: initial.port === findUsualPort(initial) ? undefined : initial.port,
      min: 1,
      max: MAX_PORT,
      optional: protocol !== 'TCP',
      hint: 'HTTP and HTTPS don’t need it: an empty field means the port in the target, or 80 and 443.',
    }),
    frequencyField.input(initial.frequency),
    numberInput('customerId', 'Customer ID', {
      initial: initial.customerId,
      min: 1,
      ...(customers.length > 0 && {
        hint: `Used by other health checks: ${formatList(customers.map(String), 10, String)}.`,
      }),
    }),
    ...(protocolHasField('httpServerAddress', protocol)
      ? [
          textInput('httpServerAddress', 'Server address', {
            initial: initial.httpServerAddress,
            optional: true,
            hint: 'The IP address that the service connects to. Empty it to make the service resolve the domain in the target.',
          }),
        ]
      : []),
    ...(protocolHasField('verifySsl', protocol)
      ? [
          selectInput('verifySsl', 'Verify the SSL/TLS certificate', [
            { label: 'Yes', value: 'yes', chosen: initial.verifySsl === true },
            { label: 'No', value: 'no', chosen: initial.verifySsl === false },
          ]),
        ]
      : []),
  ]
}

/** Reads the typed values without validating them, to redraw the form. */
export function readTypedValues(answers: Answers): Settings {
  const verify = answers.choice('verifySsl')
  return {
    name: answers.text('name') ?? '',
    protocol: answers.choice('protocol'),
    target: answers.text('target'),
    port: readNumber(answers.text('port')),
    frequency: readFrequency(answers.text('frequency')),
    customerId: readNumber(answers.text('customerId')),
    httpServerAddress: answers.text('httpServerAddress'),
    ...(verify && { verifySsl: verify === 'yes' }),
  }
}

const readNumber = (typed: string | undefined): number | undefined =>
  typed && /^\d+$/.test(typed) ? Number(typed) : undefined

function readFrequency(typed = ''): number | undefined {
  try {
    return CHECK_FIELDS.frequency.read(typed)
  } catch {
    // Slack keeps what was typed.
    return undefined
  }
}

const INTRO =
  'The service starts checking the target right away. No one gets alert emails until you add an alert.'

/** The form for a new health check. Filled in with the typed values, and with the customer if all other checks have the same one. */
export const createForm = form({
  id: 'health-checks.create',
  title: 'New health check',
  button: 'Create',
  verb: '/hc create',
  needs: 'operator',
  workingText: 'Creating the health check…',
  showsOteLabel: true,
  content(_, account: string, initial: Settings, customers: readonly number[] = []) {
    const customer = customers.length === 1 ? { customerId: customers[0] } : {}
    const formState: NewCheckState = { account }
    return {
      formState,
      blocks: [
        section(INTRO),
        checkInputs({ ...DEFAULTS, ...customer, ...dropUndefined(initial) }, customers),
      ],
    }
  },
  /** Redraws the form when the protocol changes, and keeps what was typed. */
  updateBlocks: (answers) => [
    section(INTRO),
    ...checkInputs({ verifySsl: true, ...readTypedValues(answers) }),
  ],
  read(answers) {
    const typed = readForm(answers)
    refusePortConflict(typed)
    return typed
  },
  async submit(context, body, { account }, deps: WriteDeps) {
    const row = { do: 'create', line: 1, name: body.name, to: body, alerts: [] } as const
    const created = await writeInWindow(deps, context, { verb: '/hc create', account, row }).catch(
      (error: unknown) => {
        if (error instanceof UserError && error.message === NAME_TAKEN)
          throw new FieldErrors({ name: error.message })
        throw error
      },
    )
    const check = await (await context.api()).healthChecks.get(created.uuid ?? '')
    return checkView(check, [], context.environment, context.now, {
      done: [
        'Created. The first result will be available soon.',
        ...(created.reason ? [created.reason] : []),
      ],
    })
  },
})

/** The account that the window was opened under. */
interface NewCheckState {
  account: string
}

const dropUndefined = (initial: Settings): Settings =>
  Object.fromEntries(Object.entries(initial).filter(([, value]) => value !== undefined))

const { protocol, customerId } = SERVICE_FILTERS

/** The fields that people can type after `/hc create` to fill in the form. */
export const PREFILL_FIELDS: FieldTable<
  Pick<Settings, 'name' | 'target' | 'protocol' | 'customerId' | 'frequency'>
> = {
  name: textField('name', 'Name', { valueName: 'NAME' }),
  target: textField('target', 'Target', { hint: 'A URL, domain, or IP address.' }),
  protocol,
  customerId,
  frequency: frequencyField,
}
