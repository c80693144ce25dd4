import { setTimeout } from 'node:timers/promises'
import { OutcomeUnknown } from '@signalman/durable'
import { newId, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import {
  STEP_STATES,
  type Step,
  type StepRecord,
  type StepState,
  type StoredApiError,
} from '../rules/change.ts'
import type { ChangesDetails } from '../rules/job.ts'
import { changedView } from '../views/job.ts'
import { CHANGES_KIND } from './changes-job.ts'
import { NOT_CONFIRMED, readJobResult, readStepsInState } from './job-result.ts'
import { countPlanned, findJob, type JobDeps, toJobSteps } from './start-job.ts'

/** The result of a change that a window has made. */
export interface WindowChange {
  /** The job that made it, so that it can be undone. */
  readonly id: string
  readonly state: 'done' | 'same'
  readonly record: StepRecord
  /** The job's last message. */
  show(): Promise<Message>
}

/** The change of a window that wasn't made. */
export class NotChanged extends UserError {
  override readonly name = 'NotChanged'
  readonly record: StepRecord | undefined
  constructor(record: StepRecord | undefined, reopenLine: string) {
    super(record?.reason ?? NOT_CONFIRMED, [{ label: 'Open it again', line: reopenLine }])
    this.record = record
  }
}

/** Connects to the service. Throws UserError unless the account is proven to be the one that the window was opened under. */
export async function connectForWindow(
  { accountProof }: Pick<JobDeps, 'accountProof'>,
  context: Requester & ServiceAccess,
  account: string,
): Promise<Api> {
  const api = await context.api()
  if (await accountProof.isProven(context, api, account)) return api
  throw new UserError(
    'Signalman can’t tell whether it’s still connected to the account that this window was opened under. Nothing was sent. Open the window again.',
  )
}

const POLL_INTERVAL_MS = 100

/**
 * Makes the change of a window: as a job with one step, so that it can be undone, that runs at once and posts no messages. If only
 * part of it was done, or nobody knows whether it was, returns the message that says so and offers to continue. Throws NotChanged,
 * UserError, and ApiError if nothing was changed, also if Signalman is now connected to another account than the window.
 */
export async function runWindowJob(
  deps: JobDeps,
  context: CommandContext,
  details: Omit<ChangesDetails, 'planned' | 'startedBy' | 'inWindow'>,
  step: Step,
  /** The line that opens the window with the current values. */
  reopenLine: string,
): Promise<WindowChange | { readonly message: Message }> {
  const key = `window ${await context.remember('job', async () => newId())}`
  const stored: ChangesDetails = {
    ...details,
    planned: countPlanned([step]),
    startedBy: context.userId,
    inWindow: true,
  }
  const id = await deps.queue.addOnce(context, { kind: CHANGES_KIND, details: stored, key })
  await deps.steps.add(id, toJobSteps([step]))
  const job = await findJob(deps, context, id)
  if (job?.state === 'prepared') {
    const api = await connectForWindow(deps, context, details.account)
    await deps.accountProof.keepListing(context, api, new Set(step.do === 'delete' ? [step.uuid] : []))
    await deps.queue.start(context, job)
  }
  await deps.queue.runNow(context, { kind: CHANGES_KIND, key })
  await waitForEnd(deps, context, id)
  const { state, record } = await findOutcome(deps, id)
  const show = async (): Promise<Message> => {
    const ended = { id, details: stored, context, isStopped: false }
    return changedView(id, stored, await readJobResult(ended, deps, undefined), context.environment)
  }
  if (record && (state === 'done' || state === 'same')) return { id, state, record, show }
  if (state === 'refused' || state === 'skipped')
    throw record?.error ? toApiError(record.error) : new NotChanged(record, reopenLine)
  if (state === 'begun') throw new OutcomeUnknown()
  if (state === 'ready') throw new UserError('It was stopped before it began.')
  return { message: await show() }
}

const toApiError = ({ kind, message, ...details }: StoredApiError): ApiError =>
  new ApiError(kind, message, details)

/** Waits until the job has ended, which another process may be running. */
async function waitForEnd(deps: JobDeps, context: Pick<Requester, 'workspaceId'>, id: string): Promise<void> {
  for (;;) {
    const job = await findJob(deps, context, id)
    if (!job) throw new UserError('This change is no longer stored, so Signalman can’t tell how it ended.')
    if (job.state === 'done' || job.state === 'stopped') return
    await setTimeout(POLL_INTERVAL_MS)
  }
}

async function findOutcome(
  { steps }: JobDeps,
  id: string,
): Promise<{ state?: StepState; record?: StepRecord | undefined }> {
  const counts = await steps.countByState(id)
  const state = STEP_STATES.find((each) => counts[each] > 0)
  if (state === undefined) return {}
  for await (const { record } of readStepsInState(steps, id, state)) return { state, record }
  return { state }
}
