import type { Work as StoredWork } from '@signalman/durable'
import type { Request, RequestOrigin } from '@signalman/slack'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Explained } from './explain.ts'
import type { AnswerSlot, SlotOptions } from './reply.ts'

/** How a request is acknowledged immediately, and what runs afterwards. */
export interface RequestHandler {
  /** The verb, if it is known before anything runs. */
  verb?: string
  /** The acknowledgement to Slack. */
  acknowledgement?: unknown
  /** Runs before the acknowledgement and must be safe to repeat: if it throws, Slack gets an error and resends the event. */
  beforeAck?: (request: HandledRequest) => Promise<void>
  /** Looks up the content of the acknowledgement, such as the options of a menu. Nothing runs afterwards. */
  answerInAck?: (request: HandledRequest) => Promise<unknown>
  /** Runs after the acknowledgement. Returns the name of what ran, for the log. */
  run?: (request: HandledRequest, slot: AnswerSlot) => Promise<string>
  /** How the answer is shown. */
  slotOptions?: SlotOptions
  /** True for an act: stored before it is acknowledged, and run once. */
  isAct?: boolean
  /**
   * True if a refusal should say that nothing was changed: for an act, for a line that opens the window of an act, and for a line
   * with an error if its verb is an act.
   */
  mayChange?: boolean
  /** Identifies the act if several requests are the same act, such as two presses in one window. */
  idempotencyKey?: string
  /** Answers a repeated act with its known outcome instead of running it again. */
  onRepeat?: (request: HandledRequest, storedAct: StoredWork) => Promise<void>
  /** The acknowledgement that explains why the act couldn't be stored; by default, `showProblem` explains it. */
  refusal?: (text: string) => unknown
  /** Tells the person that it isn't known yet whether the act was stored. */
  onUnknownOutcome?: (request: HandledRequest) => Promise<void>
  /** Shows a problem where the person looks; by default as an answer. */
  showProblem?: (request: HandledRequest, problem: Explained, slot: AnswerSlot) => Promise<unknown>
}

/** Shows a problem as the handler does, or as the answer. */
export const showProblem = async (
  handler: RequestHandler,
  request: HandledRequest,
  problem: Explained,
  slot: AnswerSlot,
): Promise<unknown> => handler.showProblem?.(request, problem, slot) ?? slot.showProblem(problem)

/** Finds the handler of a request. Never throws. */
export type FindHandler = (request: Request, origin: RequestOrigin) => RequestHandler

/**
 * Runs a handler, and shows the person an explanation with a reference if it throws. For an act, rethrows errors after which the act
 * will be resumed.
 */
export type RunRequest = (
  request: Request,
  handledRequest: HandledRequest,
  handler: RequestHandler,
) => Promise<void>
