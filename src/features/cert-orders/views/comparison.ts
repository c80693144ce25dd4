import { clip, oneLine } from '@signalman/slack'
import { formatName } from '../rules/csr/names.ts'
import type { Order } from '../rules/order.ts'
import type { Comparison } from '../rules/order-details.ts'
import type { Entry } from '../rules/pages.ts'
import { STATE_TEXTS } from '../rules/refusals.ts'
import { listFieldValues } from '../rules/request-fields.ts'

const MAX_NAMES = 10
const MAX_ORDERS = 5
const MAX_VALUE_LENGTH = 200

function joinFirst<T>(items: readonly T[], max: number, format: (item: T) => string): string {
  const remaining = items.length - max
  return items.slice(0, max).map(format).join(', ') + (remaining > 0 ? ` and ${remaining} more` : '')
}

const joinNames = (names: readonly string[]): string =>
  joinFirst(names, MAX_NAMES, (name) => clip(oneLine(name), MAX_VALUE_LENGTH))

/**
 * Describes earlier orders with the same CSR, key, or names, and the differences from the renewed order, in texts that are short
 * enough for a card.
 */
export function describeComparison(
  order: Order,
  { previousOrder, sameCsr, sameKey, sameNames }: Comparison,
): string[] {
  return [
    ...(previousOrder ? [describeChanges(order, previousOrder)] : []),
    ...(sameCsr.length > 0 ? [`⚠️ Earlier orders with the same CSR: ${joinOrders(sameCsr)}.`] : []),
    ...(sameKey.length > 0 ? [`⚠️ Earlier orders with the same key: ${joinOrders(sameKey)}.`] : []),
    ...(sameNames.length > 0 ? [`⚠️ Earlier orders with the same names: ${joinOrders(sameNames)}.`] : []),
    ...warnAboutProduct(order),
  ]
}

const joinOrders = (orders: readonly Order[]): string =>
  joinFirst(
    orders,
    MAX_ORDERS,
    ({ number, state }) => `order ${number} (${STATE_TEXTS[state].name.toLowerCase()})`,
  )

function describeChanges(order: Order, earlier: Order): string {
  const { added, removed } = findNameChanges(earlier, order)
  const lines = [
    ...(added.length > 0 ? [`New names: ${joinNames(added)}`] : []),
    ...(removed.length > 0 ? [`Removed names: ${joinNames(removed)}`] : []),
    ...(added.length === 0 && removed.length === 0 ? ['The names are the same.'] : []),
    order.keyHash === earlier.keyHash ? 'The key is the same.' : 'The key is new.',
    ...listChangedFields(earlier, order).map(
      ([label, before, after]) =>
        `${label}: ${clip(oneLine(before) || '(empty)', MAX_VALUE_LENGTH)} → ${clip(oneLine(after) || '(empty)', MAX_VALUE_LENGTH)}`,
    ),
  ]
  return [`Changes from order ${earlier.number}:`, ...lines].join('\n')
}

/** All differences from the renewed order, without shortening any value. */
export const listDifferences = (order: Order, { previousOrder }: Comparison): Entry[] => {
  if (!previousOrder) return []
  const { added, removed } = findNameChanges(previousOrder, order)
  const inEarlier = `in order ${previousOrder.number}`
  return [
    { label: `New name, not ${inEarlier}`, values: added },
    { label: `Removed name, ${inEarlier}`, values: removed },
    ...(order.keyHash === previousOrder.keyHash
      ? []
      : [{ label: 'Key', values: [`different from ${inEarlier}`] }]),
    ...listChangedFields(previousOrder, order).flatMap(([label, before, after]) => [
      { label: `${label} ${inEarlier}`, values: [before || '(none)'] },
      { label: `${label} now`, values: [after || '(none)'] },
    ]),
  ].filter(({ values }) => values.length > 0)
}

/**
 * Every field with a different value. Leaves out the product and the certificate ID, because a new order has only a product and a
 * renewal has only a certificate ID.
 */
function listChangedFields(earlier: Order, order: Order): [label: string, before: string, after: string][] {
  const listEntries = ({ content: { request, csr, names } }: Order) =>
    [['Subject', csr.subject] as const, ...listFieldValues(request, names)].filter(
      ([label]) => label !== 'Product' && label !== 'Certificate ID',
    )
  const before = new Map(listEntries(earlier))
  return listEntries(order).flatMap(([label, after = '']) => {
    const valueBefore = before.get(label) ?? ''
    return valueBefore === after ? [] : [[label, valueBefore, after] as [string, string, string]]
  })
}

/** Matches the name of a product that covers a single name. */
const ONE_NAME = /\b(?:one|single|1)[ -]?(?:name|domain|host|site|fqdn)s?\b/i

/** Warns if a product for one name is ordered for several. Like certificate authorities, counts `www.` and the bare domain as one. */
function warnAboutProduct({ content: { csr, names } }: Order): string[] {
  const { product } = names
  if (!product || !ONE_NAME.test(product)) return []
  const distinctNames = new Set(csr.names.map(({ text }) => text.toLowerCase().replace(/^www\./, '')))
  return distinctNames.size > 1
    ? [
        `⚠️ The product “${clip(oneLine(product), MAX_VALUE_LENGTH)}” is for one name, and the request has ${csr.names.length}.`,
      ]
    : []
}

/** Added and removed names, case-insensitive. */
function findNameChanges(before: Order, after: Order) {
  const [namesBefore, namesAfter] = [before, after].map(({ content }) => content.csr.names.map(formatName))
  const beforeKeys = new Set(namesBefore?.map((name) => name.toLowerCase()))
  const afterKeys = new Set(namesAfter?.map((name) => name.toLowerCase()))
  return {
    added: (namesAfter ?? []).filter((name) => !beforeKeys.has(name.toLowerCase())),
    removed: (namesBefore ?? []).filter((name) => !afterKeys.has(name.toLowerCase())),
  }
}
