import { clip, oneLine } from '@signalman/slack'
import { listMissing, type Recipients, recipientKey } from '../../../domain/recipients.ts'
import { formatCount } from '../../../domain/wording.ts'

/** Changes the list to exactly `wanted`. Recipients that stay keep their spelling and position. Undefined if all stay, and nobody is new. */
export function replaceList(before: readonly string[], wanted: readonly string[]): string[] | undefined {
  const removed = listMissing(wanted, before)
  const added = listMissing(before, wanted)
  const gone = new Set(removed.map(recipientKey))
  const kept = before.filter((address) => !gone.has(recipientKey(address)))
  return removed.length + added.length === 0 ? undefined : [...kept, ...added]
}

const MAX_NAMED = 8

/** Formats the field error for invalid addresses. Names the first eight. */
export function describeBadAddresses(bad: Recipients['bad']): string {
  const named = bad.slice(0, MAX_NAMED).map(({ typed, reason }) => `“${clip(oneLine(typed), 60)}” ${reason}`)
  const more = bad.length - named.length
  const list = [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join('; ')
  return `${list}. An address looks like name@example.com.`
}
