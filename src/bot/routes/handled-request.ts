import type { Environment } from '../../domain/environment.ts'
import type { RequestOrigin } from '../../slack/receive/origin.ts'
import type { Act } from '../../work/act.ts'

/** A request while it is handled: where it came from, and what the bot knows of it beyond that. */
export interface HandledRequest extends RequestOrigin {
  /** Set where the button or window that was used belongs to one environment; else the channel's setting decides. */
  environment?: Environment
  /** The act that is being carried out; absent for what only shows something. */
  act?: Act
  /** The line that is being answered; running it again draws its answer again. */
  line?: string
  /** The answer whose button was pressed; it is drawn again after the form that the button opens. */
  origin?: RedrawTarget
}

/** How an answer takes its place. */
export interface ReplyOptions {
  /** Replaces the message or window that was used, instead of following it. */
  inPlace?: boolean
  /** Sends it nowhere else when it cannot be replaced: the person has not asked for the answer. */
  quiet?: boolean
}

/** An answer that only its reader sees, or a window: where it stands, and the line that draws it. */
export type RedrawTarget = { line: string; environment: Environment } & (
  | { responseUrl: string }
  | { modalId: string }
)
