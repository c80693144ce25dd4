import { HOUR_MS, Question } from '@signalman/runtime'
import { clip, type Message, oneLine, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { CommandContext, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import { unchangedAnswer } from '../../../bot/typed/field-window.ts'
import { checkName, lastChange } from '../../../bot/views/check-facts.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import type { ReadCheck } from '../jobs/read-check.ts'
import { readForEdit } from '../jobs/read-for-edit.ts'
import type { JobDeps } from '../jobs/start-job.ts'
import { connectForWindow, runWindowJob } from '../jobs/window-job.ts'
import { readAlerts } from '../read-alerts.ts'
import {
  type Address,
  type Edit,
  type Field,
  type Fields,
  IDENTITY_FIELDS,
  type Patch,
} from '../rules/change.ts'
import {
  applyPatch,
  describeFieldValue,
  fieldMatches,
  fieldName,
  listDifferingFields,
  pick,
} from '../rules/compare.ts'
import { MAX_NAME_LENGTH, protocolHasField } from '../rules/fields.ts'
import { applyAnswer, isAddressMissing } from '../rules/server-address.ts'
import { checkView } from '../views/check.ts'
import { portFieldName, readForm, refusePortConflict, toFieldErrors } from './check-form.ts'
import { checkInputs, type InputOptions, readTypedValues, withDefaultPort } from './create.ts'

/** The check as the person saw it when the window was opened. */
interface EditedCheck {
  uuid: string
  /** The account that it belongs to. */
  account: string
  seen: Fields
  /** The address that the service connects to. */
  resolved?: string | undefined
}

export type EditDeps = JobDeps

/** The form for editing a health check. Asks before it overwrites someone else's change. */
export const editForm = form({
  id: 'health-checks.edit',
  title: 'Edit health check',
  button: 'Save',
  verb: '/hc edit',
  needs: 'operator',
  workingText: 'Saving the health check…',
  showsOteLabel: true,
  content(_, { current, details }: ReadCheck, account: string) {
    const { uuid, state } = current
    const { httpServerAddress: resolved } = details
    const formState: EditedCheck = { uuid, account, seen: state.fields, ...(resolved && { resolved }) }
    return { formState, blocks: checkInputs(toInitialValues(state.fields), addressOptions(formState)) }
  },
  /** Redraws the form when the protocol changes. Fields that reappear start with the service's values. */
  updateBlocks(answers, formState) {
    const { verifySsl, protocol, port, httpServerAddress } = toInitialValues(formState.seen)
    const restored = {
      ...(httpServerAddress && { httpServerAddress }),
      ...(verifySsl !== undefined && { verifySsl }),
    }
    const answered = readTypedValues(answers)
    const isOriginalProtocol = answered.protocol === protocol && port != null
    const typed = isOriginalProtocol ? withDefaultPort(answered, port) : withDefaultPort(answered)
    const values = answers.has('httpServerAddress') ? typed : { ...typed, ...restored }
    const inputOptions = { ...addressOptions(formState), portField: portFieldName(typed.protocol) }
    return checkInputs({ verifySsl: true, ...values }, inputOptions)
  },
  read: (answers) => ({ ...readForm(answers), unknownAddress: answers.choice('unknownAddress') }),
  submit(context, { body, portField, unknownAddress }, formState, deps: EditDeps) {
    // Two ports that the service has accepted stay as they are.
    const { target, port } = formState.seen
    if (body.target !== target || body.port !== port) refusePortConflict({ body, portField })
    return saveEdit(deps, context, toPatch(body, formState.seen, unknownAddress), formState, portField)
  },
})

/** The values as the window's inputs show them. */
const toInitialValues = ({ address, ...fields }: Fields) => ({
  ...fields,
  httpServerAddress: address.is === 'set' ? address.ip : undefined,
})

const addressOptions = ({ seen, resolved }: EditedCheck): InputOptions => ({
  resolved: seen.address.is === 'set' ? undefined : resolved,
  isAddressSourceUnknown: isAddressMissing(seen),
})

/**
 * The values to save. An input can't show a long name, or spaces around a name or target, exactly. Such a value stays unchanged
 * unless it was edited. An empty address makes the service resolve the target, unless the person chose to keep the address.
 */
function toPatch(
  { httpServerAddress: ip, ...body }: HealthCheckBody,
  { name, target, address }: Fields,
  chosen: string | undefined,
): Patch {
  const keepUnlessEdited = (typed: string, seen: string | undefined, max?: number): string => {
    const input = textInput('field', '', { initial: seen, ...(max && { max }) })
    return seen && typed === unchangedAnswer(input).text('field') ? seen : typed
  }
  // Without a change, the address of a check whose target is that IP address stays as unknown as it is.
  const isKept =
    chosen === 'keep' || (address.is === 'unknown' && chosen === undefined && body.target === target)
  const addressIfEmpty: Address = isKept ? applyAnswer(address, 'keep') : { is: 'resolve' }
  return {
    ...body,
    name: keepUnlessEdited(body.name, name, MAX_NAME_LENGTH),
    target: keepUnlessEdited(body.target, target),
    ...(protocolHasField('httpServerAddress', body.protocol) && {
      address: ip === undefined ? addressIfEmpty : { is: 'set', ip },
    }),
  }
}

/** The edit and the check as the window showed it, stored until the person confirms. */
interface StoredEdit {
  wanted: Patch
  about: EditedCheck
}

/** Saves the edit and overwrites someone else's change. Asks again if the check has changed once more. */
export async function saveAnyway(deps: EditDeps, context: CommandContext, stateId: string): Promise<Message> {
  // Only `saveEdit` stores these, so the type is known.
  const stored = (await deps.ephemeralState.find(context.workspaceId, stateId, context.now)) as
    | StoredEdit
    | undefined
  if (!stored) throw new ButtonTooOld({ unknown: 'what was typed' })
  return saveEdit(deps, context, stored.wanted, stored.about)
}

/** Writes only the edited fields. Throws Question if someone else has changed one of them. */
async function saveEdit(
  deps: EditDeps,
  context: CommandContext,
  wanted: Patch,
  about: EditedCheck,
  portField = 'port',
): Promise<Message> {
  const { uuid, account } = about
  // Stored, because after a crash the check may already have been changed.
  const { details, step } = await context.remember('step', () => planEdit(deps, context, wanted, about))
  const name = clip(checkName(details), 150)
  const saved = await runWindowJob(
    deps,
    context,
    {
      verb: '/hc edit',
      title: `Edit “${name}”`,
      doneText: `Changed “${name}”`,
      account,
    },
    step,
    `/hc edit ${quoted(uuid)}`,
  ).catch((error: unknown) => {
    throw toFieldErrors(error, portField)
  })
  if ('message' in saved) return saved.message
  const api = await context.api()
  const [check, alertsOrProblem] = await Promise.all([api.healthChecks.get(uuid), readAlerts(api, uuid)])
  const undo = saved.state === 'done' ? { undoLine: `/hc job-undo ${saved.id}` } : {}
  return checkView(check, alertsOrProblem, context.environment, context.now, { done: 'Saved.', ...undo })
}

/** Compares the check with what the window showed. Throws Question if someone else has changed one of the edited fields. */
async function planEdit(
  deps: EditDeps,
  context: Requester & ServiceAccess,
  wanted: Patch,
  { uuid, account, seen }: EditedCheck,
): Promise<{ details: HealthCheck; step: Edit }> {
  const api = await connectForWindow(deps, context, account)
  const { current, details } = await readForEdit(deps, context, api, uuid)
  const { fields } = current.state
  const next = applyPatch(seen, wanted)
  const edited = listDifferingFields(seen, next)
  const set = pick(next, edited)
  const conflicts = edited.filter(
    (field) => !fieldMatches(fields, seen, field) && !fieldMatches(fields, { ...fields, ...set }, field),
  )
  if (conflicts.length > 0) {
    // If the person confirms, the conflicting values count as seen, so only a further change asks again.
    const about: EditedCheck = { uuid, account, seen: { ...seen, ...pick(fields, conflicts) } }
    const expiresAt = new Date(context.now.getTime() + HOUR_MS)
    const body: StoredEdit = { wanted, about }
    const stateId = await deps.ephemeralState.save({ workspaceId: context.workspaceId, body, expiresAt })
    throw overwriteQuestion(details, fields, wanted, { conflicts, stateId })
  }
  const step: Edit = {
    do: 'edit',
    line: 1,
    name: fields.name ?? uuid,
    uuid,
    set,
    expects: { ...pick(fields, IDENTITY_FIELDS), ...pick(fields, edited) },
    seen: { modifiedAt: current.modifiedAt, address: fields.address },
  }
  return { details, step }
}

/** Asks whether to overwrite someone else's change. The edit is stored under `stateId`. */
function overwriteQuestion(
  details: HealthCheck,
  current: Fields,
  wanted: Patch,
  { conflicts, stateId }: { conflicts: readonly Field[]; stateId: string },
): Question {
  const next = applyPatch(current, wanted)
  const changes = conflicts.map(
    (field) =>
      `the ${fieldName(field)} is now ${formatValue(field, current)}, not ${formatValue(field, next)}`,
  )
  return new Question(
    `“${checkName(details)}” was changed${lastChange(details)}, after you opened this window: ${changes.join('; ')}. Saving would overwrite that, so nothing was saved.`,
    [
      { label: 'Save mine anyway', line: `/hc edit-anyway ${stateId}`, replaces: true },
      { label: 'Open current version', line: `/hc edit ${quoted(details.uuid)}`, replaces: true },
    ],
  )
}

function formatValue(field: Field, fields: Fields): string {
  const value = fields[field]
  return typeof value === 'string' && value !== ''
    ? `“${clip(oneLine(value), 80)}”`
    : describeFieldValue(field, value)
}
