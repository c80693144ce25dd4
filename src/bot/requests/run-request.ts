import {
  type Act,
  isForLater,
  NotTold,
  OutcomeLost,
  OutcomeUnknown,
  RecordsAway,
  type Work as StoredWork,
} from '@signalman/durable'
import { type Log, nameOutcome } from '@signalman/runtime'
import type { Request, RequestOrigin } from '@signalman/slack'
import type { AnswerSlot, OpenSlot, SlotOptions } from '../replies/answer-slot.ts'
import { type Explained, explain, logProblem, UNCHANGED } from '../replies/explain.ts'
import type { HandledRequest } from '../routes/command-context.ts'

/** What a kind of request does once it is acknowledged. Returns the name of what ran, for the log. */
export type HandleRequest = (request: HandledRequest, slot: AnswerSlot) => Promise<string>

/** How one kind of request is acknowledged, without waiting for anything, and what is done afterwards. */
export interface RequestHandler {
  /** What is asked for, as far as that is known before anything is done. */
  verb?: string
  acknowledgement?: unknown
  /** Runs before Slack is answered and is safe to repeat: when it fails, Slack is told so and sends the event again. */
  first?: (request: HandledRequest) => Promise<void>
  work?: HandleRequest
  /** How the request is answered. */
  slot?: SlotOptions
  /** True for an act: it is stored before Slack is answered, and done once. */
  isAct?: boolean
  /** True also for what opens the window of an act, and for a line that was to be one: of these a refusal says that nothing was changed. */
  mayChange?: boolean
  /** The key by which two requests are the same act although their bytes differ, such as two presses in one window. */
  once?: string
  /** Answers an act that was sent before, with what became of it, instead of doing it again. */
  repeated?: (request: HandledRequest, known: StoredWork) => Promise<void>
  /** The acknowledgement when the act could not be written down, with words that say so; by default they are told by `tell`. */
  refusal?: (words: string) => unknown
  /** Tells the person that it is not known yet whether the act was carried out. */
  onDoubt?: (request: HandledRequest) => Promise<void>
  /** Shows a problem where the person looks; by default an answer like any other. */
  tell?: (request: HandledRequest, problem: Explained, slot: AnswerSlot) => Promise<unknown>
}

export type RequestHandlers = (request: Request, origin: RequestOrigin) => RequestHandler

/** Does a handler's work and turns every error into a sentence with a reference. For an act it throws what `isForLater` names. */
export type RunRequest = (request: Request, handled: HandledRequest, todo: RequestHandler) => Promise<void>

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

/**
 * The problem as it is for the whole request: where earlier steps were done, “nothing was changed” is true of the last step only.
 * What cannot change anything does not say so, and what says so itself does not say it twice.
 */
export function correctedFor(act: Act | undefined, problem: Explained, mayChange = true): Explained {
  if (problem.changed !== UNCHANGED) return problem
  if (!mayChange || problem.happened.includes(UNCHANGED)) return { ...problem, changed: '' }
  return act?.hasChanged() ? { ...problem, changed: PARTLY } : problem
}

const PARTLY = 'The steps before this were done and stay: look at them before you repeat anything.'
