import { isDecrypted } from '@signalman/durable'
import { commandButton, commandMenu, lines, lineText, type Message, mrkdwnSection } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { describeFields } from '../../../bot/typed/fields.ts'
import { describePage, type findPage, listPage, neighborPages } from '../../../bot/views/list-page.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { formatListCommand, ORDER_FIELDS, type OrderFilters, STATUS_NAMES } from '../parse.ts'
import type { ListedOrder } from '../rules/order.ts'
import { STATE_TEXTS } from '../rules/order-states.ts'
import { formatCertificateName } from './words.ts'

/** `orders`: those of the page. `searched`: how many of the newest were searched, if not all. */
export function listView(
  orders: readonly ListedOrder[],
  position: Omit<ReturnType<typeof findPage>, 'start'>,
  filters: OrderFilters,
  {
    userId,
    canApprove,
    now,
    searched,
  }: {
    userId: string
    canApprove: (order: ListedOrder) => boolean
    now: Date
    searched?: number | undefined
  },
): Message {
  const { environment, status, mine } = filters
  const { page, pages, total } = position
  const formatCommand = (changed: Partial<OrderFilters>): string =>
    formatListCommand({ ...filters, page: 1, ...changed })
  return listPage({
    title: total > 0 ? pluralize(total, 'certificate order') : 'No certificate orders',
    environment,
    subtitle: [describePage(page, pages), ...describeFields(ORDER_FIELDS, { ...filters, page: undefined })]
      .filter(Boolean)
      .join(' · '),
    rows: orders.map((order) =>
      canApprove(order) ? orderRow(order, userId, 'approve') : lines(formatOrderLine(order, userId)),
    ),
    notes: searched === undefined ? [] : [`Only the newest ${searched} orders were searched.`],
    ...neighborPages(position, (number) => formatCommand({ page: number })),
    refreshLine: formatCommand({ page }),
    controls: [
      ...(orders.length === 0
        ? []
        : [
            commandMenu(
              'Open an order…',
              orders.map((order) => ({
                label: `Order ${order.number}: ${formatName(order)}`,
                value: `/cert-order show ${order.number}`,
              })),
              { inPlace: false },
            ),
          ]),
      commandMenu('Which orders', [
        { label: 'Every status', value: formatCommand({ status: undefined }), chosen: !status },
        ...STATUS_NAMES.map((name) => ({
          label: `${STATE_TEXTS[name].emoji} ${STATE_TEXTS[name].name}`,
          value: formatCommand({ status: name }),
          chosen: name === status,
        })),
        {
          label: mine ? 'Everyone’s orders' : 'Only my orders',
          value: formatCommand({ mine: mine ? undefined : true }),
        },
      ]),
      ...(filters.text === undefined
        ? []
        : [commandButton('All orders', `/cert-order list --env ${environment}`)]),
      ...(pages > 1 ? [] : [commandButton('New order', `/cert-order --env ${environment}`)]),
    ],
    now,
  })
}

const formatName = (order: ListedOrder): string =>
  isDecrypted(order) ? formatCertificateName(order) : 'can’t be decrypted'

/** The order's name, state, and time of request, and whether it's the reader's own. */
function formatOrderLine(order: ListedOrder, userId: string): readonly [text: string, requestedAt: Date] {
  const { emoji, name } = STATE_TEXTS[order.state]
  const number = `Order ${order.number}${environmentSuffix(order.environment)}`
  const own = order.requesterId === userId ? ' · yours' : ''
  return [`${emoji} ${number}: ${formatName(order)} · ${name.toLowerCase()}${own} · `, order.createdAt]
}

const ROW_BUTTONS = {
  show: 'Show',
  again: 'Request again',
  withdraw: 'Withdraw',
  approve: 'Review and approve',
  reject: 'Reject',
} as const
export type RowVerb = keyof typeof ROW_BUTTONS

/** An order with a button that runs a verb on it. `userId`: the reader. */
export function orderRow(order: ListedOrder, userId: string, verb: RowVerb): KnownBlock {
  const label = ROW_BUTTONS[verb]
  return mrkdwnSection(
    lineText(formatOrderLine(order, userId)),
    commandButton(label, `/cert-order ${verb} ${order.number}`, {
      accessibilityLabel: `${label} order ${order.number}`,
    }),
  )
}
