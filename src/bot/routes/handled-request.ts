import type { Environment } from '../../domain/environment.ts'
import type { RequestOrigin } from '../../slack/receive/origin.ts'
import type { Act } from '../../work/act.ts'

/** A request while it is handled: its origin, and what the bot has found out about it. */
export interface HandledRequest extends RequestOrigin {
  /** Set when the used button or window belongs to an environment; otherwise the channel's setting decides. */
  environment?: Environment
  /** The act that is carried out; absent for a read. */
  act?: Act
  /** The line that is being answered; running it again draws its answer again. */
  line?: string
  /** The answer whose button was pressed; it is drawn again after the form that the button opens. */
  origin?: RedrawTarget
}

/** Where an answer goes. */
export interface ReplyOptions {
  /** Replaces the message or window that was used, instead of following it. */
  inPlace?: boolean
  /** Sends it nowhere else when it cannot be replaced: the person has not asked for the answer. */
  quiet?: boolean
}

/** An answer that one person sees, or a window: where it is, and the line that draws it. */
export type RedrawTarget = { line: string; environment: Environment } & (
  | { responseUrl: string }
  | { modalId: string }
)
