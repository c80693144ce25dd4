import type { Act } from '@signalman/durable'
import type { RequestOrigin } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'

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

/** An answer that one person sees, or a window: where it is, and the line that draws it. */
export type RedrawTarget = { line: string; environment: Environment } & (
  | { responseUrl: string }
  | { modalId: string }
)
