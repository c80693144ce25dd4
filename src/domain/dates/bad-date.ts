import { UserError } from '@signalman/runtime'

/** The error for a date or time that doesn't exist, or that can be read in two ways. */
export class BadDate extends UserError {
  /** The typed words that are wrong or unclear, such as the day of one end of a period. */
  readonly part: string
  /** What can be typed instead of the part, one for each reading. Empty if nothing is meant. */
  readonly offers: readonly string[]

  constructor(message: string, part = '', offers: readonly string[] = []) {
    super(message)
    this.part = part
    this.offers = offers
  }

  /** A typed text with each offer in place of the part. The other words stay. */
  rewrite(text: string): string[] {
    const part = new RegExp(`(?<![\\p{L}\\p{N}./])${RegExp.escape(this.part)}(?![\\p{L}\\p{N}/])`, 'u')
    return part.test(text) ? this.offers.map((offer) => text.replace(part, () => offer)) : []
  }
}

/** A clear text, and what had to be replaced for it: the error, and which of its offers. */
export interface Reading {
  readonly text: string
  readonly replaced: readonly { readonly error: BadDate; readonly index: number }[]
}

/** `next Friday 18:00 to next Sunday 8:00` has two. More are never typed. */
const MAX_PARTS = 3

/**
 * The clear texts that an unclear one can mean. `isRead` reads a text, and throws BadDate for an unclear one. Of two parts that are
 * written alike, such as `03/04/2027 to 05/04/2027`, both are read alike.
 */
export function listReadings(
  text: string,
  isRead: (text: string) => boolean,
  replaced: Reading['replaced'] = [],
): Reading[] {
  try {
    return isRead(text) ? [{ text, replaced }] : []
  } catch (error) {
    if (!(error instanceof BadDate)) throw error
    if (replaced.length === MAX_PARTS) return []
    const alike = replaced.find((earlier) => areAlike(earlier.error, error))
    return error
      .rewrite(text)
      .flatMap((clearer, index) =>
        alike && alike.index !== index ? [] : listReadings(clearer, isRead, [...replaced, { error, index }]),
      )
  }
}

/** Describes what is unclear. Of parts that are written alike, only the first one. */
export const describeUnclear = ({ replaced }: Reading): string =>
  replaced
    .filter(({ error }, index) => !replaced.slice(0, index).some((earlier) => areAlike(earlier.error, error)))
    .map(({ error }) => error.message)
    .join(' ')

const shapeOf = (part: string): string => part.replaceAll(/\p{N}+/gu, '0').replaceAll(/\p{L}+/gu, 'a')
const areAlike = (one: BadDate, other: BadDate): boolean =>
  shapeOf(one.part) === shapeOf(other.part) && one.offers.length === other.offers.length
