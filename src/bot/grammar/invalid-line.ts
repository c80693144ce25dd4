import { UserError } from '@signalman/runtime'

/** Thrown if a line can't be read. Nothing was done. `meant` is the line that the person may have meant. */
export class InvalidLine extends UserError {
  override readonly name = 'InvalidLine'
  readonly meant: string | undefined
  constructor(message: string, meant?: string) {
    super(message)
    this.meant = meant
  }
}
