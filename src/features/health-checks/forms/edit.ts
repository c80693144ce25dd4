import { UserError } from '@signalman/runtime'
import { textInput } from '@signalman/slack'
import type { WriteDeps } from '../../../bot/audit/hold-check.ts'
import { form } from '../../../bot/forms/form.ts'
import { unchangedAnswer } from '../../../bot/typed/field-window.ts'
import { lastChange } from '../../../bot/views/check-facts.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import { readAlerts } from '../read-alerts.ts'
import { MAX_NAME_LENGTH, protocolHasField } from '../rules/fields.ts'
import { findNewAddress } from '../rules/row.ts'
import { findForeignChange, type Patch, readSettings, type Settings } from '../rules/settings.ts'
import { checkView } from '../views/check.ts'
import { writeInWindow } from '../write/write-in-window.ts'
import { portFieldName, readForm, refusePortConflict, toFieldErrors } from './check-form.ts'
import { checkInputs, readTypedValues, withDefaultPort } from './create.ts'

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
    const formState: EditedCheck = { uuid: check.uuid, account, seen: readSettings(check) }
    return { formState, blocks: checkInputs(formState.seen) }
  },
  /** Redraws the form when the protocol changes. Fields that reappear start with the service's values. */
  updateBlocks(answers, { seen: { verifySsl, protocol, port, httpServerAddress } }) {
    const answered = readTypedValues(answers)
    const typed =
      answered.protocol === protocol && port !== undefined
        ? withDefaultPort(answered, port)
        : withDefaultPort(answered)
    const values = answers.has('httpServerAddress')
      ? typed
      : { ...typed, httpServerAddress, ...(verifySsl !== undefined && { verifySsl }) }
    return checkInputs({ verifySsl: true, ...values }, { portField: portFieldName(typed.protocol) })
  },
  read: readForm,
  async submit(context, { body, portField }, { uuid, account, seen }, deps: WriteDeps) {
    // Two ports that the service has accepted stay as they are.
    if (body.target !== seen.target || body.port !== seen.port) refusePortConflict({ body, portField })
    const set = toPatch(body, seen)
    const api = await context.api()
    const current = await api.healthChecks.get(uuid)
    const foreign = findForeignChange(seen, readSettings(current), set)
    if (foreign)
      throw new UserError(
        `It was changed${lastChange(current)}, after you opened this window, so nothing was saved. ${foreign}`,
        [{ label: 'Open current version', line: `/hc edit ${quoted(uuid)}` }],
      )
    const row = {
      do: 'edit',
      line: 1,
      name: seen.name ?? uuid,
      uuid,
      before: { settings: seen },
      set,
    } as const
    await writeInWindow(deps, context, { verb: '/hc edit', account, row }).catch((error: unknown) => {
      throw toFieldErrors(error, portField)
    })
    const [check, alerts] = await Promise.all([api.healthChecks.get(uuid), readAlerts(api, uuid)])
    const newAddress = findNewAddress(row, check)
    return checkView(check, alerts, context.environment, context.now, { done: 'Saved.', newAddress })
  },
})

/** The values to save. An input can't show a long name, or spaces around a name or target, exactly: such a value stays unless edited. */
function toPatch(
  { httpServerAddress, ...body }: HealthCheckBody,
  { name, target, httpServerAddress: seenAddress }: Settings,
): Patch {
  const keepUnlessEdited = (typed: string, seen: string | undefined, max?: number): string => {
    const input = textInput('field', '', { initial: seen, ...(max && { max }) })
    return seen && typed === unchangedAnswer(input).text('field') ? seen : typed
  }
  return {
    ...body,
    name: keepUnlessEdited(body.name, name, MAX_NAME_LENGTH),
    target: keepUnlessEdited(body.target, target),
    // One that stays as shown isn't set, because DNS may have given it.
    ...(protocolHasField('httpServerAddress', body.protocol) &&
      httpServerAddress !== seenAddress && { httpServerAddress: httpServerAddress ?? null }),
  }
}
