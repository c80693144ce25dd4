import { setTimeout } from 'node:timers/promises'
import { UserError } from '@signalman/runtime'
import { clip, type Message, oneLine, section, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { JOBS_KEPT_TEXT } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { checkName } from '../../../bot/views/check-facts.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import { CHANGES_KIND } from '../jobs/changes-job.ts'
import { readJobResult } from '../jobs/job-result.ts'
import { lookUpStep, type ReadCheck } from '../jobs/read-check.ts'
import { addJob, countPlanned, type JobDeps, startJob } from '../jobs/start-job.ts'
import type { Deletion } from '../rules/change.ts'
import { decide } from '../rules/decide.ts'
import type { ChangesDetails } from '../rules/job.ts'
import { createPlanner } from '../rules/plan.ts'
import { listRecipients } from '../rules/recipients.ts'
import { formatTarget } from '../views/check.ts'
import { changedView } from '../views/job.ts'

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
    await context.remember('as shown', () => requireUnchanged(deps, context, step))
    const details: ChangesDetails = {
      verb: '/hc delete',
      title: `Delete “${clip(name, 150)}”`,
      account,
      startedBy: context.userId,
      doneText: `Deleted “${clip(name, 150)}”, which had ${describeAlerts(step.expects.alerts ?? [])}`,
      planned: countPlanned([step]),
    }
    const id = await addJob(deps, context, details, [step])
    const started = await startJob(deps, context, id)
    return (await waitForOutcome(deps, context, id, details)) ?? started
  },
})

/** Throws UserError if the check was changed or deleted after the window was opened. */
async function requireUnchanged(
  { knownAddresses }: Pick<JobDeps, 'knownAddresses'>,
  context: CommandContext,
  step: Deletion,
): Promise<true> {
  const { lookup } = await lookUpStep(
    await context.api(),
    { step },
    { addresses: knownAddresses.in(context) },
  )
  const decision = decide({ step }, lookup)
  if (decision.is === 'write') return true
  if (decision.state === 'same') throw new UserError('Someone else has already deleted it.')
  throw new UserError(
    `It has changed since you opened this window. ${decision.record.reason ?? ''} Nothing was deleted.`,
    [{ label: 'Open it again', line: `/hc delete ${quoted(step.uuid)}` }],
  )
}

const OUTCOME_TIMEOUT_MS = 8000
const POLL_INTERVAL_MS = 100

/** Waits up to `OUTCOME_TIMEOUT_MS` for the job to end, so the person sees its outcome in the window. Undefined on timeout. */
async function waitForOutcome(
  deps: JobDeps,
  context: CommandContext,
  id: string,
  details: ChangesDetails,
): Promise<Message | undefined> {
  const { environment } = context
  const deadline = performance.now() + OUTCOME_TIMEOUT_MS
  while (performance.now() < deadline) {
    const job = await deps.queue.find(context, [CHANGES_KIND], id)
    if (job === undefined || job.state === 'done' || job.state === 'stopped')
      return changedView(
        id,
        details,
        await readJobResult({ id, details, context, isStopped: false }, deps, undefined),
        environment,
      )
    await setTimeout(POLL_INTERVAL_MS)
  }
  return undefined
}
