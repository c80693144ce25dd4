import { clip, oneLine } from '@signalman/slack'
import {
  isPlainAddress,
  listMissing,
  parseRecipients,
  type Recipients,
  recipientKey,
} from '../../../domain/recipients.ts'
import { formatCount } from '../../../domain/wording.ts'

/** Changes the list to exactly `wanted`. Recipients that stay keep their spelling and position. Undefined if all stay, and nobody is new. */
export function replaceList(before: readonly string[], wanted: readonly string[]): string[] | undefined {
  const removed = listMissing(wanted, before)
  const added = listMissing(before, wanted)
  const gone = new Set(removed.map(recipientKey))
  const kept = before.filter((address) => !gone.has(recipientKey(address)))
  return removed.length + added.length === 0 ? undefined : [...kept, ...added]
}

/** A list of addresses as text. One that would be read otherwise stands in quotes. */
export const writeList = (recipients: readonly string[]): string =>
  recipients.map((address) => (isPlainAddress(address) ? address : `"${address}"`)).join('\n')

const QUOTED_LINE = /^\s*"(.+)"\s*$/

/**
 * Parses a list of addresses. A line in quotes that is one of the `known` addresses is taken as it is, because the alert may have addresses
 * of any kind; everything else is checked. Until it's known which the alert has, any line in quotes may be one.
 */
export function parseList(text: string, known?: readonly string[]): Recipients {
  const kept = known && new Set(known)
  const asTheyAre: string[] = []
  const others: string[] = []
  for (const line of text.split('\n')) {
    const [, quoted] = QUOTED_LINE.exec(line) ?? []
    if (quoted !== undefined && (kept?.has(quoted) ?? true)) asTheyAre.push(quoted)
    else others.push(line)
  }
  const typed = parseRecipients(others.join('\n'))
  return { ...typed, addresses: [...new Set([...asTheyAre, ...typed.addresses])] }
}

const MAX_NAMED = 8

/** Formats the field error for invalid addresses. Names the first eight. */
export function describeBadAddresses(bad: Recipients['bad']): string {
  const named = bad.slice(0, MAX_NAMED).map(({ typed, reason }) => `“${clip(oneLine(typed), 60)}” ${reason}`)
  const more = bad.length - named.length
  const list = [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join('; ')
  return `${list}. An address looks like name@example.com.`
}
