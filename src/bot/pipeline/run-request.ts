import { type Act, isForLater, NotTold, OutcomeLost, OutcomeUnknown, RecordsAway } from '@signalman/durable'
import { type Log, nameOutcome } from '@signalman/runtime'
import type { Request } from '@signalman/slack'
import type { RunRequest } from '../request/contract.ts'
import { correctedFor, explain, logProblem } from '../request/explain.ts'
import type { OpenSlot } from '../request/reply.ts'

export function createRunRequest(parts: {
  openSlot: OpenSlot
  log: Log
  /** Hears of every request, with what came of it. */
  handled?: (kind: Request['kind'], outcome: 'done' | 'problem' | 'failed', ms: number) => void
}): RunRequest {
  const { openSlot, log, handled } = parts
  return async (request, handledRequest, todo) => {
    if (!todo.work) return
    const started = performance.now()
    const line = {
      reference: handledRequest.reference,
      workspace: handledRequest.workspaceId,
      kind: request.kind,
    }
    const slot = openSlot(handledRequest, todo.slot)
    try {
      const ran = await todo.work(handledRequest, slot)
      const ms = Math.round(performance.now() - started)
      handled?.(request.kind, 'done', ms)
      nameOutcome('done')
      const resumed = handledRequest.act?.isResumed && { resumed: true }
      log.info({ ...line, verb: ran, outcome: 'done', ...resumed, ms }, 'A request was attended to.')
    } catch (cause) {
      if (isForLater(cause)) throw cause
      const error = await judged(handledRequest.act, cause)
      const problem = correctedFor(
        handledRequest.act,
        explain(error, { reads: handledRequest.act?.isUntouched !== false }),
        Boolean(handledRequest.act ?? (todo.isAct || todo.mayChange)),
      )
      const ms = Math.round(performance.now() - started)
      const outcome = problem.isFault ? 'failed' : 'problem'
      handled?.(request.kind, outcome, ms)
      nameOutcome(outcome, error)
      logProblem(log, { ...line, ms }, problem, error)
      const told = todo.tell?.(handledRequest, problem, slot) ?? slot.problem(problem)
      await told.catch((failure: unknown) => {
        throw new NotTold(failure)
      })
    } finally {
      slot.close()
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
