import { UserError } from '../../errors.ts'
import type { RequestOrigin } from '../../slack/receive/origin.ts'
import type { Request } from '../../slack/receive/requests.ts'
import type { Work as StoredWork } from '../../store/store.ts'
import type { Explained } from '../replies/explain.ts'

/** What a kind of request does once it is acknowledged. Returns the name of what ran, for the log. */
export type HandleRequest = (place: RequestOrigin) => Promise<string>

/** How one kind of request is acknowledged, at once and without waiting for anything, and what is then done. */
export interface RequestHandler {
  acknowledgement?: unknown
  /** Done before Slack is answered, and safe to repeat: when it fails, Slack is told so and says it again. */
  first?: (place: RequestOrigin) => Promise<void>
  work?: HandleRequest
  /** True for what changes something: it is written down before Slack is answered, and done once. */
  isAct?: boolean
  /** What makes two requests the same beyond their bytes: a second press on one window has a trigger of its own. */
  once?: string
  /** What is said instead of doing it when it was sent in before, and what became of that. */
  repeated?: (place: RequestOrigin, known: StoredWork) => Promise<void>
  /** The acknowledgement when the act could not be written down, and so is not done; by default it is told by `tell`. */
  refusal?: unknown
  /** Said while nobody knows yet whether it was carried out. */
  onDoubt?: (place: RequestOrigin) => Promise<void>
  /** Shows a problem where the person looks; by default an answer like any other. */
  tell?: (place: RequestOrigin, problem: Explained) => Promise<void>
}

export type RequestHandlers = (request: Request, place: RequestOrigin) => RequestHandler

/** Does a plan's work and turns every error into a sentence with a reference. Throws what `isForLater` names, for an act. */
export type Attend = (request: Request, place: RequestOrigin, todo: RequestHandler) => Promise<void>

/** A fault while planning must not keep Slack waiting: it is acknowledged, and told like any other. */
export function safely(plan: RequestHandlers): RequestHandlers {
  return (request, place) => {
    try {
      return plan(request, place)
    } catch (error) {
      return { work: () => Promise.reject(error) }
    }
  }
}

/** The database could not be written, so that nothing was begun. */
export class NotWritten extends UserError {
  override readonly name = 'NotWritten'
  constructor() {
    super(NOT_WRITTEN)
  }
}

export const NOT_WRITTEN =
  'Signalman cannot write to its database right now, so this was not begun. Try again in a minute.'
