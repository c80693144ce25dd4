import { UserError } from '@signalman/runtime'

/** Thrown if a line can't be read. Nothing was done. `meant` are the lines that the person may have meant, usually one. */
export class InvalidLine extends UserError {
  override readonly name = 'InvalidLine'
  readonly meant: readonly string[]
  constructor(message: string, meant: string | readonly string[] = []) {
    super(message)
    this.meant = [meant].flat()
  }
}
