import { keyOf } from '../../domain/recipients.ts'

/** What an edit does to a list of recipients. */
export interface RecipientChange {
  recipients: string[]
  added: string[]
  removed: string[]
}

/** From what there is to exactly `wanted`. Those that stay keep the spelling and the place that they have. */
export function changeTo(before: readonly string[], wanted: readonly string[]): RecipientChange {
  return changeBy(before, wanted, missingFrom(wanted, before))
}

/** Everyone who was there, without `removed`, with `added` behind them. */
export function changeBy(
  before: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): RecipientChange {
  const kept = missingFrom(removed, before)
  const fresh = missingFrom(kept, added)
  return { recipients: [...kept, ...fresh], added: fresh, removed: missingFrom(kept, before) }
}

/** Those of `wanted` that are not among `recipients`. */
export function missingFrom(recipients: readonly string[], wanted: readonly string[]): string[] {
  const keys = new Set(recipients.map(keyOf))
  return wanted.filter((address) => !keys.has(keyOf(address)))
}

/** Same addresses in the same order, letter by letter. */
export function sameRecipients(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((address, index) => address === right[index])
}
