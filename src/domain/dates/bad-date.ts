import { UserError } from '@signalman/runtime'

/** The error for a day or time that doesn't exist. */
export class BadDate extends UserError {}
