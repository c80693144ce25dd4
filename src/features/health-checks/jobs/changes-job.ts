import type { EphemeralState } from '@signalman/durable'
import { Refusal, UserError } from '@signalman/runtime'
import type { JobKind } from '../../../bot/routes/routes.ts'
import { ApiError } from '../../../service/errors.ts'
import { findOwner } from '../rows/job-owners.ts'
import type { ChangesDetails } from '../rules/job.ts'
import { changedView, changingView } from '../views/job.ts'
import { type EndedJob, readJobResult } from './job-result.ts'
import { auditUnknown, lookUpBegunSteps, runSteps, skipUnsent } from './run-steps.ts'
import { createConnect } from './same-account.ts'
import type { ChangesRun, StepDeps } from './store-outcomes.ts'
import { describeApiError } from './write-steps.ts'

export const CHANGES_KIND = 'health-checks.changes'

export type ChangesJobDeps = StepDeps & { ephemeralState: EphemeralState }

/**
 * The kind of job that changes health checks, each exactly once. Its last message says how far it got, and offers to continue,
 * retry, or undo it.
 */
export function changesJob(deps: ChangesJobDeps): JobKind<ChangesDetails> {
  const { steps } = deps

  async function finish(run: ChangesRun, endReason: string | undefined) {
    const { id, details, context, upload } = run
    if (details.inWindow) await skipUnsent(run, deps, endReason ?? INTERRUPTED, run.failure.latest)
    await auditUnknown(run, deps)
    // `lookUpBegunSteps` has waited until nothing that this job sent is still running.
    await steps.releaseAllHolds(id)
    const endedJob: EndedJob = { id, details, context, isStopped: run.isStopped(), upload }
    const result = await readJobResult(endedJob, deps, endReason)
    return {
      message: changedView(id, details, result, context.environment),
      isDone: !(result.next.canContinue || result.next.canTryAgain),
      // A deletion is also posted, so that it can still be undone when the window is closed.
      isQuiet: details.inWindow === true && result.done.delete === 0,
    }
  }

  return {
    kind: CHANGES_KIND,
    verb: '/hc jobs',
    needs: 'operator',
    isQuiet: ({ inWindow = false }) => inWindow,
    async run(jobRun) {
      const run: ChangesRun = {
        ...jobRun,
        connect: createConnect(jobRun, deps.accountProof),
        addresses: deps.knownAddresses.in(jobRun.context),
        failure: {},
      }
      const { environment } = run.context
      const reportProgress = async (): Promise<void> => {
        if (run.details.inWindow) return
        await run.showProgress(
          changingView(run.id, run.details, await steps.countByState(run.id), environment),
        )
      }
      await reportProgress()
      const problem = await captureProblem(run, () => runSteps(run, deps, reportProgress))
      const lookUpProblem = await captureProblem(run, () => lookUpBegunSteps(run, deps))
      return finish(run, problem ?? lookUpProblem)
    },
    async describeError(job, endReason) {
      const { id, details, workspaceId, environment, now } = job
      if (details.inWindow) await skipUnsent(job, deps, endReason)
      await auditUnknown(job, deps)
      // If an outcome is unknown, a request may still be running. Then the holds end by themselves once it must be over.
      if ((await steps.listBegun(id)).length === 0) await steps.releaseAllHolds(id)
      const context = { workspaceId, environment, now }
      const result = await readJobResult({ id, details, context, isStopped: false }, deps, endReason)
      return changedView(id, details, result, environment)
    },
    findOwner: ({ id, details, ...where }) => findOwner(deps.ephemeralState, where, { ...details, id }),
  }
}

const INTERRUPTED = 'Signalman was interrupted before it could do this. Try again.'

/** Runs `action` and describes the problem that stops the job. Rethrows other errors, such as database outages, which the queue retries. */
async function captureProblem(
  { failure }: Pick<ChangesRun, 'failure'>,
  action: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof ApiError && error.kind !== 'cancelled') {
      failure.latest ??= error
      return describeApiError(error)
    }
    if (error instanceof Refusal || error instanceof UserError) return error.message
    throw error
  }
}
