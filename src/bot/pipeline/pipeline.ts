import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Act,
  NotDelivered,
  OutcomeLost,
  OutcomeUnknown,
  type Work as StoredWork,
  StoreUnavailable,
  willResume,
} from '@signalman/durable'
import { type Log, runWithTraceContext, setOutcome, setVerb, type UserError } from '@signalman/runtime'
import type { Request, RequestIds, RequestOrigin } from '@signalman/slack'
import type { Acts } from '../acts/acts.ts'
import { type FindHandler, type RequestHandler, type RunRequest, showProblem } from '../request/contract.ts'
import { correctForRequest, explain, logProblem } from '../request/explain.ts'
import type { OpenSlot } from '../request/reply.ts'
import { type Budgets, KINDS_FROM_PEOPLE, type LimitReached } from './budgets.ts'
import { Busy, CommitPending, NotSealed, NotStored, UnknownWorkspace } from './refusals.ts'

/**
 * Handles one request of any kind. Resolves when everything about it is done; never rejects. `requestKey` is the same for
 * every delivery of the request.
 */
export type HandleRequest = (request: Request, requestKey: unknown, ack: Acknowledge) => Promise<void>

/** Acknowledges a request to Slack, optionally with content that Slack shows immediately, such as a menu's options. */
export type Acknowledge = (answer?: unknown) => Promise<void>

interface PipelineDeps {
  findHandler: FindHandler
  acts: Acts
  runRequest: RunRequest
  log: Log
  createReference: () => string
  budgets: Budgets
  /** Finds the workspace of a request that names none. If it can't, resolves with the organization's ID, or '' if there is none. */
  resolveWorkspace: (where: RequestIds) => Promise<string>
}

/** An incoming request, and how to acknowledge it. */
interface Arrival {
  request: Request
  origin: RequestOrigin
  ack: Acknowledge
}

/**
 * Creates the function that handles every request, after `packages/slack` has verified and parsed it. It finds the request's
 * workspace and handler, and acknowledges Slack before anything slow. An act is stored first, so that it runs once however often it
 * is delivered. Then `createRunRequest` (below) runs the handler, which authorizes the person, does the work, and shows the answer
 * where the person is looking.
 */
export function createHandleRequest(deps: PipelineDeps): HandleRequest {
  const { createReference, resolveWorkspace } = deps
  // Not `async`: each layer of promises would delay every acknowledgement.
  return (request, requestKey, ack) => {
    const { kind } = request
    const { actingWorkspaceId: _, installationId: __, ...origin } = request.origin
    const reference = createReference()
    const start = { name: kind, kind: 'server', attributes: { 'signalman.request.kind': kind } } as const
    return runWithTraceContext({ reference, verb: kind, tracer: undefined, start }, () => {
      const { workspaceId = KINDS_FROM_PEOPLE.has(kind) ? undefined : '' } = origin
      if (workspaceId !== undefined)
        return admit(deps, { request, origin: { ...origin, workspaceId, reference }, ack }, requestKey)
      return resolveWorkspace(request.origin).then((foundId) => {
        const arrival = { request, origin: { ...origin, workspaceId: foundId, reference }, ack }
        return foundId ? admit(deps, arrival, requestKey) : refuse(deps, arrival, new UnknownWorkspace())
      })
    })
  }
}

/** Checks the rate limits and passes the request to its handler. */
async function admit(deps: PipelineDeps, arrival: Arrival, requestKey: unknown): Promise<void> {
  const { request, origin } = arrival
  const { release, limitReached } = deps.budgets.acquire(request, origin)
  if (limitReached) return refuseBusy(deps, arrival, limitReached)
  try {
    const handler = deps.findHandler(request, origin)
    if (handler.verb !== undefined) setVerb(handler.verb)
    if (handler.beforeAck) await handler.beforeAck(origin)
    const work = handler.isAct
      ? storeAndRun(deps, arrival, handler, handler.idempotencyKey || String(requestKey))
      : acknowledgeAndRun(deps, arrival, handler)
    await work.catch((error: unknown) =>
      deps.log.error({ reference: origin.reference, err: error }, NOT_SHOWN),
    )
  } finally {
    release()
  }
}

/** Handles a read, which is acknowledged immediately. */
async function acknowledgeAndRun(
  { runRequest }: PipelineDeps,
  { request, origin, ack }: Arrival,
  handler: RequestHandler,
): Promise<void> {
  if (handler.answerInAck) return ack(await handler.answerInAck(origin))
  await ack(handler.acknowledgement)
  if (!handler.run) return
  // Acknowledge everything that arrived in this turn of the event loop before computing any answer.
  await nextTurn()
  await runRequest(request, origin, handler)
}

/** Handles an act, which is stored before it is acknowledged, so that it isn't lost if the process dies. */
async function storeAndRun(
  deps: PipelineDeps,
  arrival: Arrival,
  handler: RequestHandler,
  key: string,
): Promise<void> {
  const { acts } = deps
  const { request, origin, ack } = arrival
  const stored = await acts.store(request, origin, key)
  if (stored === 'not-stored') return refuseAct(deps, arrival, handler, new NotStored())
  if (stored === 'not-sealed') return refuseAct(deps, arrival, handler, new NotSealed())
  if ('commitPending' in stored) {
    await refuseAct(deps, arrival, handler, new CommitPending())
    const leased = await stored.commitPending
    if (leased) await acts.runAct(leased, handler)
    return
  }
  await ack(handler.acknowledgement)
  if ('leased' in stored) return acts.runAct(stored.leased, handler)
  if (handler.onRepeat) await repeatOutcome(deps, origin, handler.onRepeat, stored.existing)
}

