import { Notice, UserError } from '@signalman/runtime'
import { form } from '../../../bot/forms/form.ts'
import { refill } from '../../../bot/forms/form-window.ts'
import { unchangedAnswer } from '../../../bot/typed/field-window.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { planChange } from '../bulk/plan-checks.ts'
import { saveRow } from '../bulk/save-row.ts'
import type { BulkDeps } from '../bulk/start.ts'
import { type CheckField, FIELDS, type Patch, parseSettings, type Settings } from '../rules/fields.ts'
import { pickCheckSettings } from '../rules/settings.ts'
import { checkInputs, readTyped, type Typed, typedPort } from './check-form.ts'

/** The check as the person saw it when the window was opened. */
interface EditedCheck {
  uuid: string
  account: string
  seen: Settings
}

/** The form for editing a health check. Doesn't overwrite what somebody else has changed since it was opened. */
export const editForm = form({
  id: 'health-checks.edit',
  title: 'Edit health check',
  button: 'Save',
  verb: '/hc edit',
  needs: 'operator',
  workingText: 'Saving the health check…',
  showsOteLabel: true,
  content(_, check: HealthCheck, account: string) {
    const formState: EditedCheck = { uuid: check.uuid, account, seen: pickCheckSettings(check) }
    return { formState, blocks: checkInputs(formState.seen) }
  },
  /** Redraws the form when the protocol changes. Fields that reappear start with the service's values. */
  updateBlocks: (answers, { seen }) =>
    refill(
      checkInputs({ ...seen, protocol: answers.choice('protocol'), verifySsl: seen.verifySsl ?? true }),
      answers.values,
    ),
  read: readTyped,
  async submit(context, typed, { uuid, account, seen }, deps: BulkDeps) {
    const about = { line: 1, name: seen.name ?? uuid, uuid }
    const row = planChange(about, { settings: seen }, { set: parseEdited(typed, seen) })
    if (row === undefined) throw new Notice('Nothing was different, so nothing was saved.')
    if (typeof row === 'string') throw new UserError(row)
    return saveRow(deps, context, { verb: '/hc edit', account, row })
  },
})

/**
 * Parses the inputs that aren't as they were shown. The others stay as they are now, whoever changed them meanwhile, and whatever the
 * service has there: an input can't show each value exactly, and people may not set each. Throws FieldErrors.
 */
function parseEdited(typed: Typed, seen: Settings): Patch {
  const shown: Typed = Object.assign(
    {},
    ...checkInputs(seen).map((input) => readTyped(unchangedAnswer(input))),
  )
  const isEdited = (field: CheckField): boolean => typed[field] !== undefined && typed[field] !== shown[field]
  const { httpServerAddress: address, ...texts } = Object.fromEntries(
    FIELDS.filter(isEdited).map((field) => [field, typed[field] ?? '']),
  )
  // Otherwise, another protocol or target would imply a port.
  const mayMove = isEdited('protocol') || isEdited('target')
  const values: Patch = {
    ...parseSettings({
      ...texts,
      ...((mayMove || isEdited('port')) && { port: typedPort(typed) }),
      ...(address && { httpServerAddress: address }),
    }),
    ...(address === '' && { httpServerAddress: null }),
  }
  const isChanged = (field: CheckField) => field in values && (values[field] ?? undefined) !== seen[field]
  const isSet = (field: CheckField) => isChanged(field) || (field === 'port' && mayMove)
  return Object.fromEntries(FIELDS.filter(isSet).map((field) => [field, values[field]]))
}
