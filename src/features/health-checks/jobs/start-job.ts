import type { EphemeralState, LookupResult, Work } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { isDirect, type Message } from '@signalman/slack'
import { type Queue, readJobBody } from '../../../bot/jobs/job-queue.ts'
import type {
  ActSteps,
  AuditDetails,
  CommandContext,
  Requester,
  Rights,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { findOwner } from '../rows/job-owners.ts'
import type { Step, StepRecord } from '../rules/change.ts'
import { toUnsentRecord } from '../rules/decide.ts'
import type { ChangesDetails, OpenJob } from '../rules/job.ts'
import { changedView, textCard } from '../views/job.ts'
import { CHANGES_KIND } from './changes-job.ts'
import { BATCH_SIZE, readJobResult, readStepsInState } from './job-result.ts'
import { connectToAccount } from './same-account.ts'
import type { StepDeps } from './store-outcomes.ts'

export interface JobDeps extends StepDeps {
  queue: Queue
  ephemeralState: EphemeralState
}

/** `details` was stored by `addJob` or `undoJob`, so its type is known. */
export const readJobDetails = (job: Work): ChangesDetails => readJobBody(job).details as ChangesDetails

/** Finds a job of this workspace that changes health checks. */
export const findJob = ({ queue }: JobDeps, context: Pick<Requester, 'workspaceId'>, id: string) =>
  queue.find(context, [CHANGES_KIND], id)

export const toJobSteps = (steps: readonly Step[]) =>
  steps.map((step) => ({ line: step.line, body: { step } satisfies StepRecord }))

export function countPlanned(steps: readonly Pick<Step, 'do'>[]): ChangesDetails['planned'] {
  const planned = { create: 0, edit: 0, delete: 0 }
  for (const step of steps) planned[step.do] += 1
  return planned
}

/** Stores the steps as a job that isn't started yet, and returns its ID. After a crash, a second run returns the same job. */
export async function addJob(
  { queue, steps: store }: JobDeps,
  context: Requester & ActSteps,
  details: ChangesDetails,
  steps: readonly Step[],
): Promise<string> {
  const id = await context.remember('job', () =>
    queue.add(context, { kind: CHANGES_KIND, details, isPrepared: true }),
  )
  await store.add(id, toJobSteps(steps))
  return id
}

const SHOW_RUNNING = { label: 'Show running changes', line: '/hc jobs' }

const NOT_WAITING = new UserError('This job is no longer waiting to start.', [SHOW_RUNNING])
/** A job's last message is sent shortly before the job has ended. */
const NOT_ENDED = new UserError('This job is still running, or just ending. Once it has ended, try again.', [
  SHOW_RUNNING,
])
const refuseStart = ({ state }: Work): UserError =>
  state === 'waiting' || state === 'running' ? NOT_ENDED : NOT_WAITING
export const ALREADY_UNDONE = new UserError('This was already undone.', [SHOW_RUNNING])
const UNDO_STARTED = new UserError('Someone has started to undo this, so it can’t be continued.', [
  { label: 'Show the undo', line: '/hc undo' },
])

/** The key that lets each job be undone only once. */
export const undoKey = (id: string): string => `undo of ${id}`

export const isOpen = (job: Work): boolean =>
  (job.state === 'waiting' || job.state === 'running') && readJobBody(job).ended === undefined

/** The job that undoes this one, once someone has started it. */
export async function findUndo(
  { queue }: JobDeps,
  context: Pick<Requester, 'workspaceId'>,
  id: string,
): Promise<Work | undefined> {
  const undo = await queue.findByKey(context, CHANGES_KIND, undoKey(id))
  return undo?.state === 'prepared' ? undefined : undo
}

/** Throws UserError unless the person owns the job or is an admin. Returns the owner. */
export async function requireOwner(
  { ephemeralState }: Pick<JobDeps, 'ephemeralState'>,
  context: Requester & Rights,
  job: Pick<ChangesDetails, 'startedBy' | 'undoes'> & { id: string },
  action: 'continue' | 'undo',
): Promise<string> {
  const owner = await findOwner(ephemeralState, context, job)
  if (owner === context.userId || (await context.hasRoleOrThrow(context.userId, 'admin'))) return owner
  const relation = owner === job.startedBy ? 'who started this' : 'its current owner'
  throw new UserError(`Only <@${owner}>, ${relation}, or an admin can ${action} it.`)
}

interface StartOptions {
  /** Also retries refused steps and those with an unclear outcome. */
  retriesFailed?: boolean
  /** The connected account that an admin has just called the job's. */
  sameAccount?: string | undefined
}

/** Starts or continues a job with the permissions of the person who asks. Throws UserError if it can't be started. */
export async function startJob(
  deps: JobDeps,
  context: Requester & ServiceAccess & Rights & ActSteps,
  id: string,
  { retriesFailed = false, sameAccount }: StartOptions = {},
): Promise<Message> {
  const job = await findJob(deps, context, id)
  if (!job) throw NOT_WAITING
  const { environment } = readJobBody(job)
  const details = readJobDetails(job)
  await requireOwner(deps, context, { ...details, id }, 'continue')
  const canStart = (state: Work['state'] | undefined) => state === 'prepared' || state === 'stopped'
  // Stored, because before a crash this request may already have started the job.
  const couldStartOnFirstAttempt = await context.remember('can start', async () => canStart(job.state))
  if (couldStartOnFirstAttempt) {
    const line = `/hc job-start ${id}${retriesFailed ? ' --again' : ''}`
    const { account } = details
    const api = await connectToAccount(deps, context, { account, environment, line, confirmed: sameAccount })
    await deps.accountProof.keepListing(context, api, await listDeleted(deps, id, details))
  }
  const lookUp = async (): Promise<LookupResult<void>> =>
    !couldStartOnFirstAttempt || canStart((await findJob(deps, context, id))?.state)
      ? 'not-done'
      : { outcome: undefined }
  await context.change({ ...(await jobAuditDetails(deps, job, '/hc job-start')), lookUp }, async () => {
    if (await findUndo(deps, context, id)) throw UNDO_STARTED
    if (!couldStartOnFirstAttempt) throw refuseStart(job)
    if (retriesFailed) await retryFailedSteps(deps, id)
    const isStarter = details.startedBy === context.userId
    const action = job.state === 'prepared' ? 'Started' : 'Continued'
    const changedDetails =
      isStarter && !details.inWindow
        ? undefined
        : {
            ...details,
            inWindow: undefined,
            ...(!isStarter && { by: { does: action, userId: context.userId } }),
          }
    if ((await deps.queue.start(context, job, changedDetails)) === 'over') throw NOT_WAITING
  })
  return textCard([
    `Started${environmentSuffix(environment)}. Follow the progress ${progressLocation(context)}.`,
  ])
}

/** The checks that the job's next steps delete. */
async function listDeleted(
  { steps }: JobDeps,
  id: string,
  { planned }: ChangesDetails,
): Promise<ReadonlySet<string>> {
  if (planned.delete === 0) return new Set()
  const next = await steps.listReady(id, 0, BATCH_SIZE)
  return new Set(
    next.flatMap((each) => {
      const { step } = each.body as StepRecord
      return step.do === 'delete' ? [step.uuid] : []
    }),
  )
}

/** Makes refused and unclear steps ready again, because a person asked to retry them. */
async function retryFailedSteps({ steps }: JobDeps, id: string): Promise<void> {
  for (const state of ['refused', 'unclear'] as const)
    for await (const { line, record } of readStepsInState(steps, id, state))
      if (record) await steps.retry(id, state, [{ line, body: toUnsentRecord(record) }])
}

/** Asks a running job to stop, and ends a waiting one immediately. Throws UserError if the job has already ended. */
export async function stopJob(deps: JobDeps, context: CommandContext, id: string): Promise<Message> {
  const job = await findJob(deps, context, id)
  const alreadyEnded = new UserError('This job has already ended.')
  if (!job) throw alreadyEnded
  const { caller, environment, ended } = readJobBody(job)
  const stateBefore = await context.remember('state', async () => (ended ? 'done' : job.state))
  const stopped = await context.change(
    { ...(await jobAuditDetails(deps, job, '/hc job-stop')), isRepeatable: true },
    async () => {
      if (!OPEN_STATES.has(stateBefore)) throw alreadyEnded
      const stopResult = await deps.queue.stop(context, job)
      if (stopResult !== 'over') return stopResult
      // After a crash, this same request may already have stopped it.
      if ((await findJob(deps, context, id))?.state !== 'stopped') throw alreadyEnded
      return stateBefore === 'running' ? 'asked' : 'stopped'
    },
  )
  if (stopped === 'asked') return textCard(['Stopping after the current changes. Earlier changes stay.'])
  if (stateBefore === 'prepared') return textCard(['Canceled before it started. Nothing was changed.'])
  const details = readJobDetails(job)
  const endedJob = { id, details, context: { ...context, environment }, isStopped: true }
  const endingMessage = changedView(
    id,
    details,
    await readJobResult(endedJob, deps, 'It was stopped while it was waiting.'),
    environment,
  )
  const notify = async () => {
    if (job.message) await context.editMessage(job.message, endingMessage)
    else if (caller.userId !== context.userId) await context.sendDirect(caller.userId, endingMessage)
  }
  const isNotified = await context.remember('notified', () =>
    notify().then(
      () => true,
      () => false,
    ),
  )
  return textCard([
    'Stopped while it was waiting. Earlier changes stay.',
    !isNotified && 'Signalman couldn’t notify the person who started it.',
  ])
}

const OPEN_STATES: ReadonlySet<Work['state']> = new Set(['prepared', 'waiting', 'running'])

/** The audit log's details of a job, such as its title and how many steps are left. */
async function jobAuditDetails({ steps }: JobDeps, job: Work, verb: string): Promise<AuditDetails> {
  const { environment } = readJobBody(job)
  const { title, fileName } = readJobDetails(job)
  const { ready, begun, partial } = await steps.countByState(job.id)
  const subject = fileName === undefined ? { title } : { fileName }
  const object = `${fileName === undefined ? 'job' : 'import'} ${job.id}`
  return {
    verb,
    object,
    objectName: fileName ?? title,
    environment,
    after: { ...subject, environment, remaining: ready + begun + partial },
  }
}

/** In the DM with Signalman, “in our DM” would make people look for another DM. */
const progressLocation = ({ channelId }: Requester): string =>
  channelId && isDirect(channelId) ? 'in a separate message' : 'in our DM'

/** The jobs that are waiting or running in the workspace, oldest first; optionally only one person's. */
export async function listOpenJobs(
  { queue, steps }: JobDeps,
  context: Pick<Requester, 'workspaceId'>,
  startedBy?: string,
): Promise<OpenJob[]> {
  const jobs = await queue.listOpen(context, [CHANGES_KIND])
  const matching = jobs.filter((job) => !startedBy || readJobBody(job).caller.userId === startedBy)
  return Promise.all(matching.map((job) => readOpenJob({ steps }, job)))
}

export const readOpenJob = async ({ steps }: Pick<JobDeps, 'steps'>, job: Work): Promise<OpenJob> => ({
  id: job.id,
  userId: readJobBody(job).caller.userId,
  environment: readJobBody(job).environment,
  isRunning: job.state === 'running',
  details: readJobDetails(job),
  counts: await steps.countByState(job.id),
})
