import type { Work } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { findOwners } from '../rows/job-owners.ts'
import { nextActions, type StoppedJob } from '../rules/job.ts'
import { changedView } from '../views/job.ts'
import { CHANGES_KIND } from './changes-job.ts'
import { readJobResult } from './job-result.ts'
import { findJob, findUndo, isOpen, type JobDeps, readJobDetails } from './start-job.ts'

/** The jobs that a person owns, newest first. */
export async function listOwnedJobs(deps: JobDeps, context: Requester, userId: string): Promise<Work[]> {
  const all = await deps.queue.listStarted(context, CHANGES_KIND)
  const owners = await findOwners(deps.ephemeralState, context, all.map(toStartedJob))
  return all.filter(({ id }) => owners.get(id) === userId)
}

const toStartedJob = (job: Work) => ({ ...readJobDetails(job), id: job.id })

/** A job that has ended and can be continued, retried, or undone; otherwise undefined. */
async function readStoppedJob(
  deps: JobDeps,
  context: Pick<Requester, 'workspaceId'>,
  job: Work,
): Promise<StoppedJob | undefined> {
  const details = readJobDetails(job)
  const counts = await deps.steps.countByState(job.id)
  const next = nextActions(details, counts)
  if (!next.canContinue && !next.canTryAgain && !next.canUndo) return undefined
  if (await findUndo(deps, context, job.id)) return undefined
  return { id: job.id, environment: readJobBody(job).environment, details, counts }
}

/** A person's newest jobs that have ended and can still be continued, retried, or undone. */
export async function listStoppedJobs(
  deps: JobDeps,
  context: Requester,
  limit: number,
): Promise<StoppedJob[]> {
  const found: StoppedJob[] = []
  for (const job of await listOwnedJobs(deps, context, context.userId)) {
    if (found.length === limit) break
    const stopped = isOpen(job) ? undefined : await readStoppedJob(deps, context, job)
    if (stopped) found.push(stopped)
  }
  return found
}

/** Shows the result of a job that has ended, as its last message does. */
export async function showJob(deps: JobDeps, context: CommandContext, id: string): Promise<Message> {
  const job = await findJob(deps, context, id)
  if (!job) throw new UserError(NOT_STORED, [{ label: 'Your jobs', line: '/hc jobs' }])
  if (job.state === 'prepared' || isOpen(job))
    throw new UserError('This job hasn’t ended.', [{ label: 'Show running changes', line: '/hc jobs' }])
  const { environment } = readJobBody(job)
  const details = readJobDetails(job)
  const endedJob = { id, details, context: { ...context, environment }, isStopped: false }
  const jobResult = await readJobResult(
    endedJob,
    { ...deps, moveToReplacements: async () => ({ watches: 0, silences: 0 }) },
    undefined,
  )
  const noActions = { canContinue: false, canTryAgain: false, canUndo: false }
  const undo = await findUndo(deps, context, id)
  const next = undo ? noActions : jobResult.next
  const until = new Date(job.touchedAt.getTime() + JOBS_KEPT_MS)
  return changedView(id, details, { ...jobResult, next }, environment, { until, undoId: undo?.id })
}

const NOT_STORED = 'This job is no longer stored.'
