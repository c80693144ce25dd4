import { textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { unchangedAnswer } from '../../../bot/typed/field-window.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import { readAlerts } from '../read-alerts.ts'
import { FIELDS, MAX_NAME_LENGTH, type Patch, protocolHasField, type Settings } from '../rules/fields.ts'
import type { CheckState } from '../rules/row.ts'
import { applyPatch, listDiffering, pickCheckSettings } from '../rules/settings.ts'
import { checkView, unreadView } from '../views/check.ts'
import { NO_NOTES } from '../views/notes.ts'
import { type SaveDeps, saveRow } from '../write/save-row.ts'
import { checkInputs, parseForm, parseTypedValues, refusePortConflict } from './check-form.ts'

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
  updateBlocks(answers, { seen: { verifySsl, httpServerAddress } }) {
    const typed = parseTypedValues(answers)
    const values = answers.has('httpServerAddress') ? typed : { ...typed, httpServerAddress, verifySsl }
    return checkInputs({ ...values, verifySsl: values.verifySsl ?? true })
  },
  read: parseForm,
  async submit(context, body, { uuid, account, seen }, deps: SaveDeps) {
    // Two ports that the service has accepted stay as they are.
    if (body.target !== seen.target || body.port !== seen.port) refusePortConflict(body)
    const set = listEdited(body, seen)
    const row = {
      do: 'edit',
      line: 1,
      name: seen.name ?? uuid,
      uuid,
      before: { settings: seen },
      set,
    } as const
    const saved = isChange(row) ? await saveRow(deps, context, { verb: '/hc edit', account, row }) : undefined
    const said = saved ? (saved.reason ?? 'Saved.') : 'Nothing was different, so nothing was saved.'
    const notes = saved?.notes ?? NO_NOTES
    const api = await context.api()
    const read = await Promise.all([api.healthChecks.get(uuid), readAlerts(api, uuid)]).catch((error) => {
      if (saved && error instanceof ApiError) return undefined
      throw error
    })
    if (!read) return unreadView(context.environment, { uuid, said, notes })
    const [check, alerts] = read
    return checkView(check, alerts, context.environment, context.now, { done: [said], notes })
  },
})

const isChange = ({ before: { settings }, set }: { before: CheckState; set: Patch }): boolean =>
  listDiffering(settings, applyPatch(settings, set)).length > 0

/**
 * The values that aren't as they were shown: the others stay as they are now, whoever changed them meanwhile. An input can't show a long
 * name, or spaces around a name or target, exactly: such a value stays unless edited.
 */
function listEdited(body: HealthCheckBody, seen: Settings): Patch {
  const keepUnlessEdited = (typed: string, shown: string | undefined, max?: number): string => {
    const input = textInput('field', '', { initial: shown, ...(max && { max }) })
    return shown && typed === unchangedAnswer(input).text('field') ? shown : typed
  }
  const typed: Patch = {
    ...body,
    name: keepUnlessEdited(body.name, seen.name, MAX_NAME_LENGTH),
    target: keepUnlessEdited(body.target, seen.target),
    ...(protocolHasField('httpServerAddress', body.protocol) && {
      httpServerAddress: body.httpServerAddress ?? null,
    }),
  }
  const patch: Patch = Object.fromEntries(
    FIELDS.filter((field) => field in typed && (typed[field] ?? undefined) !== seen[field]).map((field) => [
      field,
      typed[field],
    ]),
  )
  // Otherwise, another protocol or target would imply a port.
  return patch.protocol === undefined && patch.target === undefined ? patch : { ...patch, port: body.port }
}
