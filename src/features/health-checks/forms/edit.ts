import { UserError } from '@signalman/runtime'
import { clip, oneLine, textInput } from '@signalman/slack'
import type { WriteDeps } from '../../../bot/audit/hold-check.ts'
import { form } from '../../../bot/forms/form.ts'
import { unchangedAnswer } from '../../../bot/typed/field-window.ts'
import { lastChange } from '../../../bot/views/check-facts.ts'
import { quoted } from '../../../domain/quoting.ts'
import { isNotFound } from '../../../service/errors.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { sendBefore } from '../files/before.ts'
import { readAlerts } from '../read-alerts.ts'
import {
  type CheckField,
  FIELDS,
  MAX_NAME_LENGTH,
  type Patch,
  protocolHasField,
  type Settings,
} from '../rules/fields.ts'
import { findAddressNote } from '../rules/row.ts'
import { applyPatch, listDiffering, readSettings } from '../rules/settings.ts'
import { checkView } from '../views/check.ts'
import { SkippedRow, writeInWindow } from '../write/write-in-window.ts'
import { checkInputs, readForm, readTypedValues, refusePortConflict } from './check-form.ts'

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
  updateBlocks(answers, { seen: { verifySsl, httpServerAddress } }) {
    const typed = readTypedValues(answers)
    const values = answers.has('httpServerAddress')
      ? typed
      : { ...typed, httpServerAddress, ...(verifySsl !== undefined && { verifySsl }) }
    return checkInputs({ verifySsl: true, ...values })
  },
  read: readForm,
  async submit(context, body, { uuid, account, seen }, deps: WriteDeps) {
    // Two ports that the service has accepted stay as they are.
    if (body.target !== seen.target || body.port !== seen.port) refusePortConflict(body)
    const set = toPatch(body, seen)
    const name = seen.name ?? uuid
    const row = { do: 'edit', line: 1, name, uuid, before: { settings: seen }, set } as const
    const api = await context.api()
    const write = () =>
      writeInWindow(deps, context, { verb: '/hc edit', account, row }).catch(async (error: unknown) => {
        throw error instanceof SkippedRow ? await explainSkipped(api, uuid, error) : error
      })
    const end = listDiffering(seen, applyPatch(seen, set)).length > 0 ? await write() : undefined
    const [check, alerts] = await Promise.all([api.healthChecks.get(uuid), readAlerts(api, uuid)])
    const note = end && findAddressNote(row, end.kept, check)
    const undo = end && (await sendBefore(context, clip(oneLine(name), 150), { row, note }))
    const done = [end ? 'Saved.' : 'Nothing was different, so nothing was saved.', end?.reason, undo]
    return checkView(check, alerts, context.environment, context.now, {
      done: done.filter((line) => line !== undefined),
      note,
    })
  },
})

/** Says who has changed or deleted the check since the window was opened. */
async function explainSkipped(
  { healthChecks }: Api,
  uuid: string,
  { message }: SkippedRow,
): Promise<UserError> {
  const check = await healthChecks.get(uuid).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  return check
    ? new UserError(
        `It was changed${lastChange(check)}, after you opened this window, so nothing was saved. ${message}`,
        [{ label: 'Open current version', line: `/hc edit ${quoted(uuid)}` }],
      )
    : new UserError('It was deleted after you opened this window, so nothing was saved.', [
        { label: 'List health checks', line: '/hc list' },
      ])
}

/**
 * The values that aren't as they were shown: the others stay as they are now, whoever changed them meanwhile. An input can't show a long
 * name, or spaces around a name or target, exactly: such a value stays unless edited.
 */
function toPatch(body: HealthCheckBody, seen: Settings): Patch {
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
  const patch = pickFields(typed, (field) => (typed[field] ?? undefined) !== seen[field])
  // Otherwise, another protocol or target would imply a port.
  return patch.protocol === undefined && patch.target === undefined ? patch : { ...patch, port: body.port }
}

const pickFields = (patch: Patch, isWanted: (field: CheckField) => boolean): Patch =>
  Object.fromEntries(
    FIELDS.flatMap((field) => (isWanted(field) && field in patch ? [[field, patch[field]]] : [])),
  )
