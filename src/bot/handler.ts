import type { Message, RequestOrigin, ViewState } from '@signalman/slack'
import type { Environment } from '../domain/environment.ts'
import type { AccessRequirement } from './access/access.ts'
import type { Answer, AnswerOptions } from './answer.ts'
import type { Explained } from './request/explain.ts'
import type { CommandContext, HandledRequest, OpensModal, WindowState } from './routes/command-context.ts'
import type { Modal } from './routes/routes.ts'

/** What a request runs: a line, a form, or App Home. Found without reading anything (find.ts). */
export interface Handler extends Pick<AccessRequirement, 'verb' | 'needs' | 'guests'>, AnswerOptions {
  /** True for an act: stored before it is acknowledged, and run once however often it is delivered. */
  readonly isAct?: boolean
  /** True if a refusal should say that nothing was changed: for a line that may lead to a change, such as one that opens a form. */
  readonly mayChange?: boolean
  /** Identifies the act if several requests are the same act, such as two presses in one window. By default, the delivery does. */
  readonly key?: string
  /** The acknowledgement: field errors, or what a window shows while the form is submitted. */
  readonly ack?: unknown
  /** The acknowledgement if the act was stored before. By default, `ack`. */
  readonly repeatedAck?: unknown
  /** The acknowledgement if the request is refused. By default, the refusal is an answer. */
  readonly refusedAck?: (text: string) => unknown
  /** Looks up the options of a menu for the acknowledgement. Nothing runs afterwards. */
  readonly options?: (origin: RequestOrigin) => Promise<unknown>
  /** The environment that the line names. */
  readonly environment?: Environment | undefined
  /** The window that was used. Its state says where it was opened. */
  readonly view?: ViewState | undefined
  /** Whether the answer is a window, which Slack opens only within three seconds. */
  readonly opensModal?: OpensModal | undefined
  /** Writes the line to type again after a missing token was stored. */
  readonly line?: () => string
  /** Finds the handler that really runs, for a line that depends on a message. The person is authorized first. */
  readonly resolveHandler?: (request: HandledRequest) => Promise<Handler>
  /** Why nothing runs. Shown without authorizing the person first. */
  readonly refusal?: unknown
  /** Does the work for a person who was authorized. Returns the answer, or nothing if it has shown it. Absent if only `ack` matters. */
  readonly run?: (
    context: CommandContext,
    window: WindowState | undefined,
  ) => Promise<Message | Modal | undefined>
  /** Shows a problem where the person looks. By default, it is the answer. */
  readonly showProblem?: (request: HandledRequest, problem: Explained, answer: Answer) => Promise<unknown>
}

/** Runs nothing. The request is only acknowledged. */
export const onlyAck = (ack?: unknown): Handler => ({ verb: '/hc', needs: 'viewer', ack })

/** Shows an error to a person who was authorized. Others see only why they aren't. */
export const failing = (error: unknown, handler: Partial<Handler> = {}): Handler => ({
  verb: '/hc',
  needs: 'viewer',
  guests: true,
  run: () => Promise.reject(error),
  ...handler,
})
