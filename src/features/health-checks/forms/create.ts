import { section } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { refill } from '../../../bot/forms/form-window.ts'
import { type FieldTable, numberField, textField } from '../../../bot/typed/fields.ts'
import { saveRow } from '../bulk/save-row.ts'
import type { BulkDeps } from '../bulk/start.ts'
import { frequencyField, SERVICE_FILTERS } from '../parse.ts'
import type { Settings } from '../rules/fields.ts'
import { checkInputs, parseForm, refusePortConflict } from './check-form.ts'

/** Defaults of a new check. An edit doesn't use them. */
const DEFAULTS: Settings = { protocol: 'HTTPS', frequency: 60, verifySsl: true }

const INTRO =
  'The service starts checking the target right away. No one gets alert emails until you add an alert.'

/** The form for a new health check, filled in with the typed values. */
export const createForm = form({
  id: 'health-checks.create',
  title: 'New health check',
  button: 'Create',
  verb: '/hc create',
  needs: 'operator',
  workingText: 'Creating the health check…',
  showsOteLabel: true,
  content(_, account: string, initial: Settings) {
    return {
      formState: { account },
      blocks: [section(INTRO), checkInputs({ ...DEFAULTS, ...dropUndefined(initial) })],
    }
  },
  /** Redraws the form when the protocol changes. */
  updateBlocks: (answers) => [
    section(INTRO),
    ...refill(checkInputs({ protocol: answers.choice('protocol'), verifySsl: true }), answers.values),
  ],
  read(answers) {
    const typed = parseForm(answers)
    refusePortConflict(typed)
    return typed
  },
  submit(context, body, { account }, deps: BulkDeps) {
    const row = { do: 'create', line: 1, name: body.name, to: body, alerts: [] } as const
    return saveRow(deps, context, { verb: '/hc create', account, row })
  },
})

const dropUndefined = (initial: Settings): Settings =>
  Object.fromEntries(Object.entries(initial).filter(([, value]) => value !== undefined))

const { protocol } = SERVICE_FILTERS

/** The fields that people can type after `/hc create` to fill in the form. */
export const PREFILL_FIELDS: FieldTable<
  Pick<Settings, 'name' | 'target' | 'protocol' | 'customerId' | 'frequency'>
> = {
  name: textField('name', 'Name', { valueName: 'NAME' }),
  target: textField('target', 'Target', { hint: 'A URL, domain, or IP address.', isWord: true }),
  protocol,
  customerId: numberField('customer', 'Customer ID', { min: 1 }),
  frequency: frequencyField,
}
