import type { Alert } from '../../../api/alerts.ts'
import type { HealthCheck } from '../../../api/health-checks.ts'
import { checkName } from '../../../blocks/checks.ts'
import { peopleInput, textInput } from '../../../blocks/inputs.ts'
import { section } from '../../../blocks/layout.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { readRecipients } from '../../../domain/recipients.ts'
import { FieldErrors } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import { lookUpAdded } from '../look-up.ts'
import { badSentence } from '../parse.ts'
import { emailsOf, MOST_PEOPLE } from '../people.ts'
import { changeBy } from '../recipients.ts'
import { addedView } from '../views/outcomes.ts'

interface AlertedCheck {
  uuid: string
  name: string
}

interface TypedRecipients {
  addresses: readonly string[]
  repeated: readonly string[]
  people: readonly string[]
}

const ADD = 'alerts.add'

/** Asks who is to be mailed when the status of the check changes. */
export function addModal(check: HealthCheck, environment: Environment): Modal {
  const about: AlertedCheck = { uuid: check.uuid, name: checkName(check) }
  return {
    title: 'Add alert',
    form: { id: ADD, submit: 'Add' },
    about,
    blocks: [
      section(`Who is mailed when the status of “${about.name}”${badgeOf(environment)} changes?`),
      textInput('recipients', 'E-mail addresses', {
        multiline: true,
        optional: true,
        hint: 'Paste as many as you like: separated by commas, semicolons, spaces or lines, with names or without.',
      }),
      peopleInput('people', 'People in Slack', {
        optional: true,
        most: MOST_PEOPLE,
        hint: 'Mailed at the address of their Slack profile.',
      }),
    ],
  }
}

/** Throws FieldErrors that name every bad address. */
function readAdded(answers: Answers): TypedRecipients {
  const { addresses, repeated, bad } = readRecipients(answers.text('recipients') ?? '')
  const people = answers.users('people')
  if (bad.length > 0) throw new FieldErrors({ recipients: badSentence(bad) })
  if (addresses.length + people.length === 0)
    throw new FieldErrors({
      recipients: 'An alert needs somebody to mail: give an address, or choose people.',
    })
  return { addresses, repeated, people }
}

/** The form of `addModal`. */
export const addForm: Form<TypedRecipients, AlertedCheck> = {
  id: ADD,
  verb: '/hc alert-add',
  needs: 'operator',
  working: 'Adding the alert…',
  read: readAdded,
  async submit(context, { addresses, repeated, people }, { uuid, name }) {
    const api = await context.api()
    const { recipients } = changeBy(addresses, await emailsOf(await context.slack(), people), [])
    const before = await context.keep('alerts', async () => (await api.alerts.list(uuid)).map(({ id }) => id))
    await context.change(
      {
        verb: '/hc alert-add',
        object: `health-check ${uuid}`,
        objectName: name,
        after: (made: Alert | undefined) => ({ name, recipients, ...(made && { id: made.id }) }),
        lookUp: () => lookUpAdded(api.alerts, uuid, recipients, before),
      },
      () => api.alerts.create(uuid, { type: 'EMAIL', recipients }),
    )
    return addedView({ uuid, name, environment: context.environment }, recipients, repeated)
  },
}
