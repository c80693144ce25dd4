import { clip, oneLine } from '@signalman/slack'
import { type Recipients, recipientKey } from '../../../domain/recipients.ts'
import { formatCount } from '../../../domain/wording.ts'

/** The list of recipients after an edit, and what the edit added and removed. */
export interface RecipientChange {
  recipients: string[]
  added: string[]
  removed: string[]
}

/** Changes the list to exactly `wanted`. Recipients that stay keep their spelling and position. */
export function replaceList(before: readonly string[], wanted: readonly string[]): RecipientChange {
  const removed = findMissing(wanted, before)
  const added = findMissing(before, wanted)
  return { recipients: [...findMissing(removed, before), ...added], added, removed }
}

/** The addresses in `wanted` that aren't in `recipients`. */
function findMissing(recipients: readonly string[], wanted: readonly string[]): string[] {
  const keys = new Set(recipients.map(recipientKey))
  return wanted.filter((address) => !keys.has(recipientKey(address)))
}

/** True if both lists have the same addresses, in the same order and spelling. */
export function sameRecipients(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((address, index) => address === right[index])
}

const MAX_NAMED = 8

/** Formats the field error for invalid addresses. Names the first eight. */
export function describeBadAddresses(bad: Recipients['bad']): string {
  const named = bad.slice(0, MAX_NAMED).map(({ typed, reason }) => `“${clip(oneLine(typed), 60)}” ${reason}`)
  const more = bad.length - named.length
  const list = [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join('; ')
  return `${list}. An address looks like name@example.com.`
}
