import { UserError } from '@signalman/runtime'
import { clip, oneLine, section, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { JOBS_KEPT_TEXT } from '../../../bot/retention/sweeping.ts'
import { checkName } from '../../../bot/views/check-facts.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import type { ReadCheck } from '../jobs/read-check.ts'
import type { JobDeps } from '../jobs/start-job.ts'
import { runWindowJob } from '../jobs/window-job.ts'
import type { Deletion } from '../rules/change.ts'
import { createPlanner } from '../rules/plan.ts'
import { listRecipients } from '../rules/recipients.ts'
import { formatTarget } from '../views/check.ts'

interface CheckToDelete {
  name: string
  /** Deletes the check only if it's still as the window showed it. */
  step: Deletion
  account: string
}

/** Describes the alerts that are deleted with the check. */
function describeAlerts(alerts: readonly AlertBody[]): string {
  if (alerts.length === 0) return 'no alerts'
  return `${pluralize(alerts.length, 'alert')} with ${pluralize(new Set(listRecipients(alerts)).size, 'recipient')}`
}

/** Alerts that can't be read can't be restored. */
const unreadableAlertsError = (uuid: string): UserError =>
  new UserError(
    'Signalman can’t read some of its alerts, so it couldn’t restore them on undo. Delete this health check in the service.',
    [{ label: 'Alerts', line: `/hc alerts ${quoted(uuid)}` }],
  )

/**
 * The form that deletes a health check. The person types its name, so that a click alone deletes nothing. Deletes exactly what was
 * shown, as a job with one step, so it can be undone. Throws UserError.
 */
export const deleteForm = form({
  id: 'health-checks.delete',
  title: 'Delete health check',
  button: 'Delete',
  verb: '/hc delete',
  needs: 'operator',
  workingText: 'Deleting the health check…',
  content(environment, { current, details }: ReadCheck, account: string) {
    const { uuid, state } = current
    const planner = createPlanner(new Set())
    const step = planner.add({ line: 1, is: 'gone', uuid }, current)
    if (step?.do !== 'delete') throw unreadableAlertsError(uuid)
    const name = oneLine(details.name) || uuid
    const formState: CheckToDelete = { name, step, account }
    return {
      formState,
      blocks: [
        section(
          `Deletes ${checkName(details)}${environmentSuffix(environment)} (${formatTarget(details)}), which has ${describeAlerts(state.alerts)}. The service stops checking it, and no one is notified when the target goes down. You can undo this for ${JOBS_KEPT_TEXT}.`,
        ),
        textInput('name', 'Type the name of the health check', { hint: name }),
      ],
    }
  },
  read: (answers) => answers.text('name') ?? '',
  async submit(context, typed, { name, step, account }, deps: JobDeps) {
    if (oneLine(typed) !== name) throw new UserError(`Type \`${name}\` to confirm.`)
    const deleted = await runWindowJob(
      deps,
      context,
      {
        verb: '/hc delete',
        title: `Delete “${clip(name, 150)}”`,
        doneText: `Deleted “${clip(name, 150)}”, which had ${describeAlerts(step.expects.alerts ?? [])}`,
        account,
      },
      step,
      `/hc delete ${quoted(step.uuid)}`,
    )
    if ('message' in deleted) return deleted.message
    if (deleted.state === 'same') throw new UserError('It was already deleted.')
    return deleted.show()
  },
})
