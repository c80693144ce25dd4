import type { EphemeralState } from '@signalman/durable'
import { HOUR_MS, Question, UserError } from '@signalman/runtime'
import { clip, type Message, oneLine, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { unchangedAnswer } from '../../../bot/typed/field-window.ts'
import { checkName, lastChange } from '../../../bot/views/check-facts.ts'
import { checkKey } from '../../../domain/held-check.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { LISTING_OUTDATED, ListingOutdated, type ReadCheck } from '../jobs/read-check.ts'
import { readForEdit } from '../jobs/read-for-edit.ts'
import { editOnce } from '../jobs/write-once.ts'
import type { KnownAddresses } from '../rows/known-addresses.ts'
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
import { portFieldName, readForm, toFieldErrors } from './check-form.ts'
import { checkInputs, type InputOptions, readTypedValues, withDefaultPort } from './create.ts'

/** The check as the person saw it when the window was opened. */
interface EditedCheck {
  uuid: string
  seen: Fields
  /** The address that the service connects to. */
  resolved?: string | undefined
}

export interface EditDeps {
  ephemeralState: EphemeralState
  knownAddresses: KnownAddresses
}

/** The form for editing a health check. Asks before it overwrites someone else's change. */
export const editForm = form({
  id: 'health-checks.edit',
  title: 'Edit health check',
  button: 'Save',
  verb: '/hc edit',
  needs: 'operator',
  workingText: 'Saving the health check…',
  showsOteLabel: true,
  content(_, { current, details }: ReadCheck) {
    const { uuid, state } = current
    const { httpServerAddress: resolved } = details
    const formState: EditedCheck = { uuid, seen: state.fields, ...(resolved && { resolved }) }
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
  submit: (context, { body, portField, unknownAddress }, formState, deps: EditDeps) =>
    saveEdit(deps, context, toPatch(body, formState.seen, unknownAddress), formState, portField),
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
  const { uuid } = about
  const api = await context.api()
  const check = await context.hold(checkKey(api, uuid), () =>
    writeEdit(deps, context, api, wanted, about, portField),
  )
  const shown = check ?? (await api.healthChecks.get(uuid))
  const alertsOrProblem = await api.alerts.list(uuid).catch(() => 'couldn’t be read')
  return checkView(shown, alertsOrProblem, context.environment, context.now, { done: 'Saved.' })
}

/** Returns the check, if the service's answer contains it. */
async function writeEdit(
  deps: EditDeps,
  context: CommandContext,
  api: Api,
  wanted: Patch,
  { uuid, seen }: EditedCheck,
  portField: string,
): Promise<HealthCheck | undefined> {
  // Stored, because after a crash the check may already have been changed.
  const { current, details } = await context.remember('check', () => readForEdit(deps, context, api, uuid))
  const { fields } = current.state
  const next = applyPatch(seen, wanted)
  const edited = listDifferingFields(seen, next)
  const set = pick(next, edited)
  const conflicts = edited.filter(
    (field) => !fieldMatches(fields, seen, field) && !fieldMatches(fields, { ...fields, ...set }, field),
  )
  if (conflicts.length > 0) {
    // If the person confirms, the conflicting values count as seen, so only a further change asks again.
    const about: EditedCheck = { uuid, seen: { ...seen, ...pick(fields, conflicts) } }
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
  const { decision, check } = await editOnce(context, api, step, deps.knownAddresses.in(context), {
    verb: '/hc edit',
  }).catch((error: unknown) => {
    throw error instanceof ListingOutdated ? new UserError(LISTING_OUTDATED) : toFieldErrors(error, portField)
  })
  if (decision.is === 'settled' && decision.state !== 'same')
    throw new UserError(`${decision.record.reason ?? ''} Nothing was saved.`.trim())
  return check
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
