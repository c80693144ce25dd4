import { isDecrypted } from '@signalman/durable'
import {
  commandButton,
  commandMenu,
  joinLines,
  type Line,
  lines,
  lineText,
  type Message,
  mrkdwnSection,
  person,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { describeFields } from '../../../bot/typed/fields.ts'
import { describePage, type findPage, listPage, neighborPages } from '../../../bot/views/list-page.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { describeNone, pluralize } from '../../../domain/wording.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import {
  describeUnread,
  formatListCommand,
  ORDER_FIELDS,
  type OrderFilters,
  type Searched,
  STATUS_NAMES,
} from '../parse.ts'
import { type ListedOrder, writeOrderCommand } from '../rules/order.ts'
import { formatStatePredicate, STATE_TEXTS } from '../rules/order-states.ts'
import { formatCertificateName } from './words.ts'

export interface ListReader {
  readonly userId: string
  /** Whether they see who requested an order, and who decided on it. */
  readonly seesPeople: boolean
}

interface ListExtras {
  reader: ListReader
  canApprove: (order: ListedOrder) => boolean
  now: Date
  /** How many orders there are, of everybody, with any status. */
  ofAll: number
  /** What a text was searched in. */
  searched?: Searched
}

export function listView(
  orders: readonly ListedOrder[],
  position: Omit<ReturnType<typeof findPage>, 'start'>,
  filters: OrderFilters,
  { reader, canApprove, now, ofAll, searched }: ListExtras,
): Message {
  const { environment, status, mine } = filters
  const { page, pages, total } = position
  const formatCommand = (changed: Partial<OrderFilters>): string =>
    formatListCommand({ ...filters, page: 1, ...changed })
  return listPage({
    title: total > 0 ? pluralize(total, 'certificate order') : formatNone(filters, ofAll),
    environment,
    subtitle:
      total === 0
        ? ''
        : [describePage(page, pages), ...describeFields(ORDER_FIELDS, { ...filters, page: undefined })]
            .filter(Boolean)
            .join(' · '),
    rows: orders.map((order) =>
      canApprove(order) ? orderRow(order, reader, 'approve') : lines(formatOrderLine(order, reader)),
    ),
    notes: [
      ...(searched?.newest === undefined ? [] : [`Only the newest ${searched.newest} orders were searched.`]),
      ...describeUnread(searched?.unread ?? 0),
    ],
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
                value: writeOrderCommand(order, 'show'),
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
      ]),
      ...(mine ? [] : [commandButton('My orders', formatListCommand({ environment, mine: true, page: 1 }))]),
      ...(mine || filters.text !== undefined
        ? [commandButton('All orders', writeCommand('/cert-order list', { environment }))]
        : []),
      ...(pages > 1 ? [] : [commandButton('New order', writeCommand('/cert-order', { environment }))]),
    ],
    now,
  })
}

const formatName = (order: ListedOrder): string =>
  isDecrypted(order) ? formatCertificateName(order) : 'can’t be decrypted'

function formatNone({ status, mine }: OrderFilters, ofAll: number): string {
  const wanted = [...(mine ? ['is yours'] : []), ...(status ? [formatStatePredicate(status)] : [])]
  return describeNone(ofAll, wanted, 'certificate order')
}

/** The order's name, and below it its state, who requested it and who decided on it, and when it was requested. */
function formatOrderLine(order: ListedOrder, { userId, seesPeople }: ListReader): Line {
  const { emoji, name } = STATE_TEXTS[order.state]
  const number = `Order ${order.number}${environmentSuffix(order.environment)}`
  const { rejection, approval } = isDecrypted(order) ? order.content : {}
  const decidedBy = (rejection ?? approval)?.by
  const isOwn = order.requesterId === userId
  const facts: Line[] = [
    name.toLowerCase(),
    ...(isOwn ? ['yours'] : seesPeople ? [['requested by ', person(order.requesterId)]] : []),
    ...(seesPeople && decidedBy ? [['decided by ', person(decidedBy)]] : []),
    order.createdAt,
  ]
  return [`${emoji} ${number}: ${formatName(order)}\n`, joinLines(facts, UNBROKEN_DOT)]
}

const UNBROKEN_DOT = '\u00a0· '

export const ROW_BUTTONS = {
  show: 'Show',
  again: 'Request again',
  withdraw: 'Withdraw',
  approve: 'Review and approve',
  reject: 'Reject',
} as const
export type RowVerb = keyof typeof ROW_BUTTONS

/** An order with a button that runs a verb on it, with what was typed after it. */
export function orderRow(order: ListedOrder, reader: ListReader, verb: RowVerb, typed = ''): KnownBlock {
  const label = ROW_BUTTONS[verb]
  return mrkdwnSection(
    lineText(formatOrderLine(order, reader)),
    commandButton(label, writeOrderCommand(order, verb, ...(typed === '' ? [] : [typed])), {
      accessibilityLabel: `${label} order ${order.number}`,
    }),
  )
}
