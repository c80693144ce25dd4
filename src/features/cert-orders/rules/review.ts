import { clip, oneLine } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import { findLongestPublicDays, parseDays } from './durations.ts'
import { findForeignNames, listCertificateNames } from './host-names.ts'
import type { Order, RequestedContent } from './order.ts'
import { STATE_TEXTS } from './order-states.ts'

/** Says that the duration can't be read, or is longer than public authorities issue; empty otherwise. */
function describeDuration(duration: string, now: Date): string[] {
  const days = parseDays(duration)
  if (days === undefined) return ['⚠️ Its duration can’t be read as a number and a unit.']
  const longest = findLongestPublicDays(now)
  return days > longest
    ? [
        `ℹ️ Public authorities issue certificates for at most ${longest} days. For ${duration}, expect to reissue it.`,
      ]
    : []
}

/** What a product's name may say in the service's own words. Nothing else tells what it covers. */
const ONE_NAME = /\b(?:one|single|1)[ -](?:name|domain|host|site)\b/i
const WILDCARD = /\bwildcards?\b/i

/**
 * Sets the product beside the names, if they are several, or a wildcard is in one of the two. A ⚠️ if its name says that it's for others:
 * what is for one name often covers it with “www.”, too.
 */
export function describeProduct({
  csr,
  request: { productId },
  names: { product = productId },
}: RequestedContent): string[] {
  if (product === undefined) return []
  // A common name beside them may be any text, and has its own warning if it isn't one of them.
  const { names: alternatives, subjectParts } = csr
  const named = { names: alternatives, subjectParts: alternatives.length > 0 ? [] : subjectParts }
  const names = listCertificateNames(named).map(({ text }) => text)
  const hosts = new Set(names.map((name) => name.replace(/^(?:www|\*)\./, '')))
  const wildcards = names.filter((name) => name.startsWith('*.')).length
  const isForWildcard = WILDCARD.test(product)
  if (names.length <= 1 && wildcards === 0 && !isForWildcard) return []
  const isDoubtful =
    (isForWildcard && wildcards === 0) ||
    (ONE_NAME.test(product) && (hosts.size > 1 || (wildcards > 0 && !isForWildcard)))
  return [
    `${isDoubtful ? '⚠️' : 'ℹ️'} Compare the product with the names: it’s “${clip(oneLine(product), 100)}”, and the request has ${pluralize(names.length, 'name')}, ${wildcards || 'none'} with a wildcard.`,
  ]
}

export type SimilarOrder = Pick<Order, 'number' | 'state'>

export type DisplayNames = ReadonlyMap<string, string>

export interface OrderDetails {
  now: Date
  people: DisplayNames
  domains: readonly string[]
  /** Open ones for the same names; only while it waits. */
  similar: readonly SimilarOrder[]
}

/** Whether an order can't be approved because of its names. */
export const hasForeignNames = (
  { content }: Pick<Order, 'content'>,
  { domains }: Pick<OrderDetails, 'domains'>,
): boolean => findForeignNames(content.csr, domains).length > 0

const MAX_LISTED = 5

/** `⚠️ Same name: order 5 (waiting for approval), order 2 (outcome unknown).` */
export function describeSimilar(similar: readonly SimilarOrder[]): string[] {
  if (similar.length === 0) return []
  const formatOrder = ({ number, state }: SimilarOrder): string =>
    `order ${number} (${STATE_TEXTS[state].name.toLowerCase()})`
  return [`⚠️ Same name: ${formatList(similar, MAX_LISTED, formatOrder)}.`]
}

/** What an approver should look at first, besides the warnings of the request itself, in sentences. */
export function listReviewNotes(
  { content }: { content: RequestedContent },
  { domains, similar, now }: Pick<OrderDetails, 'domains' | 'similar' | 'now'>,
): string[] {
  const foreign = findForeignNames(content.csr, domains)
  return [
    ...(foreign.length > 0
      ? [
          `⚠️ Not under an allowed domain: ${formatList(foreign, MAX_LISTED, String)}. Reject it, or let an admin allow the domain in ${cmd('/cert-order settings')}.`,
        ]
      : []),
    ...describeProduct(content),
    ...describeSimilar(similar),
    ...describeDuration(content.request.duration, now),
  ]
}
