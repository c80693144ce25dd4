import type { Work } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { clip, type Message, oneLine } from '@signalman/slack'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { handOverEach } from '../../../bot/routes/hand-over-each.ts'
import type { HandOver } from '../../../bot/routes/routes.ts'
import { changeOwner, findOwner, findOwners } from '../rows/job-owners.ts'
import { nextActions, type StoppedJob } from '../rules/job.ts'
import { changedView } from '../views/job.ts'
import { CHANGES_KIND } from './changes-job.ts'
import { readJobResult } from './job-result.ts'
import { findJob, findUndo, isOpen, type JobDeps, readJobDetails } from './start-job.ts'

const MAX_NAME_LENGTH = 100

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

/** Hands jobs over. The new owner can continue and undo them. A running job keeps the permissions of the person who started it. */
export const handOverJobs = (deps: JobDeps): HandOver => ({
  singular: 'change to health checks',
  plural: 'changes to health checks',
  needs: async () => 'operator',

  async listOwned(context, userId) {
    const jobs = await listOwnedJobs(deps, context, userId)
    const transferable = await Promise.all(
      jobs.map(async (job) => (isOpen(job) || (await readStoppedJob(deps, context, job)) ? [job] : [])),
    )
    return transferable.flat().map((job) => {
      const { environment } = readJobBody(job)
      return { id: job.id, environment, name: clip(oneLine(readJobDetails(job).title), MAX_NAME_LENGTH) }
    })
  },

  transfer: (context, items, { from, to }) =>
    handOverEach(items, async ({ id, environment }) => {
      const job = await findJob(deps, context, id)
      if (!job) throw new UserError(NOT_STORED)
      const startedJob = toStartedJob(job)
      const people = { from, to: to.userId }
      await context.change(
        {
          verb: '/hc handover',
          object: `job ${id}`,
          objectName: readJobDetails(job).title,
          environment,
          before: { owner: from },
          after: { owner: to.userId },
          async lookUp() {
            const isMoved = (await findOwner(deps.ephemeralState, context, startedJob)) === to.userId
            return isMoved ? { outcome: undefined } : 'not-done'
          },
        },
        async () => {
          if (!(await changeOwner(deps.ephemeralState, context, startedJob, people)))
            throw new UserError('They no longer own this job.')
        },
      )
    }),

  notes: () => [
    'A running change keeps the permissions of the person who started it. Handing it over changes who can continue or undo it.',
  ],
})
