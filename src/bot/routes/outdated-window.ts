import { UserError } from '@signalman/runtime'
import type { Modal } from './routes.ts'

/** Refuses the submission of a window because something that it shows has changed. The window comes back as `current`. */
export class OutdatedWindow extends UserError {
  override readonly name = 'OutdatedWindow'
  readonly current: Modal
  constructor({ message, suggestions }: Pick<UserError, 'message' | 'suggestions'>, current: Modal) {
    super(message, suggestions)
    this.current = current
  }
}
