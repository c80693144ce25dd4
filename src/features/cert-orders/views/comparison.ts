import { clip, oneLine } from '@signalman/slack'
import { formatList } from '../../../domain/wording.ts'
import { listCertificateNames, listOrderNames } from '../rules/host-names.ts'
import type { Order } from '../rules/order.ts'
import type { Comparison } from '../rules/order-details.ts'
import { STATE_TEXTS } from '../rules/order-states.ts'
import type { Entry } from '../rules/pages.ts'
import { MAX_RELATED, type Relation } from '../rules/related.ts'
import { listFieldValues } from '../rules/request-fields.ts'

const MAX_NAMES = 10
const MAX_VALUE_LENGTH = 200

const joinNames = (names: readonly string[]): string =>
  formatList(names, MAX_NAMES, (name) => clip(oneLine(name), MAX_VALUE_LENGTH))

/** What reviewers should look at first: related orders, and a product that doesn't match. Short enough for a card. */
export const listComparisonWarnings = (order: Order, { related }: Comparison): string[] => [
  ...RELATIONS.flatMap(([relation, phrase]) => {
    const orders = related.filter((other) => other.relation === relation).map((other) => other.order)
    return orders.length > 0 ? [`⚠️ ${phrase}: ${joinOrders(orders)}.`] : []
  }),
  ...questionProduct(order),
]

const RELATIONS: readonly (readonly [Relation, string])[] = [
  ['CSR', 'Other orders with the same CSR'],
  ['key', 'Other orders with the same key'],
  ['same names', 'Other orders with the same names'],
  ['some names', 'Other orders with some of the names'],
]

const joinOrders = (orders: readonly Order[]): string =>
  formatList(
    orders,
    MAX_RELATED,
    ({ number, state }) => `order ${number} (${STATE_TEXTS[state].name.toLowerCase()})`,
  )

/** The changes from the renewed order, short enough for a card. */
export function describeChanges(order: Order, { previousOrder: earlier }: Comparison): string[] {
  if (!earlier) return []
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
  return [[`Changes from order ${earlier.number}:`, ...lines].join('\n')]
}

/** A host name that can stand in a list: without spaces, commas, or look-alike letters. */
const PLAIN_NAME = /^[a-z0-9.*_-]+$/i
const MAX_LISTED_CHANGES = 5

/**
 * All changes from the renewed order, without shortening any value. Leaves out what the order's own values say: `Duration in order 9`
 * is listed, and not the duration now.
 */
export function listChanges(order: Order, earlier: Order): Entry[] {
  const { added, removed } = findNameChanges(earlier, order)
  const fields = listChangedFields(earlier, order)
  const names = [...added, ...removed]
  const isListed = names.length <= MAX_LISTED_CHANGES && names.every((name) => PLAIN_NAME.test(name))
  const nameChanges = isListed
    ? [...added.map((name) => `+ ${name}`), ...removed.map((name) => `− ${name}`)]
    : [`${added.length} new and ${removed.length} removed names`]
  const changes = [
    ...(names.length > 0 ? nameChanges : ['same names']),
    order.keyHash === earlier.keyHash ? 'same key' : 'new key',
    ...fields.map(([label]) => `other ${label.toLowerCase()}`),
  ]
  const label = `What changes against order ${earlier.number}`
  return [
    { label, values: [changes.join(', ')] },
    ...(isListed
      ? []
      : [
          { label: 'New name', values: added },
          { label: 'Removed name', values: removed },
        ]),
    ...fields.map(([field, before]) => ({
      label: `${field} in order ${earlier.number}`,
      values: [before || '(none)'],
    })),
  ]
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

const ONE_NAME = /\b(?:one|single|1)[ -]?(?:name|domain|host|site|fqdn)s?\b/i
const WILDCARD = /\bwild ?cards?\b/i

/**
 * Says what a product's name promises that the request doesn't match. Like certificate authorities, counts `www.` and the bare domain
 * as one name.
 */
export function questionProduct({ content: { csr, names } }: Order): string[] {
  const { product = '' } = names
  const hosts = listCertificateNames(csr).filter((name) => name.kind === 'host')
  const isForOne = ONE_NAME.test(product)
  const isForWildcard = WILDCARD.test(product)
  const hasWildcard = hosts.some(({ isWildcard }) => isWildcard)
  const says = (what: string): string[] => [
    `⚠️ By its name, the product “${clip(oneLine(product), MAX_VALUE_LENGTH)}” is for ${what}.`,
  ]
  if (isForOne && new Set(hosts.map(({ text }) => text.replace(/^www\./, ''))).size > 1)
    return says(`one name, and the request has ${hosts.length}`)
  if (isForOne && hasWildcard && !isForWildcard) return says('one name, and the request has a wildcard')
  return isForWildcard && !hasWildcard ? says('a wildcard, and the request has none') : []
}

function findNameChanges(before: Order, after: Order) {
  const [namesBefore = [], namesAfter = []] = [before, after].map(({ content }) =>
    listOrderNames(content.csr).map(({ text }) => text),
  )
  return {
    added: namesAfter.filter((name) => !namesBefore.includes(name)),
    removed: namesBefore.filter((name) => !namesAfter.includes(name)),
  }
}
