import { clip, oneLine } from '@signalman/slack'
import { keyOf, type Recipients } from '../../../domain/recipients.ts'
import { grouped } from '../../../domain/wording.ts'

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

/** The same mailboxes, in whatever order and spelling a service keeps them. */
export const sameMailboxes = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && missingFrom(left, right).length + missingFrom(right, left).length === 0

const NAMED = 8

/** One sentence for all bad addresses, the first eight by name; to stand at the field. */
export function badSentence(bad: Recipients['bad']): string {
  const named = bad.slice(0, NAMED).map(({ typed, reason }) => `“${clip(oneLine(typed), 60)}” ${reason}`)
  const more = bad.length - named.length
  const list = [...named, ...(more > 0 ? [`and ${grouped(more)} more`] : [])].join('; ')
  return `${list}. An address looks like name@example.com.`
}

/** So many people can be chosen in one form: each is one question to Slack. */
export const MOST_PEOPLE = 25
