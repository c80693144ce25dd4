import type { Work } from '@signalman/durable'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { nextActions, type OpenJob, type UndoOffer } from '../rules/job.ts'
import { readJobResult } from './job-result.ts'
import { listOwnedJobs } from './owned-jobs.ts'
import { findUndo, isOpen, type JobDeps, readJobDetails, readOpenJob } from './start-job.ts'

/** What `/hc undo` shows: read from the jobs themselves, so that it can't differ from them. */
export interface UndoOffers {
  /** The person's running changes in this environment, newest first. Their undos, too. */
  readonly running: readonly OpenJob[]
  /** Changes in this environment that can be undone, or whose undo hasn't finished, latest first. At most MAX_OFFERS. */
  readonly offers: readonly UndoOffer[]
  /** Environments of other changes that can be undone. */
  readonly otherEnvironments: readonly Environment[]
}

const MAX_OFFERS = 5

export async function findUndoOffers(deps: JobDeps, context: Requester): Promise<UndoOffers> {
  const jobs = await listOwnedJobs(deps, context, context.userId)
  const latestFirst = jobs.toSorted((left, right) => right.touchedAt.getTime() - left.touchedAt.getTime())
  const isHere = (job: Work): boolean => readJobBody(job).environment === context.environment
  const running: OpenJob[] = []
  const offers: UndoOffer[] = []
  for (const job of latestFirst.filter(isHere)) {
    if (offers.length === MAX_OFFERS) break
    const found = await readOffer(deps, context, job)
    if (found && 'isRunning' in found) running.push(found)
    else if (found) offers.push(found)
  }
  const otherEnvironments = new Set<Environment>()
  for (const job of latestFirst.filter((other) => !isHere(other))) {
    const { environment } = readJobBody(job)
    const found = otherEnvironments.has(environment) ? undefined : await readOffer(deps, context, job)
    if (found && !('isRunning' in found)) otherEnvironments.add(environment)
  }
  return { running, offers, otherEnvironments: [...otherEnvironments] }
}

/** What can be done about a change: wait for it or its undo, undo it, or finish its undo. Undefined if nothing. */
async function readOffer(
  deps: JobDeps,
  context: Pick<Requester, 'workspaceId'>,
  job: Work,
): Promise<OpenJob | UndoOffer | undefined> {
  // An undo is shown in place of the change that it undoes.
  if (readJobDetails(job).undoes !== undefined) return undefined
  if (isOpen(job)) return readOpenJob(deps, job)
  const undo = await findUndo(deps, context, job.id)
  if (undo && isOpen(undo)) return readOpenJob(deps, undo)
  const latest = undo ?? job
  const details = readJobDetails(latest)
  const counts = await deps.steps.countByState(latest.id)
  const { canUndo, canContinue, canTryAgain } = nextActions(details, counts)
  if (undo ? !(canContinue || canTryAgain) : !canUndo) return undefined
  return {
    id: latest.id,
    environment: readJobBody(latest).environment,
    details,
    counts,
    isUnfinishedUndo: undo !== undefined,
    at: latest.touchedAt,
    until: new Date(latest.touchedAt.getTime() + JOBS_KEPT_MS),
  }
}

/** The result of a change or its undo, as its last message showed it, but without moving watches or sending files again. */
export const readOfferResult = (
  deps: JobDeps,
  context: CommandContext,
  { id, details, environment }: UndoOffer,
) =>
  readJobResult(
    { id, details, context: { ...context, environment }, isStopped: false },
    { ...deps, moveToReplacements: async () => ({ watches: 0, silences: 0 }) },
    undefined,
  )
