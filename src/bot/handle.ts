import { setImmediate as nextTurn } from 'node:timers/promises'
import { createReference, type Log, type Notice, runWithTraceContext, setVerb } from '@signalman/runtime'
import { NO_ANSWER, type Request, type RequestOrigin, type SlackEvent } from '@signalman/slack'
import type { Acts, Begun } from './acts.ts'
import type { Find } from './find.ts'
import type { Handler } from './handler.ts'
import type { Budgets, LimitReached } from './request/budgets.ts'
import { explain, problemMessage } from './request/explain.ts'
import { Busy, CommitPending, UnknownWorkspace } from './request/refusals.ts'
import type { Run } from './run.ts'

/**
 * Handles one request of any kind: finds its handler, acknowledges it, and runs it. Resolves when everything about it is done.
 * `deliveryKey` is the same for every delivery of the request.
 */
export type Handle = (request: Request, deliveryKey: string, ack: Acknowledge) => Promise<void>

/** Acknowledges a request to Slack, optionally with content that Slack shows immediately, such as a menu's options. */
export type Acknowledge = (content?: unknown) => Promise<void>

/** Handles something that happened in Slack. Resolves when everything about it is done. */
export type HandleEvent = (event: SlackEvent) => Promise<void>

interface HandleDeps {
  find: Find
  acts: Acts
  run: Run
  log: Log
  budgets: Budgets
}

/** Creates the function that handles every request, after `packages/slack` has verified and parsed it. */
export function createHandle(deps: HandleDeps): Handle {
  const { acts, budgets, find, log, run } = deps

  /** Handles a request of a person, who always gets an answer. */
  async function handlePerson(
    request: Request,
    origin: RequestOrigin,
    deliveryKey: string,
    ack: Acknowledge,
  ): Promise<void> {
    const { release, limitReached } = budgets.acquire(origin)
    const found = { request, origin, handler: find(request) }
    try {
      if (origin.workspaceId === '') await refuse(found, ack, new UnknownWorkspace())
      else if (limitReached) await refuseBusy(found, ack, limitReached)
      else await acknowledgeAndRun(found, deliveryKey, ack)
    } catch (error) {
      log.error({ reference: origin.reference, err: error }, "Couldn't handle a request.")
    } finally {
      release()
    }
  }

  /** Acknowledges a read at once, and an act once it's stored. Then runs it. */
  async function acknowledgeAndRun(
    { request, origin, handler }: Found,
    deliveryKey: string,
    ack: Acknowledge,
  ): Promise<void> {
    setVerb(handler.verb)
    if (handler.options) return ack(await handler.options(origin))
    if (!handler.isAct) {
      await ack(handler.ack)
      // Acknowledge everything that arrived in this turn of the event loop before computing any answer.
      await nextTurn()
      return run(request, origin, handler)
    }
    const since = performance.now()
    const begun = await acts.begin(request, origin, handler.key ?? deliveryKey)
    const isTimely = request.kind !== 'submission' || performance.now() - since < acts.holdsForMs
    const ackBegun = isTimely ? ack : withholdAck(ack, begun)
    if ('refusal' in begun) return refuse({ request, origin, handler }, ackBegun, begun.refusal)
    await ackBegun(begun.leased ? handler.ack : (handler.repeatedAck ?? handler.ack))
    if (begun.leased) await acts.run(begun.leased)
  }

  /** Refuses a request beyond a rate limit, with a log line and a message at most every few seconds. */
  async function refuseBusy(
    found: Found,
    ack: Acknowledge,
    { isFirst, ...limit }: LimitReached,
  ): Promise<void> {
    const { kind } = found.request
    const { reference, workspaceId: workspace } = found.origin
    const fields = { reference, workspace, kind, of: limit.scope }
    if (isFirst) log.warn(fields, 'A request was refused by a rate limit.')
    return refuse(found, ack, new Busy(limit), !isFirst || kind === 'home' || kind === 'options')
  }

  /** Shows a refusal in the acknowledgement if that can carry it. Otherwise, as an answer. */
  async function refuse(
    { request, origin, handler }: Found,
    ack: Acknowledge,
    error: Notice,
    isSilent = false,
  ): Promise<void> {
    if (request.kind === 'command') return ack(refusalAck(error, origin))
    await ack(handler.refusedAck?.(error.message) ?? handler.ack)
    if (!isSilent && !handler.refusedAck) await run(request, origin, { ...handler, refusal: error })
  }

  return (request, deliveryKey, ack) =>
    traceFrom(request, (origin) => handlePerson(request, origin, deliveryKey, ack))
}

/** Runs the work for a request or an event under a reference of its own. */
export function traceFrom(
  { kind, origin }: Pick<Request | SlackEvent, 'kind' | 'origin'>,
  work: (origin: RequestOrigin) => Promise<void>,
): Promise<void> {
  const reference = createReference()
  return runWithTraceContext({ reference, verb: kind }, () =>
    work({ ...origin, workspaceId: origin.workspaceId ?? '', reference }),
  )
}

/**
 * Another process may have taken over what was stored, and shown its outcome in the window, which any answer would replace. The
 * acknowledgement of a command or a button replaces nothing, and without it, Slack says that it failed.
 */
const withholdAck = (ack: Acknowledge, begun: Begun): Acknowledge =>
  'refusal' in begun && !(begun.refusal instanceof CommitPending) ? ack : () => ack(NO_ANSWER)

interface Found {
  request: Request
  origin: RequestOrigin
  handler: Handler
}

/** A refusal in the acknowledgement of a typed command. */
function refusalAck(error: Notice, { reference }: RequestOrigin): unknown {
  const { text } = problemMessage(explain(error), reference)
  return { response_type: 'ephemeral', text: `${text} (Reference ${reference})` }
}
