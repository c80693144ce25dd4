import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt'
import { UserError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Place } from '../slack/receive/origin.ts'
import { type Request, requestOf } from '../slack/receive/requests.ts'
import type { Work as StoredWork } from '../store/store.ts'
import { LeaseLost } from '../work/held-work.ts'
import type { Acts } from './acts/acts.ts'
import { type Explained, explain, problemMessage } from './replies/explain.ts'
import { logProblem } from './replies/log-problem.ts'
import { NotTold } from './replies/not-told.ts'
import type { Desk } from './replies/replies.ts'
import { FailedIn } from './requests/failed-in.ts'

/** What a kind of request does once it is acknowledged. Returns the name of what ran, for the log. */
export type Work = (place: Place) => Promise<string>

/** How one kind of request is acknowledged, at once and without waiting for anything, and what is then done. */
export interface Plan {
  acknowledgement?: unknown
  /** Done before Slack is answered, and safe to repeat: when it fails, Slack is told so and says it again. */
  first?: (place: Place) => Promise<void>
  work?: Work
  /** True for what changes something: it is written down before Slack is answered, and done once. */
  isAct?: boolean
  /** What makes two requests the same beyond their bytes: a second press on one window has a trigger of its own. */
  once?: string
  /** What is said instead of doing it when it was sent in before, and what became of that. */
  repeated?: (place: Place, known: StoredWork) => Promise<void>
  /** The acknowledgement when the act could not be written down, and so is not done; by default it is told by `tell`. */
  refusal?: unknown
  /** Said while nobody knows yet whether it was carried out. */
  onDoubt?: (place: Place) => Promise<void>
  /** Shows a problem where the person looks; by default an answer like any other. */
  tell?: (place: Place, problem: Explained) => Promise<void>
}

export type Planner = (request: Request, place: Place) => Plan

/** Does a plan's work and turns every error into a sentence with a reference. Throws NotTold and LeaseLost, for an act. */
export type Attend = (request: Request, place: Place, todo: Plan) => Promise<void>

export function createAttend({ desk, log }: { desk: Desk; log: Log }): Attend {
  const tellByAnswer: NonNullable<Plan['tell']> = (place, problem) =>
    desk.answer(place, place.environment, problemMessage(problem, place.reference))

  return async (request, place, todo) => {
    if (!todo.work) return
    const started = performance.now()
    const line = { reference: place.reference, workspace: place.workspaceId, kind: request.kind }
    try {
      const ran = await todo.work(place)
      const ms = Math.round(performance.now() - started)
      const resumed = place.act?.isResumed && { resumed: true }
      log.info({ ...line, ran, outcome: 'done', ...resumed, ms }, 'A request was attended to.')
    } catch (thrown) {
      if (thrown instanceof NotTold || thrown instanceof LeaseLost) throw thrown
      const { environment, error } = partsOf(thrown, place)
      if (error instanceof LeaseLost || error instanceof NotTold) throw error
      const problem = explain(error)
      logProblem(log, line, problem, error)
      await (todo.tell ?? tellByAnswer)({ ...place, environment }, problem).catch((failure: unknown) => {
        throw new NotTold(failure)
      })
    }
  }
}

/** A fault while planning must not keep Slack waiting: it is acknowledged, and told like any other. */
export function safely(plan: Planner): Planner {
  return (request, place) => {
    try {
      return plan(request, place)
    } catch (error) {
      return { work: () => Promise.reject(error) }
    }
  }
}

/**
 * The one listener: acknowledges before anything slow, writes an act down before that, lets a repeated one have one
 * effect. Bolt asks listeners one by one; this looks the handler up by name instead.
 */
export function createDispatch(parts: {
  plan: Planner
  acts: Acts
  attend: Attend
  log: Log
  createReference: () => string
}): Middleware<AnyMiddlewareArgs> {
  const { plan, acts, attend, log, createReference } = parts

  async function act(
    request: Request,
    place: Place,
    todo: Plan,
    key: string,
    ack: Acknowledge,
  ): Promise<void> {
    const taken = await acts.take(request, place, key)
    if (taken === 'not-taken') {
      await ack(todo.refusal ?? todo.acknowledgement)
      if (todo.refusal === undefined)
        await attend(request, place, { ...todo, work: () => Promise.reject(new NotWritten()) })
      return
    }
    await ack(todo.acknowledgement)
    if ('held' in taken) return acts.carryOut(taken.held, todo)
    log.info(
      { reference: place.reference, workspace: place.workspaceId, outcome: 'repeated' },
      'A request was repeated.',
    )
    await todo.repeated?.(place, taken.known)
  }

  return async (args) => {
    const acknowledge = 'ack' in args ? (args.ack as Acknowledge) : undefined
    const ack: Acknowledge = async (answer) => void (await acknowledge?.(answer))
    // Bolt hands the same body over under some forty types; `requestOf` reads from it only what it checks itself.
    const request = requestOf(args.body as unknown as Record<string, unknown>)
    if (!request) return ack()
    const place: Place = { ...request.place, reference: createReference() }
    const todo = plan(request, place)
    await todo.first?.(place)
    const key = todo.once || String(args.context.requestKey)
    const work = todo.isAct
      ? act(request, place, todo, key, ack)
      : ack(todo.acknowledgement).then(() => attend(request, place, todo))
    await work.catch((error: unknown) =>
      log.error({ reference: place.reference, err: error }, 'A person could not be told of a problem.'),
    )
  }
}

type Acknowledge = (answer?: unknown) => Promise<void>

/** The database could not be written, so that nothing was begun. */
class NotWritten extends UserError {
  override readonly name = 'NotWritten'
  constructor() {
    super(NOT_WRITTEN)
  }
}

export const NOT_WRITTEN =
  'Signalman cannot write to its database right now, so this was not begun. Try again in a minute.'

function partsOf(thrown: unknown, place: Place): { environment: Place['environment']; error: unknown } {
  if (!(thrown instanceof FailedIn)) return { environment: place.environment, error: thrown }
  return { environment: thrown.environment, error: thrown.cause }
}
