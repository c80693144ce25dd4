import { FieldErrors } from '@signalman/runtime'
import { type Answers, facts, LIMITS, peopleInput, section, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { WriteDeps } from '../../bot/audit/hold-check.ts'
import { form } from '../../bot/forms/form.ts'
import { checkName } from '../../bot/views/check-facts.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { parseRecipients } from '../../domain/recipients.ts'
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
  replaceList,
  sameRecipients,
} from './rules/recipients.ts'
import { addedView, addressList, changedView, previewBlock, recipientCount, removedView } from './views.ts'

/** Parses what was typed so far. */
const readTyped = (answers: Answers) => ({
  ...parseRecipients(answers.text('recipients') ?? ''),
  people: answers.users('people'),
})

/** Parses the addresses and people. Throws FieldErrors that name every invalid address, or say that there's nobody. */
const readAlert =
  (nobody: string) =>
  (answers: Answers): ReturnType<typeof readTyped> => {
    const typed = readTyped(answers)
    const { addresses, people, bad } = typed
    if (bad.length > 0) throw new FieldErrors({ recipients: describeBadAddresses(bad) })
    if (addresses.length + people.length === 0) throw new FieldErrors({ recipients: nobody })
    return typed
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
  read: readAlert('An alert needs at least one recipient. Enter an address or choose people.'),
  async submit(context, { addresses, repeated, people }, window, deps: WriteDeps) {
    const { recipients } = applyChanges(addresses, await findEmails(await context.slack(), people), [])
    const { uuid, name } = window
    await changeAlert(deps, context, { verb: '/hc alert-add', window, to: { type: 'EMAIL', recipients } })
    return addedView({ uuid, name, environment: context.environment }, recipients, repeated)
  },
})

/** Input options that redraw the preview while the person types. */
const REDRAWS_PREVIEW = { dispatch: true, whileTyping: true } as const

/** The alert that the edit window shows, and its environment. */
interface EditedAlert extends SeenAlert {
  environment: Environment
}

/** Whether a text field can hold the list, and parsing the field again gives exactly the same list. */
export function fitsField(recipients: readonly string[]): boolean {
  const text = recipients.join('\n')
  return text.length <= LIMITS.inputValue && sameRecipients(parseRecipients(text).addresses, recipients)
}

/** The blocks of the edit window: a field with all recipients, and a preview of the change. `answers` has what was entered so far. */
function buildBlocks({ name, recipients, environment }: EditedAlert, answers?: Answers): KnownBlock[] {
  const typed = answers ? readTyped(answers) : { addresses: recipients, repeated: [], bad: [], people: [] }
  return [
    section(`Who should get an email when the status of “${name}”${environmentSuffix(environment)} changes?`),
    textInput('recipients', 'Email addresses', {
      initial: recipients.join('\n'),
      multiline: true,
      optional: true,
      ...REDRAWS_PREVIEW,
      hint: 'Recipients you remove stop getting email. Separate addresses with commas, semicolons, spaces, or line breaks.',
    }),
    peopleInput('people', 'Add people in Slack', {
      optional: true,
      dispatch: true,
      max: MAX_PEOPLE,
      hint: 'Email goes to the address in their Slack profile.',
      initial: typed.people,
    }),
    previewBlock(replaceList(recipients, typed.addresses), typed.people.length, typed),
  ]
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
  read: readAlert('An alert needs at least one recipient. To stop all emails, remove the alert.'),
  updateBlocks: (answers, formState) => buildBlocks(formState, answers),
  async submit(context, { addresses, repeated, people }, seen, deps: WriteDeps) {
    const { uuid, name, type } = seen
    const emails = await findEmails(await context.slack(), people)
    const change = replaceList(seen.recipients, [...addresses, ...findMissing(addresses, emails)])
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
    return changedView(target, change, repeated)
  },
})

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
