import { isDecrypted } from '@signalman/durable'
import {
  commandButton,
  commandMenu,
  lines,
  lineText,
  type Message,
  mrkdwnSection,
  person,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { describeFields } from '../../../bot/typed/fields.ts'
import { describePage, listPage } from '../../../bot/views/list-page.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import {
  clampPage,
  formatListCommand,
  ORDER_FIELDS,
  type OrderFilters,
  PAGE_SIZE,
  STATUS_NAMES,
} from '../parse.ts'
import type { ListedOrder } from '../rules/order.ts'
import { STATE_TEXTS } from '../rules/order-states.ts'
import { formatCertificateName } from './words.ts'

/** A page of a listing. */
interface OrderPage {
  orders: readonly ListedOrder[]
  total: number
  /** For an empty page: how many orders there are without the filters. */
  all?: number | undefined
  /** The number of orders that couldn't be searched because they can't be decrypted. */
  undecryptableCount: number
  /** The number of orders searched; undefined if all were. */
  searchedCount?: number | undefined
}

export function listView(
  { orders, total, all = 0, undecryptableCount, searchedCount }: OrderPage,
  filters: OrderFilters,
  now: Date,
): Message {
  const { environment, status, mine, requester, page: requestedPage = 1 } = filters
  const page = clampPage(filters, total)
  const filterTexts = describeFields(ORDER_FIELDS, { ...filters, requester: undefined, page: undefined })
  const subtitleText =
    total + all === 0
      ? ''
      : [
          describePage(page, Math.ceil(total / PAGE_SIZE)),
          total > 0 && requestedPage > page && `page ${requestedPage} doesn’t exist, so this is the last one`,
          ...filterTexts,
        ]
          .filter(Boolean)
          .join(' · ')
  const formatCommand = (changed: Partial<OrderFilters>): string =>
    formatListCommand({ ...filters, page: 1, ...changed })
  return listPage({
    title: describeTotal(total, all, undecryptableCount === 0 && searchedCount === undefined),
    environment,
    // Slack renders the mention as the person's name.
    subtitle: requester
      ? [`${subtitleText}${subtitleText && ' · '}requested by `, person(requester)]
      : subtitleText,
    rows: orders.map((order) => lines(formatOrderLine(order))),
    notes: [
      ...(undecryptableCount > 0 ? [`${describeUndecryptable(undecryptableCount)} and may match.`] : []),
      ...(searchedCount === undefined
        ? []
        : [`Only the newest ${formatCount(searchedCount)} orders were searched.`]),
    ],
    previous: page > 1 ? formatCommand({ page: page - 1 }) : undefined,
    next: page * PAGE_SIZE < total ? formatCommand({ page: page + 1 }) : undefined,
    refreshLine: formatCommand({ page }),
    controls: [
      ...createOrderMenu(orders),
      ...(all > 0
        ? [
            commandButton(
              all === 1 ? 'The only order' : `All ${formatCount(all)} orders`,
              formatListCommand({ environment }),
            ),
          ]
        : []),
      commandMenu('Which orders', [
        { label: 'Every status', value: formatCommand({ status: undefined }), chosen: !status },
        ...STATUS_NAMES.map((name) => ({
          label: `${STATE_TEXTS[name].emoji} ${STATE_TEXTS[name].name}`,
          value: formatCommand({ status: name }),
          chosen: name === status,
        })),
        {
          label: mine ? 'Everyone’s orders' : 'Only my orders',
          value: formatCommand({ mine: mine ? undefined : true, requester: undefined }),
        },
      ]),
      ...(total > PAGE_SIZE ? [] : [commandButton('New order', `/cert-order --env ${environment}`)]),
    ],
    now,
  })
}

/** `isComplete`: whether all orders could be searched. If not, others may match. */
function describeTotal(total: number, all: number, isComplete: boolean): string {
  if (total > 0) return pluralize(total, 'certificate order')
  if (all === 0) return 'No certificate orders yet'
  if (!isComplete) return 'No matching certificate order found'
  return all > 1 ? `None of ${formatCount(all)} certificate orders matches` : 'No certificate order matches'
}

/** Doesn't name the missing key, because people see it when they open an order. */
export const describeUndecryptable = (total: number): string =>
  `${pluralize(total, 'order')} can’t be decrypted`

/** The order's name, state, and time of request. */
function formatOrderLine(order: ListedOrder): readonly [text: string, requestedAt: Date] {
  const { emoji, name } = STATE_TEXTS[order.state]
  const subject = isDecrypted(order) ? formatCertificateName(order).join('') : 'can’t be decrypted'
  const number = `Order ${order.number}${environmentSuffix(order.environment)}`
  return [`${emoji} ${number}: ${subject} · ${name.toLowerCase()} · `, order.createdAt]
}

export const orderRow = (order: ListedOrder): KnownBlock =>
  mrkdwnSection(
    lineText(formatOrderLine(order)),
    commandButton('Show', `/cert-order show ${order.number}`, {
      accessibilityLabel: `Show order ${order.number}`,
    }),
  )

/** A menu of the orders on a page, by name. */
const createOrderMenu = (orders: readonly ListedOrder[]) =>
  orders.length === 0
    ? []
    : [
        commandMenu(
          'Open an order…',
          orders.map((order) => ({
            label: `Order ${order.number}: ${isDecrypted(order) ? formatCertificateName(order).join('') : 'can’t be decrypted'}`,
            value: `/cert-order show ${order.number}`,
          })),
          { inPlace: false },
        ),
      ]
