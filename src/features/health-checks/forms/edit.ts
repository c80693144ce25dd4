import type { EphemeralState } from '@signalman/durable'
import { HOUR_MS, Question, UserError } from '@signalman/runtime'
import { type Message, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { untouched } from '../../../bot/typed/window-of-fields.ts'
import { checkName, lastChange } from '../../../bot/views/check-facts.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import type { Edit, Patch } from '../changes/change.ts'
import { differencesOf, picked, shownValue } from '../changes/differences.ts'
import { type EditableCheck, readEditable } from '../changes/editable.ts'
import { makeOnce } from '../changes/make-once.ts'
import { checkView } from '../views/check.ts'
import { fieldBlocks, followed, typedSoFar } from './create.ts'
import { atFields, CHECK_FIELDS, FIELDS, goesWith, MAX_NAME, portFieldOf, readForm } from './read-fields.ts'

/** The check as the person saw it when the window was opened; what it lacked is `null`. */
interface EditedCheck {
  uuid: string
  seen: Patch
  /** The address that the service uses, where nobody gave one. */
  resolved?: string
}

/** Asks before it overwrites what somebody else has changed meanwhile. */
export const editForm = form({
  id: 'health-checks.edit',
  title: 'Edit health check',
  button: 'Save',
  verb: '/hc edit',
  needs: 'operator',
  working: 'Saving the health check…',
  isMarked: true,
  asks(_, { uuid, fields, resolved, shown }: EditableCheck) {
    const about: EditedCheck = { uuid, seen: picked(fields, FIELDS), ...(resolved && { resolved }) }
    const known = { ...shown, httpServerAddress: fields.httpServerAddress ?? undefined }
    return { about, blocks: fieldBlocks(known, { resolved }) }
  },
  /** Fields that appear again with their protocol start with the service's values, not with a guess. */
  follow(answers, { seen, resolved }) {
    const { httpServerAddress, verifySsl, protocol, port } = seen
    const back = { ...(httpServerAddress && { httpServerAddress }), ...(verifySsl != null && { verifySsl }) }
    const answered = typedSoFar(answers)
    const isBack = answered.protocol === protocol && port != null
    const typed = isBack ? followed(answered, port) : followed(answered)
    const kept = answers.has('httpServerAddress') ? typed : { ...typed, ...back }
    return fieldBlocks({ verifySsl: true, ...kept }, { portField: portFieldOf(typed.protocol), resolved })
  },
  read: readForm,
  submit: (context, { body, portField }, about, { ephemeralState }: { ephemeralState: EphemeralState }) =>
    save(ephemeralState, context, wantedOf(body, about.seen), about, portField),
})

/**
 * All that the window decides. A name or target that its field could not show as it is, with space around it or too long, is
 * as it was where nobody touched it. An address that was left empty is taken away where one was given.
 */
function wantedOf(body: HealthCheckBody, { name, target }: Patch): Patch {
  const whole = (typed: string, seen: string | null | undefined, max?: number): string => {
    const input = textInput('field', '', { initial: seen ?? undefined, ...(max && { max }) })
    return seen && typed === untouched(input).text('field') ? seen : typed
  }
  return {
    ...body,
    name: whole(body.name, name, MAX_NAME),
    target: whole(body.target, target),
    ...(goesWith('httpServerAddress', body.protocol) && {
      httpServerAddress: body.httpServerAddress ?? null,
    }),
  }
}

/** Saves what was typed although somebody else has changed the check, unless it has changed again. Throws UserError. */
export async function saveAnyway(
  ephemeralState: EphemeralState,
  context: CommandContext,
  stateId: string,
): Promise<Message> {
  // Sealed by `save` under this workspace, hence of this type.
  const kept = (await ephemeralState.find(context.workspaceId, stateId, context.now)) as
    | { wanted: Patch; about: EditedCheck }
    | undefined
  if (!kept) throw new ButtonTooOld({ forgets: 'what was typed' })
  return save(ephemeralState, context, kept.wanted, kept.about)
}

async function save(
  ephemeralState: EphemeralState,
  requester: CommandContext,
  wanted: Patch,
  { uuid, seen }: EditedCheck,
  portField = 'port',
): Promise<Message> {
  const api = await requester.api()
  // Kept as it was: begun again after a crash, the check may be changed already.
  const present = await requester.keep('check', () => readEditable(api.healthChecks, uuid))
  const { name, fields } = present
  const now = { fields, alerts: [] }
  const { next, patch, conflicts, fault } = differencesOf({
    now,
    wanted: { fields: wanted },
    seen: { fields: seen },
  })
  if (conflicts.length > 0) {
    const about: EditedCheck = { uuid, seen: picked(fields, FIELDS) }
    const expiresAt = new Date(requester.now.getTime() + HOUR_MS)
    const { workspaceId } = requester
    const stateId = await ephemeralState.save({ workspaceId, body: { wanted, about }, expiresAt })
    throw wouldOverwrite(present, next.fields, conflicts, stateId)
  }
  if (fault) throw new UserError(fault)
  const change: Edit = { do: 'edit', uuid, name, patch, before: { fields, alerts: [] }, after: next }
  const made = await makeOnce(
    requester,
    api,
    { state: 'ready', change, now: { uuid, ...now } },
    { verb: '/hc edit' },
  ).catch((error: unknown) => {
    throw atFields(error, portField)
  })
  const check = made.check ?? (await api.healthChecks.get(uuid))
  const known = await api.alerts.list(uuid).catch(() => 'could not be read just now')
  return checkView(check, known, requester.environment, requester.now, { done: 'Saved.' })
}

/** Asks whether what somebody else has changed is to be overwritten by what was typed, which is kept under this id. */
function wouldOverwrite(
  { uuid, fields, shown }: EditableCheck,
  next: Patch,
  conflicts: ReturnType<typeof differencesOf>['conflicts'],
  stateId: string,
): Question {
  const changes = FIELDS.filter((field) => conflicts.includes(field)).map(
    (field) => `the ${CHECK_FIELDS[field].said} is now ${said(fields[field])}, not ${said(next[field])}`,
  )
  return new Question(
    `“${checkName(shown)}” was changed${lastChange(shown)}, after this window was opened: ${changes.join('; ')}. Saving would overwrite that, so nothing was saved yet.`,
    [
      { label: 'Save mine all the same', line: `/hc edit-anyway ${stateId}`, replaces: true },
      { label: 'Open it as it is now', line: `/hc edit ${quoted(uuid)}`, replaces: true },
    ],
  )
}

const said = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? `“${shownValue(value)}”` : shownValue(value)