/** Shows the outcome of a repeated act again, because the acknowledgement has just replaced it on the screen. */
async function repeatOutcome(
  { acts }: PipelineDeps,
  origin: RequestOrigin,
  onRepeat: NonNullable<RequestHandler['onRepeat']>,
  storedAct: StoredWork,
): Promise<void> {
  const outcome = await acts.handleRepeat(storedAct)
  if (outcome !== 'shown again') await onRepeat(origin, outcome)
}

/**
 * Creates the function that runs a handler. If the handler throws, shows an explanation instead of its answer, so handlers don't
 * have to catch errors or know where the person is looking.
 */
export function createRunRequest(deps: {
  openSlot: OpenSlot
  log: Log
  /** Called with every request and its outcome. */
  onHandled?: (kind: Request['kind'], outcome: 'done' | 'problem' | 'failed', ms: number) => void
}): RunRequest {
  const { openSlot, log, onHandled } = deps
  return async (request, handledRequest, handler) => {
    if (!handler.run) return
    const started = performance.now()
    const { reference, workspaceId: workspace, act } = handledRequest
    const logFields = { reference, workspace, kind: request.kind }
    const slot = openSlot(handledRequest, handler.slotOptions)
    try {
      const verb = await handler.run(handledRequest, slot)
      const ms = Math.round(performance.now() - started)
      onHandled?.(request.kind, 'done', ms)
      setOutcome('done')
      const resumed = act?.isResumed && { resumed: true }
      log.info({ ...logFields, verb, outcome: 'done', ...resumed, ms }, 'A request was handled.')
    } catch (cause) {
      if (willResume(cause)) throw cause
      const error = await classifyError(act, cause)
      const problem = correctForRequest(
        act,
        explain(error, { isReadOnly: act?.hasNoStepYet !== false }),
        Boolean(act ?? (handler.isAct || handler.mayChange)),
      )
      const ms = Math.round(performance.now() - started)
      const outcome = problem.isFault ? 'failed' : 'problem'
      onHandled?.(request.kind, outcome, ms)
      setOutcome(outcome, error)
      logProblem(log, { ...logFields, ms }, problem, error)
      await showProblem(handler, handledRequest, problem, slot).catch((failure: unknown) => {
        throw new NotDelivered(failure)
      })
    } finally {
      slot.close()
    }
  }
}

/**
 * Finds out what an error means for an act. Errors outside of its steps are retried, the outcome of a step that started may be
 * unknown, and a finished step stays done even if showing the answer fails.
 */
async function classifyError(act: Act | undefined, error: unknown): Promise<unknown> {
  if (!act) return error
  if (act.isRetryable(error)) throw new StoreUnavailable(error)
  if (await act.recordUnknownSteps()) return new OutcomeUnknown({ cause: error })
  return act.hasUnreachedSteps()
    ? new OutcomeLost('An earlier step of the act was done.', { cause: error })
    : error
}

async function refuseAct(
  { runRequest }: PipelineDeps,
  { request, origin, ack }: Arrival,
  handler: RequestHandler,
  error: Error,
): Promise<void> {
  await ack(handler.refusal?.(error.message) ?? handler.acknowledgement)
  if (!handler.refusal) await runRequest(request, origin, { ...handler, run: () => Promise.reject(error) })
}

/** Refuses a request beyond a rate limit, with a log line and a message at most every few seconds. */
async function refuseBusy(deps: PipelineDeps, arrival: Arrival, limitReached: LimitReached): Promise<void> {
  const { kind } = arrival.request
  const { reference, workspaceId: workspace } = arrival.origin
  if (limitReached.isFirst)
    deps.log.warn(
      { reference, workspace, kind, of: limitReached.scope },
      'A request was refused by a rate limit.',
    )
  const showsMessage =
    kind !== 'home' && kind !== 'options' && (limitReached.isFirst || kind === 'submission')
  await refuse(deps, arrival, new Busy(limitReached), showsMessage)
}

/** Refuses the request. The acknowledgement of a typed command carries the refusal; other requests get a message. */
async function refuse(
  { findHandler, runRequest, log }: PipelineDeps,
  { request, origin, ack }: Arrival,
  error: UserError,
  showsMessage = true,
): Promise<void> {
  const { reference } = origin
  if (request.kind === 'command') {
    const text = `${error.message} (Reference ${reference})`
    return ack({ response_type: 'ephemeral', text })
  }
  const handler = findHandler(request, origin)
  await ack(handler.acknowledgement)
  if (!showsMessage) return
  await runRequest(request, origin, { ...handler, run: () => Promise.reject(error) }).catch(
    (failure: unknown) => log.error({ reference, err: failure }, NOT_SHOWN),
  )
}

const NOT_SHOWN = "Couldn't show a problem to the person."
