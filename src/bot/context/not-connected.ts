import { UserError } from '@signalman/runtime'

/** Nobody has stored a token for this environment yet. */
export class NotConnected extends UserError {
  override readonly name = 'NotConnected'
}
