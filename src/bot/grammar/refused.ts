import { UserError } from '@signalman/runtime'

/** As many lines as are worth writing: most can be read and used, and two are shown. */
export const MAX_LINES = 8

/**
 * Thrown if a line can't be read. Nothing was done. `lines` are whole lines that the person may have meant, likeliest first: each
 * has every typed word, or another spelling of it. At most two are shown, and only those that the person can use.
 */
export class Refused extends UserError {
  override readonly name = 'Refused'
  readonly lines: readonly string[]
  constructor(message: string, lines: readonly string[] = []) {
    super(message)
    this.lines = [...new Set(lines)]
  }
}
