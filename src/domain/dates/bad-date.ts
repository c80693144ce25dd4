import { UserError } from '@signalman/runtime'

/** The error for a date or time that doesn't exist, or that can be read in two ways. */
export class BadDate extends UserError {
  /** What can be typed instead, one for each reading. Empty if nothing is meant. */
  readonly offers: readonly string[]

  constructor(message: string, offers: readonly string[] = []) {
    super(message)
    this.offers = offers
  }
}
