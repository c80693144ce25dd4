import type { KnownBlock } from '@slack/types'
import type { HealthCheck, HealthCheckBody } from '../../../api/health-checks.ts'
import { checkName, lastChange } from '../../../blocks/checks.ts'
import { context } from '../../../blocks/layout.ts'
import { LIMITS } from '../../../blocks/limits.ts'
import type { Message } from '../../../blocks/message.ts'
import { clip, oneLine } from '../../../blocks/text.ts'
import { ButtonTooOld } from '../../../bot/buttons/button-too-old.ts'
import type { ActSteps } from '../../../bot/routes/audited-acts.ts'
import type { Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { HOUR_MS } from '../../../domain/durations.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { Question } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import type { EphemeralState } from '../../../store/work/ephemeral-state.ts'
import { lookUpEdit } from '../look-up.ts'
import { writable } from '../server-address.ts'
import { checkView } from '../views/check.ts'
import { completed, environmentLine, fieldBlocks, followed, typedSoFar } from './create.ts'
import { MAX_NAME, portFieldOf, readForm, type TypedCheck } from './read-fields.ts'
import { atFields } from './refusals.ts'

type Fields = Readonly<Partial<Record<keyof HealthCheckBody, string | number | boolean | undefined>>>

/** The check as the person saw it when the window was opened. */
interface EditedCheck {
  uuid: string
  seen: Fields
  /** The address that the service uses, where nobody gave one. */
  resolved?: string
}

const FORM = 'health-checks.edit'

const LABELS: Readonly<Record<keyof HealthCheckBody, string>> = {
  name: 'the name',
  protocol: 'the protocol',
  target: 'the target',
  port: 'the port',
  frequency: 'the seconds between checks',
  customerId: 'the customer',
  httpServerAddress: 'the server address',
  verifySsl: 'whether the certificate is verified',
}
// `Object.keys` forgets that these are the keys of the labels.
const FIELDS = Object.keys(LABELS) as (keyof HealthCheckBody)[]

/** The fields that an edit sends, as they are. */
const fieldsOf = (check: HealthCheck): Fields =>
  Object.fromEntries(FIELDS.map((field) => [field, check[field]]))

/** `given` is the server address that somebody gave it; the one that its details show may have been resolved. */
export const editModal = (check: HealthCheck, given: string | undefined, isOte: boolean): Modal => {
  const known = { ...check, httpServerAddress: given }
  const resolved = given === undefined ? check.httpServerAddress : undefined
  const about: EditedCheck = { uuid: check.uuid, seen: fieldsOf(known), ...(resolved && { resolved }) }
  return {
    title: 'Edit health check',
    form: { id: FORM, submit: 'Save' },
    about,
    blocks: [environmentLine(isOte), fieldBlocks(known, { resolved })],
  }
}

/** The form of `editModal`. It asks before it overwrites what somebody else has changed meanwhile. */
export function editForm(ephemeralState: EphemeralState): Form<TypedCheck, EditedCheck> {
  return {
    id: FORM,
    verb: '/hc edit',
    needs: 'operator',
    working: 'Saving the health check…',
    read: readForm,
    submit: (context, { body, portField }, about) =>
      save(ephemeralState, context, uncut(body, about.seen), about, portField),
    follow: followEdit,
  }
}

/** Fields that appear again with their protocol start with the service's values, not with a guess. */
function followEdit(
  answers: Answers,
  { seen, resolved }: EditedCheck,
  environment: Environment,
): KnownBlock[] {
  const { httpServerAddress, verifySsl, protocol, port } = seen
  const back = {
    ...(typeof httpServerAddress === 'string' && { httpServerAddress }),
    ...(typeof verifySsl === 'boolean' && { verifySsl }),
  }
  const answered = typedSoFar(answers)
  const isBack = answered.protocol === protocol && typeof port === 'number'
  const typed = isBack ? followed(answered, port) : followed(answered)
  const kept = answers.has('server-address') ? typed : { ...typed, ...back }
  return [
    ...environmentLine(environment === 'ote'),
    ...fieldBlocks({ verifySsl: true, ...kept }, { portField: portFieldOf(typed.protocol), resolved }),
  ]
}

/** A name or target that is too long for its field is shown cut short; the whole of it is sent when it was not touched. */
function uncut(body: HealthCheckBody, { name, target }: Fields): HealthCheckBody {
  const whole = (typed: string, seen: Fields[keyof Fields], max: number): string =>
    typeof seen === 'string' && seen.length > max && typed === clip(seen, max).trim() ? seen : typed
  return {
    ...body,
    name: whole(body.name, name, MAX_NAME),
    target: whole(body.target, target, LIMITS.inputValue),
  }
}

/** Saves what was typed although somebody else has changed the check, unless it has changed again. Throws UserError. */
export async function saveAnyway(
  ephemeralState: EphemeralState,
  context: Requester & ServiceAccess & ActSteps,
  stateId: string,
): Promise<Message> {
  // Sealed by `refuseToOverwrite` under this workspace, hence of this type.
  const kept = (await ephemeralState.find(context.workspaceId, stateId, context.now)) as
    | { body: HealthCheckBody; about: EditedCheck }
    | undefined
  if (!kept) throw new ButtonTooOld({ forgets: 'what was typed' })
  return save(ephemeralState, context, kept.body, kept.about)
}

async function save(
  ephemeralState: EphemeralState,
  requester: Requester & ServiceAccess & ActSteps,
  body: HealthCheckBody,
  about: EditedCheck,
  portField = 'port',
): Promise<Message> {
  const { uuid, seen } = about
  const { healthChecks, alerts } = await requester.api()
  // Kept as it was: begun again after a crash, the check may be changed already.
  const before = await requester.keep('check', () => writable(healthChecks, uuid))
  const overwritten = overwrittenBy(body, seen, fieldsOf(before))
  if (overwritten.length > 0) await refuseToOverwrite(ephemeralState, requester, body, before, overwritten)
  const check = await requester
    .change(
      {
        verb: '/hc edit',
        object: `health-check ${uuid}`,
        objectName: before.name,
        before: fieldsOf(before),
        after: body,
        lookUp: () => lookUpEdit(healthChecks, before, body),
      },
      () => healthChecks.update(uuid, body),
    )
    .catch((error: unknown) => {
      throw atFields(error, portField)
    })
  const known = await alerts.list(uuid).catch(() => 'could not be read just now')
  const { text, blocks } = checkView(completed(check, body), known, requester.environment, requester.now)
  return { text: `Saved${badgeOf(requester.environment)}. ${text}`, blocks: [context('Saved.'), ...blocks] }
}

/** The fields that somebody else has changed since and that this edit would overwrite. */
function overwrittenBy(body: Fields, seen: Fields, now: Fields): (keyof HealthCheckBody)[] {
  const isNew = (field: keyof HealthCheckBody): boolean =>
    FIELDS_OF_PROTOCOL.has(field) && body[field] === undefined
  return FIELDS.filter((field) => now[field] !== seen[field] && now[field] !== body[field] && !isNew(field))
}

/** Not sent with every protocol; one that is not sent overwrites nothing that would count. */
const FIELDS_OF_PROTOCOL: ReadonlySet<keyof HealthCheckBody> = new Set(['httpServerAddress', 'verifySsl'])

async function refuseToOverwrite(
  ephemeralState: EphemeralState,
  { workspaceId, now }: Requester,
  body: HealthCheckBody,
  present: HealthCheck,
  overwritten: readonly (keyof HealthCheckBody)[],
): Promise<never> {
  const { uuid } = present
  const about: EditedCheck = { uuid, seen: fieldsOf(present) }
  const expiresAt = new Date(now.getTime() + HOUR_MS)
  const stateId = await ephemeralState.save({ workspaceId, body: { body, about }, expiresAt })
  const changes = overwritten.map(
    (field) => `${LABELS[field]} is now ${shown(present[field])}, not ${shown(body[field])}`,
  )
  throw new Question(
    `“${checkName(present)}” was changed${lastChange(present)}, after this window was opened: ${changes.join('; ')}. Saving would overwrite that, so nothing was saved yet.`,
    [
      { label: 'Save mine all the same', line: `/hc edit-anyway ${stateId}`, replaces: true },
      { label: 'Open it as it is now', line: `/hc edit ${quoted(uuid)}`, replaces: true },
    ],
  )
}

function shown(value: Fields[keyof HealthCheckBody]): string {
  if (value === undefined || value === '') return 'empty'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? `“${clip(oneLine(value), 80)}”` : String(value)
}
