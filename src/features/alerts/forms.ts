import { FieldErrors } from '@signalman/runtime'
import { type Answers, facts, LIMITS, section, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { WriteDeps } from '../../bot/audit/hold-check.ts'
import { form } from '../../bot/forms/form.ts'
import { checkName } from '../../bot/views/check-facts.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { parseRecipients, type Recipients } from '../../domain/recipients.ts'
import type { Alert } from '../../service/alerts.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import { changeAlert } from './change-alert.ts'
import { findUnchanged, toSeenAlert } from './find-alert.ts'
import { describeBadAddresses, replaceList, sameRecipients } from './rules/recipients.ts'
import { addedView, addressList, changedView, recipientCount, removedView } from './views.ts'

/** Parses the addresses. Throws FieldErrors that name every invalid one, or say that there's nobody. */
function read(answers: Answers): Recipients {
  const typed = parseRecipients(answers.text('recipients') ?? '')
  if (typed.bad.length > 0) throw new FieldErrors({ recipients: describeBadAddresses(typed.bad) })
  if (typed.addresses.length === 0)
    throw new FieldErrors({
      recipients: 'An alert needs at least one recipient. To stop its emails, remove the alert.',
    })
  return typed
}

const buildBlocks = (name: string, environment: Environment, recipients: readonly string[]): KnownBlock[] => [
  section(`Who should get an email when the status of “${name}”${environmentSuffix(environment)} changes?`),
  textInput('recipients', 'Email addresses', {
    initial: recipients.join('\n'),
    multiline: true,
    hint: 'Paste as many as you like, separated by commas, semicolons, spaces, or line breaks. Whoever isn’t in the list gets no email from this alert.',
  }),
]

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
    blocks: buildBlocks(checkName(check), environment, []),
  }),
  read,
  async submit(context, { addresses, repeated }, window, deps: WriteDeps) {
    const { uuid, name } = window
    const to = { type: 'EMAIL', recipients: addresses }
    await changeAlert(deps, context, { verb: '/hc alert-add', window, to })
    return addedView({ uuid, name, environment: context.environment }, addresses, repeated)
  },
})

/** Whether a text field can hold the list, and parsing the field again gives exactly the same list. */
export function fitsField(recipients: readonly string[]): boolean {
  const text = recipients.join('\n')
  return text.length <= LIMITS.inputValue && sameRecipients(parseRecipients(text).addresses, recipients)
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
    const formState = toSeenAlert(check, alert, account)
    return { formState, blocks: buildBlocks(formState.name, environment, alert.recipients) }
  },
  read,
  async submit(context, { addresses, repeated }, seen, deps: WriteDeps) {
    const { uuid, name, type } = seen
    const change = replaceList(seen.recipients, addresses)
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
    return changedView({ uuid, name, environment: context.environment }, change, repeated)
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
