import type { Work as StoredWork } from '@signalman/durable'
import type { Request, RequestOrigin } from '@signalman/slack'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Explained } from './explain.ts'
import type { AnswerSlot, SlotOptions } from './reply.ts'

/** How one kind of request is acknowledged, without waiting for anything, and what is done afterwards. */
export interface RequestHandler {
  /** What is asked for, as far as that is known before anything is done. */
  verb?: string
  /** What Slack is answered. */
  acknowledgement?: unknown
  /** Runs before Slack is answered and is safe to repeat: when it fails, Slack is told so and sends the event again. */
  beforeAck?: (request: HandledRequest) => Promise<void>
  /** Makes the acknowledgement where that takes a read, as the options of a menu do. Nothing runs afterwards. */
  answerInAck?: (request: HandledRequest) => Promise<unknown>
  /** Runs after Slack is answered. Returns the name of what ran, for the log. */
  run?: (request: HandledRequest, slot: AnswerSlot) => Promise<string>
  /** How the request is answered. */
  slot?: SlotOptions
  /** True for an act: it is stored before Slack is answered, and done once. */
  isAct?: boolean
  /** True also for what opens the window of an act, and for a line that was to be one: a refusal then says that nothing was changed. */
  mayChange?: boolean
  /** The key by which two requests are the same act although their bytes differ, such as two presses in one window. */
  idempotencyKey?: string
  /** Answers an act that was sent before, with what became of it, instead of doing it again. */
  onRepeat?: (request: HandledRequest, known: StoredWork) => Promise<void>
  /** The acknowledgement when the act could not be stored, with words that say so; by default `showProblem` shows them. */
  refusal?: (words: string) => unknown
  /** Tells the person that it is not known yet whether the act was carried out. */
  onDoubt?: (request: HandledRequest) => Promise<void>
  /** Shows a problem where the person looks; by default an answer like any other. */
  showProblem?: (request: HandledRequest, problem: Explained, slot: AnswerSlot) => Promise<unknown>
}

/** Finds the handler of a request. Never throws. */
export type HandlerFor = (request: Request, origin: RequestOrigin) => RequestHandler

/** Runs a handler and turns every error into a sentence with a reference. For an act it throws what `isForLater` names. */
export type RunRequest = (request: Request, handled: HandledRequest, handler: RequestHandler) => Promise<void>
