import { clip, oneLine } from '@signalman/slack'
import { nameText } from '../rules/csr/names.ts'
import type { Order } from '../rules/order.ts'
import type { Entry } from '../rules/pages.ts'
import { STATES } from '../rules/refusals.ts'
import { fieldEntries } from '../rules/request-fields.ts'
import type { Comparison } from '../rules/shown.ts'

const MOST_NAMES = 10
const MOST_ORDERS = 5
const VALUE = 200

function listed<T>(all: readonly T[], most: number, written: (one: T) => string): string {
  const left = all.length - most
  return all.slice(0, most).map(written).join(', ') + (left > 0 ? ` and ${left} more` : '')
}

const namesWords = (names: readonly string[]): string =>
  listed(names, MOST_NAMES, (name) => clip(oneLine(name), VALUE))

/**
 * Names earlier orders with the same CSR, key, or names, and the differences from the renewed one. Each is short enough for a
 * card.
 */
export function comparisonWords(
  order: Order,
  { earlier, sameCsr, sameKey, sameNames }: Comparison,
): string[] {
  return [
    ...(earlier ? [changesWords(order, earlier)] : []),
    ...(sameCsr.length > 0 ? [`⚠️ Earlier orders with the same CSR: ${ordersWords(sameCsr)}.`] : []),
    ...(sameKey.length > 0 ? [`⚠️ Earlier orders with the same key: ${ordersWords(sameKey)}.`] : []),
    ...(sameNames.length > 0 ? [`⚠️ Earlier orders with the same names: ${ordersWords(sameNames)}.`] : []),
    ...productWords(order),
  ]
}

const ordersWords = (orders: readonly Order[]): string =>
  listed(orders, MOST_ORDERS, ({ number, state }) => `order ${number} (${STATES[state].name.toLowerCase()})`)

function changesWords(order: Order, earlier: Order): string {
  const { added, removed } = nameChanges(earlier, order)
  const lines = [
    ...(added.length > 0 ? [`New names: ${namesWords(added)}`] : []),
    ...(removed.length > 0 ? [`Removed names: ${namesWords(removed)}`] : []),
    ...(added.length === 0 && removed.length === 0 ? ['The names are the same.'] : []),
    order.keyHash === earlier.keyHash ? 'The key is the same.' : 'The key is new.',
    ...changedFields(earlier, order).map(
      ([label, before, after]) =>
        `${label}: ${clip(oneLine(before) || '(empty)', VALUE)} → ${clip(oneLine(after) || '(empty)', VALUE)}`,
    ),
  ]
  return [`Changes from order ${earlier.number}:`, ...lines].join('\n')
}

/** All differences from the renewed order, in full. */
export const listDifferences = (order: Order, { earlier }: Comparison): Entry[] => {
  if (!earlier) return []
  const { added, removed } = nameChanges(earlier, order)
  const was = `in order ${earlier.number}`
  return [
    { label: `New name, not ${was}`, values: added },
    { label: `Removed name, ${was}`, values: removed },
    ...(order.keyHash === earlier.keyHash ? [] : [{ label: 'Key', values: [`different from ${was}`] }]),
    ...changedFields(earlier, order).flatMap(([label, before, after]) => [
      { label: `${label} ${was}`, values: [before || '(none)'] },
      { label: `${label} now`, values: [after || '(none)'] },
    ]),
  ].filter(({ values }) => values.length > 0)
}

/** Every field with a different value. A renewal has no product of its own. */
function changedFields(earlier: Order, order: Order): [label: string, before: string, after: string][] {
  const listEntries = ({ content: { request, csr, names } }: Order) =>
    [['Subject', csr.subject] as const, ...fieldEntries(request, names)].filter(
      ([label]) => label !== 'Product' && label !== 'Certificate ID',
    )
  const before = new Map(listEntries(earlier))
  return listEntries(order).flatMap(([label, after = '']) => {
    const was = before.get(label) ?? ''
    return was === after ? [] : [[label, was, after] as [string, string, string]]
  })
}

/** Words in the names of products that cover a single name. */
const ONE_NAME = /\b(?:one|single|1)[ -]?(?:name|domain|host|site|fqdn)s?\b/i

/** Names beyond the single one that such a product covers. Like authorities, counts `www.` and the bare domain as one. */
function productWords({ content: { csr, names } }: Order): string[] {
  const { product } = names
  if (!product || !ONE_NAME.test(product)) return []
  const apart = new Set(csr.names.map(({ text }) => text.toLowerCase().replace(/^www\./, '')))
  return apart.size > 1
    ? [
        `⚠️ The product “${clip(oneLine(product), VALUE)}” is for one name, and the request has ${csr.names.length}.`,
      ]
    : []
}

/** Added and removed names, case-insensitive. */
function nameChanges(before: Order, after: Order) {
  const [were, are] = [before, after].map(({ content }) => content.csr.names.map(nameText))
  const had = new Set(were?.map((name) => name.toLowerCase()))
  const has = new Set(are?.map((name) => name.toLowerCase()))
  return {
    added: (are ?? []).filter((name) => !had.has(name.toLowerCase())),
    removed: (were ?? []).filter((name) => !has.has(name.toLowerCase())),
  }
}
