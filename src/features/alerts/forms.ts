import { FieldErrors, UserError } from '@signalman/runtime'
import { type Answers, commandButton, facts, LIMITS, peopleInput, section, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { WriteDeps } from '../../bot/audit/hold-check.ts'
import { form } from '../../bot/forms/form.ts'
import { checkName } from '../../bot/views/check-facts.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { quoted } from '../../domain/quoting.ts'
import { parseRecipients, type Recipients } from '../../domain/recipients.ts'
import { pluralize } from '../../domain/wording.ts'
import type { Alert } from '../../service/alerts.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import { changeAlert } from './change-alert.ts'
import { findUnchanged, type SeenAlert, toSeenAlert } from './find-alert.ts'
import { findEmails } from './find-emails.ts'
import {
  applyChanges,
  describeBadAddresses,
  findMissing,
  MAX_PEOPLE,
  type RecipientChange,
  replaceList,
  sameRecipients,
} from './rules/recipients.ts'
import { addedView, addressList, changedView, previewBlock, recipientCount, removedView } from './views.ts'

/** Parses the addresses and people. Throws FieldErrors that name every invalid address. */
function readNewAlert(answers: Answers) {
  const { addresses, repeated, bad } = parseRecipients(answers.text('recipients') ?? '')
  const people = answers.users('people')
  if (bad.length > 0) throw new FieldErrors({ recipients: describeBadAddresses(bad) })
  if (addresses.length + people.length === 0)
    throw new FieldErrors({
      recipients: 'An alert needs at least one recipient. Enter an address or choose people.',
    })
  return { addresses, repeated, people }
}

/** Asks who should get email when the status of the check changes. */
export const addForm = form({
  id: 'alerts.add',
  title: 'Add alert',
  button: 'Add',
  verb: '/hc alert-add',
  needs: 'operator',
  workingText: 'Adding the alert…',
  content: (environment, check: HealthCheck, account: string) => ({
    formState: { uuid: check.uuid, name: checkName(check), account },
    blocks: [
      section(
        `Who should get an email when the status of “${checkName(check)}”${environmentSuffix(environment)} changes?`,
      ),
      textInput('recipients', 'Email addresses', {
        multiline: true,
        optional: true,
        hint: 'Paste as many as you like, separated by commas, semicolons, spaces, or line breaks.',
      }),
      peopleInput('people', 'People in Slack', {
        optional: true,
        max: MAX_PEOPLE,
        hint: 'Email goes to the address in their Slack profile.',
      }),
    ],
  }),
  read: readNewAlert,
  async submit(context, { addresses, repeated, people }, window, deps: WriteDeps) {
    const { recipients } = applyChanges(addresses, await findEmails(await context.slack(), people), [])
    const { uuid, name } = window
    await changeAlert(deps, context, { verb: '/hc alert-add', window, to: { type: 'EMAIL', recipients } })
    return addedView({ uuid, name, environment: context.environment }, recipients, repeated)
  },
})

/** What the person entered: the whole list, or what to add and remove if the list is too long for a field. */
interface TypedChanges {
  list: Recipients | undefined
  add: Recipients
  remove: Recipients
  people: readonly string[]
}

function readTypedChanges(answers: Answers): TypedChanges {
  const read = (field: string): Recipients => parseRecipients(answers.text(field) ?? '')
  const list = answers.has('recipients') ? read('recipients') : undefined
  return { list, add: read('add'), remove: read('remove'), people: answers.users('people') }
}

const findRepeated = ({ list, add, remove }: TypedChanges): string[] =>
  list ? list.repeated : [...add.repeated, ...remove.repeated]

/** Input options that redraw the preview while the person types. */
const REDRAWS_PREVIEW = { dispatch: true, whileTyping: true } as const

/** The alert that the edit window shows, and its environment. */
interface EditedAlert extends SeenAlert {
  environment: Environment
}

const NO_RECIPIENTS = 'An alert needs at least one recipient. To stop all emails, remove the alert.'

/**
 * The blocks of the edit window: a field with all recipients, and a preview of the change. If the list is too long for a field,
 * there are two fields instead, for additions and removals. `answers` has the values entered so far.
 */
function buildBlocks(formState: EditedAlert, answers?: Answers): KnownBlock[] {
  const { name, recipients, environment } = formState
  const fields = fitsField(recipients) ? [listInput(recipients)] : changeInputs(formState)
  return [
    section(`Who should get an email when the status of “${name}”${environmentSuffix(environment)} changes?`),
    ...fields,
    peopleInput('people', 'Add people in Slack', {
      optional: true,
      dispatch: true,
      max: MAX_PEOPLE,
      hint: 'Email goes to the address in their Slack profile.',
      initial: answers?.users('people') ?? [],
    }),
    buildPreview(formState, answers),
  ]
}

function buildPreview({ recipients }: SeenAlert, answers: Answers | undefined): KnownBlock {
  const emptyInput = parseRecipients('')
  const typed = answers
    ? readTypedChanges(answers)
    : { list: undefined, add: emptyInput, remove: emptyInput, people: [] }
  const { list, add, remove, people } = typed
  const bad = list ? list.bad : [...add.bad, ...remove.bad]
  return previewBlock(toRecipientChange(recipients, typed, []), people.length, {
    bad,
    repeated: findRepeated(typed),
  })
}

/** Whether a text field can hold the list, and parsing the field again gives exactly the same list. */
function fitsField(recipients: readonly string[]): boolean {
  const text = recipients.join('\n')
  return text.length <= LIMITS.inputValue && sameRecipients(parseRecipients(text).addresses, recipients)
}

function listInput(recipients: readonly string[]): KnownBlock {
  return textInput('recipients', 'Email addresses', {
    initial: recipients.join('\n'),
    multiline: true,
    optional: true,
    ...REDRAWS_PREVIEW,
    hint: 'Recipients you remove stop getting email. Separate addresses with commas, semicolons, spaces, or line breaks.',
  })
}

function changeInputs({ uuid, id, recipients }: SeenAlert): KnownBlock[] {
  return [
    section(
      `It has ${pluralize(recipients.length, 'recipient')}, which can’t be edited as one list. Enter whom to add and whom to remove. All other recipients stay.`,
      commandButton('Show all', `/hc alert-recipients ${quoted(uuid)} ${id}`),
    ),
    textInput('add', 'Add these addresses', { multiline: true, optional: true, ...REDRAWS_PREVIEW }),
    textInput('remove', 'Remove these addresses', { multiline: true, optional: true, ...REDRAWS_PREVIEW }),
  ]
}

/** Parses the edit window. Throws FieldErrors that name every invalid address, each at its field. */
function readEditedAlert(answers: Answers): TypedChanges {
  const typed = readTypedChanges(answers)
  const { list, add, remove, people } = typed
  const inBothCount = add.addresses.length - findMissing(remove.addresses, add.addresses).length
  const fieldErrors = {
    ...(list?.addresses.length === 0 && people.length === 0 && { recipients: NO_RECIPIENTS }),
    ...(inBothCount > 0 && {
      remove: 'Some addresses are in both fields. Keep each in one field only.',
    }),
    ...Object.fromEntries(
      Object.entries({ recipients: list, add, remove }).flatMap(([field, read]) =>
        read && read.bad.length > 0 ? [[field, describeBadAddresses(read.bad)]] : [],
      ),
    ),
  }
  if (Object.keys(fieldErrors).length > 0) throw new FieldErrors(fieldErrors)
  return typed
}

/** Edits the recipients. Doesn't overwrite someone else's change. */
export const editForm = form({
  id: 'alerts.edit',
  title: 'Edit recipients',
  button: 'Save',
  verb: '/hc alert-edit',
  needs: 'operator',
  workingText: 'Saving the recipients…',
  content(environment, check: HealthCheck, alert: Alert, account: string) {
    const formState: EditedAlert = { ...toSeenAlert(check, alert, account), environment }
    return { formState, blocks: buildBlocks(formState) }
  },
  read: readEditedAlert,
  updateBlocks: (answers, formState) => buildBlocks(formState, answers),
  async submit(context, typed, seen, deps: WriteDeps) {
    const { uuid, name } = seen
    const emails = await findEmails(await context.slack(), typed.people)
    const { type, recipients } = seen
    const change = toRecipientChange(recipients, typed, emails)
    refuseImpossibleChange(recipients, typed, change)
    const target = { uuid, name, environment: context.environment }
    const verb = '/hc alert-edit'
    if (change.added.length + change.removed.length === 0)
      await findUnchanged(await context.api(), seen, verb)
    else
      await changeAlert(deps, context, {
        verb,
        window: seen,
        seen,
        to: { type, recipients: change.recipients },
      })
    return changedView(target, change, findRepeated(typed))
  },
})

function toRecipientChange(
  before: readonly string[],
  { list, add, remove }: TypedChanges,
  emails: readonly string[],
): RecipientChange {
  const typedAddresses = (list ?? add).addresses
  const wanted = [...typedAddresses, ...findMissing(typedAddresses, emails)]
  return list ? replaceList(before, wanted) : applyChanges(before, wanted, remove.addresses)
}

/** Throws UserError if the change removes someone who isn't a recipient, or everyone. */
function refuseImpossibleChange(
  before: readonly string[],
  { remove }: TypedChanges,
  change: RecipientChange,
): void {
  const notRecipients = findMissing(before, remove.addresses)
  if (notRecipients.length > 0)
    throw new UserError(
      `These aren’t recipients, so they can’t be removed: ${addressList(notRecipients, 20)}.`,
    )
  if (change.recipients.length === 0) throw new UserError(NO_RECIPIENTS)
}

const MAX_NAMED = 25

/** Shows who would no longer get email, and asks for confirmation. Doesn't remove an alert that has changed since. */
export const removeForm = form({
  id: 'alerts.remove',
  title: 'Remove alert',
  button: 'Remove',
  verb: '/hc alert-remove',
  needs: 'operator',
  workingText: 'Removing the alert…',
  content(environment, check: HealthCheck, alert: Alert, account: string) {
    const formState = toSeenAlert(check, alert, account)
    const { recipients } = alert
    const removed = `This permanently removes this alert of “${formState.name}”${environmentSuffix(environment)}.`
    return {
      formState,
      blocks: [
        section(
          `${removed} It will no longer send email when the status changes. Other alerts for this check aren’t affected.`,
        ),
        facts([[recipientCount(recipients.length), addressList(recipients, MAX_NAMED) || 'no recipients']]),
      ],
    }
  },
  async submit(context, _, seen, deps: WriteDeps) {
    const { uuid, name, recipients } = seen
    await changeAlert(deps, context, { verb: '/hc alert-remove', window: seen, seen })
    return removedView({ uuid, name, environment: context.environment }, recipients)
  },
})
