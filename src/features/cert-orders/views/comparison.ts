import { clip, oneLine } from '@signalman/slack'
import type { Order } from '../order.ts'
import { STATES } from '../refusals.ts'
import type { Comparison } from '../shown-order.ts'

const MOST_NAMES = 10
const MOST_ORDERS = 5
const VALUE = 200

function listed<T>(all: readonly T[], most: number, written: (one: T) => string): string {
  const left = all.length - most
  return all.slice(0, most).map(written).join(', ') + (left > 0 ? ` and ${left} more` : '')
}

const namesWords = (names: readonly string[]): string =>
  listed(names, MOST_NAMES, (name) => clip(oneLine(name), VALUE))

/** What the order changes against the earlier one of its certificate, and which orders had its request or its key before. */
export function comparisonWords(order: Order, { earlier, sameCsr, sameKey }: Comparison): string[] {
  return [
    ...(earlier ? [changesWords(order, earlier)] : []),
    ...(sameCsr.length > 0
      ? [`⚠️ The very same request (CSR) was asked for before: ${ordersWords(sameCsr)}.`]
      : []),
    ...(sameKey.length > 0
      ? [`⚠️ Another request with the same key was asked for before: ${ordersWords(sameKey)}.`]
      : []),
    ...productWords(order),
  ]
}

const ordersWords = (orders: readonly Order[]): string =>
  listed(orders, MOST_ORDERS, ({ number, state }) => `order ${number} (${STATES[state].name.toLowerCase()})`)

function changesWords(order: Order, earlier: Order): string {
  const { added, removed } = nameChanges(earlier.content.csr.names, order.content.csr.names)
  const isSameKey =
    order.keyHash === undefined || earlier.keyHash === undefined
      ? undefined
      : order.keyHash === earlier.keyHash
  const was = earlier.content.request
  const is = order.content.request
  const lines = [
    ...(added.length > 0 ? [`Names that are new: ${namesWords(added)}`] : []),
    ...(removed.length > 0 ? [`Names that are gone: ${namesWords(removed)}`] : []),
    ...(added.length === 0 && removed.length === 0 ? ['The names are the same.'] : []),
    isSameKey === undefined
      ? 'Whether the key is the same is not known.'
      : isSameKey
        ? 'The key is the same.'
        : 'The key is another one.',
    ...changed('Subject', earlier.content.csr.subject, order.content.csr.subject),
    ...changed('Organization', was.organizationId, is.organizationId),
    ...changed('Duration', was.duration, is.duration),
  ]
  return [`What it changes against order ${earlier.number}:`, ...lines].join('\n')
}

const changed = (label: string, before = '', after = ''): string[] =>
  before === after
    ? []
    : [`${label}: ${clip(oneLine(before) || '(empty)', VALUE)} → ${clip(oneLine(after) || '(empty)', VALUE)}`]

/** Products for one name, by what the service calls them. */
const ONE_NAME = /\b(?:one|single|1)[ -]?(?:name|domain|host|site|fqdn)s?\b/i

/** Names beyond the one that such a product is for; with and without `www.` count as one, as authorities have it. */
function productWords({ content: { csr, names } }: Order): string[] {
  const { product } = names
  if (!product || !ONE_NAME.test(product)) return []
  const apart = new Set(csr.names.map((name) => name.toLowerCase().replace(/^dns www\./, 'dns ')))
  return apart.size > 1
    ? [
        `⚠️ The product “${clip(oneLine(product), VALUE)}” is for one name, and the request has ${csr.names.length}.`,
      ]
    : []
}

/** What of the names is new, and what is not asked for any more; capitals are no difference. */
export function nameChanges(before: readonly string[], after: readonly string[]) {
  const were = new Set(before.map((name) => name.toLowerCase()))
  const are = new Set(after.map((name) => name.toLowerCase()))
  return {
    added: after.filter((name) => !were.has(name.toLowerCase())),
    removed: before.filter((name) => !are.has(name.toLowerCase())),
  }
}
