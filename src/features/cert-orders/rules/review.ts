import { cmd } from '../../../domain/command-names.ts'
import { formatList } from '../../../domain/wording.ts'
import { findLongestPublicDays, parseDays } from './durations.ts'
import { findForeignNames, listCertificateNames } from './host-names.ts'
import type { Order } from './order.ts'
import { STATE_TEXTS } from './order-states.ts'

/** Says that the duration can't be read, or is longer than public authorities issue; empty otherwise. */
function describeDuration(duration: string, now: Date): string[] {
  const days = parseDays(duration)
  if (days === undefined) return ['⚠️ Its duration can’t be read as a number and a unit.']
  const longest = findLongestPublicDays(now)
  return days > longest
    ? [
        `ℹ️ ${duration}: public authorities now issue certificates for at most ${longest} days, so expect to reissue it during that time.`,
      ]
    : []
}

/** Another order with the same key or one of the names. */
export interface SimilarOrder {
  number: number
  state: Order['state']
  shared: 'key' | 'name'
}

/** People's display names. */
export type DisplayNames = ReadonlyMap<string, string>

/** What the views show besides the order itself. */
export interface OrderDetails {
  /** When it was read. */
  now: Date
  people: DisplayNames
  /** The allowed domains. */
  domains: readonly string[]
  /** Other orders with its key or one of its names, among the newest ones; only while it waits. */
  similar: readonly SimilarOrder[]
}

/** The orders among these that share the key or a name with an order. Spelling doesn't matter, and wildcards cover nothing. */
export function findSimilar(order: Order, others: readonly Order[]): SimilarOrder[] {
  const names = new Set(listCertificateNames(order.content.csr).map(({ text }) => text))
  return others.flatMap(({ id, number, state, keyHash, content }): SimilarOrder[] => {
    if (id === order.id) return []
    if (keyHash === order.keyHash) return [{ number, state, shared: 'key' }]
    const meets = listCertificateNames(content.csr).some(({ text }) => names.has(text))
    return meets ? [{ number, state, shared: 'name' }] : []
  })
}

/** Whether a later order among these has all names of an order, so that its certificate replaces the other one. */
export function isReplaced(order: Order, others: readonly Order[]): boolean {
  const names = listCertificateNames(order.content.csr).map(({ text }) => text)
  return others.some(({ number, content }) => {
    const theirs = new Set(listCertificateNames(content.csr).map(({ text }) => text))
    return number > order.number && names.every((name) => theirs.has(name))
  })
}

/** Whether an order can't be approved because of its names. */
export const hasForeignNames = (
  { content }: Pick<Order, 'content'>,
  { domains }: Pick<OrderDetails, 'domains'>,
): boolean => findForeignNames(content.csr, domains).length > 0

const MAX_LISTED = 5

/** `⚠️ Same name: order 5 (received), order 2 (received)` */
function describeSimilar(similar: readonly SimilarOrder[], shared: SimilarOrder['shared']): string[] {
  const orders = similar.filter((order) => order.shared === shared)
  if (orders.length === 0) return []
  const formatOrder = ({ number, state }: SimilarOrder): string =>
    `order ${number} (${STATE_TEXTS[state].name.toLowerCase()})`
  return [`⚠️ Same ${shared}: ${formatList(orders, MAX_LISTED, formatOrder)}.`]
}

/** What an approver should look at first, besides the warnings of the request itself, in sentences. */
export function listReviewNotes(
  { content, number }: Pick<Order, 'content' | 'number'>,
  { domains, similar, now }: Omit<OrderDetails, 'people'>,
): string[] {
  const foreign = findForeignNames(content.csr, domains)
  const { certificateId = '' } = content.request
  return [
    ...(/^\d+$/.test(certificateId) && Number(certificateId) < number
      ? [`⚠️ ${certificateId} is also the number of an order here. Is it the ID of a certificate?`]
      : []),
    ...(foreign.length > 0
      ? [
          `⚠️ Not under an allowed domain: ${formatList(foreign, MAX_LISTED, String)}. Reject it, or let an admin allow the domain in ${cmd('/cert-order settings')}.`,
        ]
      : []),
    ...describeSimilar(similar, 'key'),
    ...describeSimilar(similar, 'name'),
    ...describeDuration(content.request.duration, now),
  ]
}
