import type { EphemeralState } from '@signalman/durable'
import { Refusal, UserError } from '@signalman/runtime'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { JobKind } from '../../../bot/routes/routes.ts'
import { ApiError } from '../../../service/errors.ts'
import { findOwner } from '../rows/job-owners.ts'
import { noteUndoable } from '../rows/undoable.ts'
import type { ChangesAbout, Ending } from '../rules/job.ts'
import { changedView, changingView, undoableWords } from '../views/job.ts'
import { type EndedJob, readEnding } from './ending.ts'
import {
  auditUnknown,
  type ChangesRun,
  type EngineParts,
  problemSentence,
  runSteps,
  settleRest,
} from './run-steps.ts'
import { createConnected } from './same-account.ts'

/** The one kind of job that changes health checks. */
export const CHANGES = 'health-checks.changes'

export type ChangesJobParts = EngineParts & { ephemeralState: EphemeralState }

/**
 * Makes changes of health checks, each once. However it ends, its last message says how far it got, and what can be done about
 * it.
 */
export function changesJob(parts: ChangesJobParts): JobKind<ChangesAbout> {
  const { steps } = parts

  async function end(run: ChangesRun, because: string | undefined) {
    const { id, about, context, upload } = run
    await auditUnknown(run, parts)
    const ended: EndedJob = { id, about, context, isStopped: run.isStopped(), upload }
    const ending = await readEnding(ended, parts, because)
    await rememberUndo(parts, { id, about, context, now: run.now() }, ending)
    return {
      message: changedView(id, about, ending, context.environment),
      isDone: !(ending.next.canContinue || ending.next.canTryAgain),
    }
  }

  return {
    kind: CHANGES,
    verb: '/hc jobs',
    needs: 'operator',
    async run(given) {
      const run: ChangesRun = { ...given, connected: createConnected(given) }
      const { environment } = run.context
      const tell = async () =>
        run.tell(changingView(run.id, run.about, await steps.counts(run.id), environment))
      await tell()
      const problem = await why(() => runSteps(run, parts, tell))
      const rest = await why(() => settleRest(run, parts))
      return end(run, problem ?? rest)
    },
    async ended(job, because) {
      const { id, about, workspaceId, environment, now } = job
      await auditUnknown(job, parts)
      const context = { workspaceId, environment, now }
      const ending = await readEnding({ id, about, context, isStopped: false }, parts, because)
      await rememberUndo(parts, { id, about, context, now }, ending)
      return changedView(id, about, ending, environment)
    },
    owner: ({ id, about, ...where }) =>
      findOwner(parts.ephemeralState, where, { id, startedBy: about.startedBy }),
  }
}

/** Why it can't go on, in words. Throws faults of ours: those are tried again. */
async function why(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError && error.kind !== 'cancelled') return problemSentence(error)
    if (error instanceof Refusal || error instanceof UserError) return error.message
    throw error
  }
}

/** `/hc undo` offers what was done, to whoever did it or has it now; what was undone, no longer. */
async function rememberUndo(
  { ephemeralState }: ChangesJobParts,
  { id, about, context, now }: Pick<EndedJob, 'id' | 'about' | 'context'> & { now: Date },
  ending: Ending,
): Promise<void> {
  const { workspaceId } = context
  const userId = await findOwner(ephemeralState, { workspaceId, now }, { id, startedBy: about.startedBy })
  const person = { workspaceId, userId, now }
  const { undoes } = about
  const words = { ...undoableWords(about, ending, context.environment), forMs: JOBS_KEPT_MS }
  if (undoes === undefined) {
    if (ending.next.canUndo) await noteUndoable(ephemeralState, person, `/hc job-undo ${id}`, words)
    return
  }
  await noteUndoable(ephemeralState, person, `/hc job-undo ${undoes}`)
  // What is left of an undo is gone on with by continuing it.
  await noteUndoable(
    ephemeralState,
    person,
    `/hc job-start ${id}`,
    ending.next.canContinue ? words : undefined,
  )
}
