import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt'
import type { Log } from '../../log.ts'
import type { Claims } from '../../store/claims.ts'
import type { Desk } from '../answers/desk.ts'
import { type Explained, explain, problemMessage } from '../answers/explain.ts'
import { logProblem } from '../answers/log-problem.ts'
import { FailedIn } from '../commands/failed-in.ts'
import type { Place } from '../place.ts'
import { type Request, requestOf } from './requests.ts'

/** What a kind of request does once it is acknowledged. Returns the name of what ran, for the log. */
export type Work = (place: Place) => Promise<string>

/** How one kind of request is acknowledged, at once and without waiting for anything, and what is then done. */
export interface Plan {
  acknowledgement?: unknown
  /** Done before Slack is answered, and safe to repeat: when it fails, Slack is told so and says it again. */
  first?: (place: Place) => Promise<void>
  work?: Work
  /** True when the work changes something: it is then done once, however often the request is delivered. */
  isAct?: boolean
  /** What makes two requests the same beyond their bytes: a second press on one window has a trigger of its own. */
  once?: string
  /** What is done instead of the work when it was done before. */
  repeated?: (place: Place) => Promise<void>
  /** Shows a problem where the person looks; by default an answer like any other. */
  tell?: (place: Place, problem: Explained) => Promise<void>
}

export type Planner = (request: Request, place: Place) => Plan

/**
 * The one listener: acknowledges before anything slow, lets a repeated request have one effect, and turns every error
 * into a sentence with a reference. Bolt asks listeners one by one; this looks the handler up by name instead.
 */
export function createDispatch(parts: {
  plan: Planner
  claims: Claims
  desk: Desk
  log: Log
  now: () => Date
  createReference: () => string
}): Middleware<AnyMiddlewareArgs> {
  const { plan, claims, desk, log, now, createReference } = parts

  async function attend(place: Place, request: Request, todo: Plan, requestKey: string): Promise<void> {
    if (!todo.work) return
    const started = performance.now()
    const line = { reference: place.reference, workspace: place.workspaceId, kind: request.kind }
    try {
      const isFirst = !todo.isAct || (await claims.claim(todo.once || requestKey, now()))
      const ran = isFirst ? await todo.work(place) : await todo.repeated?.(place)
      const ms = Math.round(performance.now() - started)
      log.info({ ...line, ran, outcome: isFirst ? 'done' : 'repeated', ms }, 'A request was attended to.')
    } catch (thrown) {
      const { environment, error } = partsOf(thrown, place)
      const problem = explain(error)
      logProblem(log, line, problem, error)
      await (todo.tell ?? tellByAnswer)({ ...place, environment }, problem)
    }
  }

  /** A fault while planning must not keep Slack waiting: it is acknowledged, and told like any other. */
  function planned(request: Request, place: Place): Plan {
    try {
      return plan(request, place)
    } catch (error) {
      return { work: () => Promise.reject(error) }
    }
  }

  const tellByAnswer: NonNullable<Plan['tell']> = (place, problem) =>
    desk.answer(place, place.environment, problemMessage(problem, place.reference))

  return async (args) => {
    const ack = 'ack' in args ? (args.ack as (answer?: unknown) => Promise<void>) : undefined
    // Bolt hands the same body over under some forty types; `requestOf` reads from it only what it checks itself.
    const request = requestOf(args.body as unknown as Record<string, unknown>)
    if (!request) return void (await ack?.())
    const place: Place = { ...request.place, reference: createReference() }
    const todo = planned(request, place)
    await todo.first?.(place)
    await ack?.(todo.acknowledgement)
    await attend(place, request, todo, String(args.context.requestKey)).catch((error: unknown) =>
      log.error({ reference: place.reference, err: error }, 'A person could not be told of a problem.'),
    )
  }
}

function partsOf(thrown: unknown, place: Place): { environment: Place['environment']; error: unknown } {
  if (!(thrown instanceof FailedIn)) return { environment: place.environment, error: thrown }
  return { environment: thrown.environment, error: thrown.cause }
}
