import type { Alert } from '../../../api/alerts.ts'
import type { HealthCheck } from '../../../api/health-checks.ts'
import { checkName } from '../../../blocks/checks.ts'
import { facts } from '../../../blocks/facts.ts'
import { section } from '../../../blocks/layout.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { findUnchanged, type SeenAlert } from '../find-alert.ts'
import { lookUpRemoved } from '../look-up.ts'
import { addressList, recipientCount } from '../views/alerts.ts'
import { removedView } from '../views/outcomes.ts'

const REMOVE = 'alerts.remove'
const NAMED = 25

/** Names who is no longer mailed, so that it is not agreed to unseen. */
export function removeModal(check: HealthCheck, alert: Alert, environment: Environment): Modal {
  const { id, type, recipients } = alert
  const about: SeenAlert = { uuid: check.uuid, name: checkName(check), id, type, recipients }
  return {
    title: 'Remove alert',
    form: { id: REMOVE, submit: 'Remove' },
    about,
    blocks: [
      section(
        `This alert of “${about.name}”${badgeOf(environment)} is removed for good. Its recipients are no longer mailed when the status changes.`,
      ),
      facts([[recipientCount(recipients.length), addressList(recipients, NAMED) || 'nobody is mailed']]),
    ],
  }
}

/** The form of `removeModal`: an alert that has changed meanwhile is kept. */
export const removeForm: Form<undefined, SeenAlert> = {
  id: REMOVE,
  verb: '/hc alert-remove',
  needs: 'operator',
  working: 'Removing the alert…',
  read: () => undefined,
  async submit(context, _, seen) {
    const { uuid, name, id } = seen
    const api = await context.api()
    const { recipients } = await context.keep('alert', () =>
      findUnchanged(api, seen, `/hc alert-remove ${quoted(uuid)} ${id}`),
    )
    await context.change(
      {
        verb: '/hc alert-remove',
        object: `alert ${id} of health-check ${uuid}`,
        objectName: name,
        before: { name, recipients },
        lookUp: () => lookUpRemoved(api.alerts, uuid, id),
      },
      () => api.alerts.delete(uuid, id),
    )
    return removedView({ uuid, name, environment: context.environment }, recipients)
  },
}
