import { UserError } from '@signalman/runtime'

/** Thrown if a line can't be read. Nothing was done. */
export class InvalidLine extends UserError {
  override readonly name = 'InvalidLine'
}
