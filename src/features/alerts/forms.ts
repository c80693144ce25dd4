import { FieldErrors, Notice } from '@signalman/runtime'
import { type Answers, facts, LIMITS, section, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../bot/forms/form.ts'
import type { ChangeAlerts } from '../../bot/ports.ts'
import { checkName } from '../../bot/views/check-facts.ts'
import { addressList } from '../../bot/views/mailed.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { parseRecipients } from '../../domain/recipients.ts'
import type { Alert } from '../../service/alerts.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import { describeBadAddresses, replaceList } from './rules/recipient-list.ts'
import { recipientCount } from './views.ts'

/** The alerts of a check as a window shows them. Kept in its state until it's submitted. */
export interface SeenAlerts {
  /** The account that the check belongs to. */
  readonly account: string
  readonly check: HealthCheck
  readonly alerts: readonly Alert[]
}

interface SeenAlert extends SeenAlerts {
  /** The alert that the window is about. */
  readonly alert: Alert
}

interface AlertDeps {
  readonly changeAlerts: ChangeAlerts
}

/** Parses the addresses that were typed. Throws FieldErrors that name every invalid one, or say that there's nobody. */
function readAddresses(answers: Answers): string[] {
  const { addresses, bad } = parseRecipients(answers.text('recipients') ?? '')
  if (bad.length > 0) throw new FieldErrors({ recipients: describeBadAddresses(bad) })
  if (addresses.length === 0)
    throw new FieldErrors({
      recipients: 'An alert needs at least one recipient. To stop its emails, remove the alert.',
    })
  return addresses
}

const writeList = (recipients: readonly string[]): string => recipients.join('\n')

const buildBlocks = (
  check: HealthCheck,
  environment: Environment,
  recipients: readonly string[],
): KnownBlock[] => [
  section(
    `Who should get an email when the status of “${checkName(check)}”${environmentSuffix(environment)} changes?`,
  ),
  textInput('recipients', 'Email addresses', {
    initial: writeList(recipients),
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
  content: (environment, formState: SeenAlerts) => ({
    formState,
    blocks: buildBlocks(formState.check, environment, []),
  }),
  read: readAddresses,
  async submit(context, recipients, seen, { changeAlerts }: AlertDeps) {
    const about = { besides: seen.alerts.map(({ id }) => id) }
    const to = [{ type: 'EMAIL', recipients }]
    return changeAlerts(context, { verb: '/hc alert-add', ...seen, about, to })
  },
})

/** Whether a text field can hold the list, so that reading it gives exactly the same list. */
export function fitsField(recipients: readonly string[]): boolean {
  const text = writeList(recipients)
  const { addresses, bad } = parseRecipients(text)
  const isSame = bad.length === 0 && new Set(addresses).symmetricDifference(new Set(recipients)).size === 0
  return isSame && text.length <= LIMITS.inputValue
}

/** Edits the recipients. Doesn't overwrite someone else's change. */
export const editForm = form({
  id: 'alerts.edit',
  title: 'Edit recipients',
  button: 'Save',
  verb: '/hc alert-edit',
  needs: 'operator',
  workingText: 'Saving the recipients…',
  content: (environment, formState: SeenAlert) => ({
    formState,
    blocks: buildBlocks(formState.check, environment, formState.alert.recipients),
  }),
  read: readAddresses,
  async submit(context, typed, seen, { changeAlerts }: AlertDeps) {
    const { alert } = seen
    const recipients = replaceList(alert.recipients, typed)
    if (!recipients) throw new Notice('Nothing was different, so nothing was saved.')
    const [about, to] = [{ id: alert.id }, [{ ...alert, recipients }]]
    return changeAlerts(context, { verb: '/hc alert-edit', ...seen, about, to })
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
  content(environment, formState: SeenAlert) {
    const { check, alert, alerts } = formState
    const { recipients } = alert
    const removed = `This permanently removes this alert of “${checkName(check)}”${environmentSuffix(environment)}.`
    const others =
      alerts.length > 1
        ? 'Other alerts for this check aren’t affected.'
        : 'Nobody gets an email about this check then.'
    return {
      formState,
      blocks: [
        section(`${removed} It will no longer send email when the status changes. ${others}`),
        facts([[recipientCount(recipients.length), addressList(recipients, MAX_NAMED) || 'no recipients']]),
      ],
    }
  },
  submit: (context, _, seen, { changeAlerts }: AlertDeps) =>
    changeAlerts(context, { verb: '/hc alert-remove', ...seen, about: { id: seen.alert.id }, to: [] }),
})
