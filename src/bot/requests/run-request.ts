import type { Environment } from '../../domain/environment.ts'
import type { Log } from '../../log.ts'
import type { Request } from '../../slack/receive/requests.ts'
import { nameOutcome } from '../../tracing/cause.ts'
import type { Act } from '../../work/act.ts'
import { OutcomeLost, OutcomeUnknown, RecordsAway } from '../../work/outcome-errors.ts'
import { type Explained, explain, problemMessage, UNCHANGED } from '../replies/explain.ts'
import { logProblem } from '../replies/log-problem.ts'
import { isForLater, NotTold } from '../replies/not-told.ts'
import type { Replies } from '../replies/replies.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import { FailedIn } from './failed-in.ts'
import type { RequestHandler, RunRequest } from './request-handler.ts'

export function createRunRequest(parts: {
  replies: Replies
  log: Log
  /** Hears of every request, with what came of it. */
  handled?: (kind: Request['kind'], outcome: 'done' | 'problem' | 'failed', ms: number) => void
}): RunRequest {
  const { replies, log, handled } = parts
  const tellByAnswer: NonNullable<RequestHandler['tell']> = (request, problem, options) =>
    replies.answer(request, request.environment, problemMessage(problem, request.reference), options)

  return async (request, handledRequest, todo) => {
    if (!todo.work) return
    const started = performance.now()
    const line = {
      reference: handledRequest.reference,
      workspace: handledRequest.workspaceId,
      kind: request.kind,
    }
    try {
      const ran = await todo.work(handledRequest)
      const ms = Math.round(performance.now() - started)
      handled?.(request.kind, 'done', ms)
      nameOutcome('done')
      const resumed = handledRequest.act?.isResumed && { resumed: true }
      log.info({ ...line, verb: ran, outcome: 'done', ...resumed, ms }, 'A request was attended to.')
    } catch (thrown) {
      const { environment, error: cause, inPlace } = partsOf(thrown, handledRequest)
      if (isForLater(cause)) throw cause
      const error = await judged(handledRequest.act, cause)
      const problem = correctedFor(handledRequest.act, explain(error, { reads: !handledRequest.act }))
      const ms = Math.round(performance.now() - started)
      const outcome = problem.isFault ? 'failed' : 'problem'
      handled?.(request.kind, outcome, ms)
      nameOutcome(outcome, error)
      logProblem(log, { ...line, ms }, problem, error)
      await (todo.tell ?? tellByAnswer)({ ...handledRequest, ...(environment && { environment }) }, problem, {
        inPlace,
      }).catch((failure: unknown) => {
        throw new NotTold(failure)
      })
    }
  }
}

/**
 * Says what a failure means for an act: an error outside of its steps may pass, a begun step may have happened, and a step
 * that was done stays done, although the way back to it fails now.
 */
async function judged(act: Act | undefined, error: unknown): Promise<unknown> {
  if (!act) return error
  if (act.isWorthAnother(error)) throw new RecordsAway(error)
  if (await act.leaveOpen()) return new OutcomeUnknown({ cause: error })
  return act.hasDoneMore() ? new OutcomeLost('A step of it was done before.', { cause: error }) : error
}

/** The problem as it is for the whole act: where earlier steps were done, “nothing was changed” is true of the last step only. */
export const correctedFor = (act: Act | undefined, problem: Explained): Explained =>
  act?.hasChanged() && problem.changed === UNCHANGED ? { ...problem, changed: PARTLY } : problem

const PARTLY = 'What was done before this stays: look at it before you repeat anything.'

function partsOf(
  thrown: unknown,
  request: Pick<HandledRequest, 'environment'>,
): { environment: Environment | undefined; error: unknown; inPlace: boolean } {
  if (!(thrown instanceof FailedIn))
    return { environment: request.environment, error: thrown, inPlace: false }
  const { environment, cause, inPlace } = thrown
  return { environment, error: cause, inPlace }
}
