import { isOpened } from '@signalman/durable'
import { commandButton, commandMenu, lines, lineText, type Message, person, say } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { sayFields } from '../../../bot/typed/fields.ts'
import { describePage, listPage } from '../../../bot/views/list-page.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { clampPage, listLine, ORDER_FIELDS, type OrderFilters, PAGE_SIZE, STATUS_NAMES } from '../parse.ts'
import type { ListedOrder } from '../rules/order.ts'
import { STATES } from '../rules/refusals.ts'
import { certificateName } from './words.ts'

/** A page of a listing. */
interface OrderPage {
  orders: readonly ListedOrder[]
  total: number
  /** How many couldn't be searched, because they can't be decrypted. */
  unopened: number
  /** How many were searched, if there may be older ones. */
  lookedAt?: number | undefined
}

export function listView(
  { orders, total, unopened, lookedAt }: OrderPage,
  filters: OrderFilters,
  now: Date,
): Message {
  const { environment, status, mine, requester, page: asked = 1 } = filters
  const page = clampPage(filters, total)
  const narrowed = sayFields(ORDER_FIELDS, { ...filters, requester: undefined, page: undefined })
  const none =
    narrowed.length > 0 ? ` that match: ${narrowed.join(', ')}` : requester ? ' that match' : ' yet'
  const place =
    total === 0
      ? `There are no orders${none}.`
      : [
          describePage(page, Math.ceil(total / PAGE_SIZE)),
          asked > page && `page ${asked} doesn’t exist, so this is the last one`,
          ...narrowed,
        ]
          .filter(Boolean)
          .join(' · ')
  const to = (changed: Partial<OrderFilters>): string => listLine({ ...filters, page: 1, ...changed })
  return listPage({
    title: total === 0 ? 'No certificate orders' : counted(total, 'certificate order'),
    environment,
    // Slack renders the mention as the person's name.
    place: requester ? [`${place}${place && ' · '}requested by `, person(requester)] : place,
    rows: orders.map((order) => lines(orderLine(order))),
    notes: [
      ...(unopened > 0 ? [`${unopenedWords(unopened)} and may match.`] : []),
      ...(lookedAt === undefined ? [] : [`Only the newest ${grouped(lookedAt)} orders were searched.`]),
    ],
    previous: page > 1 ? to({ page: page - 1 }) : undefined,
    next: page * PAGE_SIZE < total ? to({ page: page + 1 }) : undefined,
    here: to({ page }),
    controls: [
      ...openMenu(orders),
      commandMenu('Which orders', [
        { label: 'Every status', value: to({ status: undefined }), chosen: !status },
        ...STATUS_NAMES.map((name) => ({
          label: `${STATES[name].sign} ${STATES[name].name}`,
          value: to({ status: name }),
          chosen: name === status,
        })),
        {
          label: mine ? 'Everyone’s orders' : 'Only my orders',
          value: to({ mine: mine ? undefined : true, requester: undefined }),
        },
      ]),
      ...(total > PAGE_SIZE ? [] : [commandButton('New order', `/cert-order --env ${environment}`)]),
    ],
    now,
  })
}

/** Opening one says which key is missing. */
export const unopenedWords = (many: number): string => `${counted(many, 'order')} can’t be decrypted`

/** The order's name, state, and time of request. */
function orderLine(order: ListedOrder): readonly [words: string, at: Date] {
  const { sign, name } = STATES[order.state]
  const what = isOpened(order) ? certificateName(order).join('') : 'can’t be decrypted'
  const number = `Order ${order.number}${badgeOf(order.environment)}`
  return [`${sign} ${number}: ${what} · ${name.toLowerCase()} · `, order.createdAt]
}

export const orderRow = (order: ListedOrder): KnownBlock =>
  say(
    lineText(orderLine(order)),
    commandButton('Show', `/cert-order show ${order.number}`, { spoken: `Show order ${order.number}` }),
  )

/** A menu of the orders on a page, by name. */
const openMenu = (orders: readonly ListedOrder[]) =>
  orders.length === 0
    ? []
    : [
        commandMenu(
          'Open an order…',
          orders.map((order) => ({
            label: `Order ${order.number}: ${isOpened(order) ? certificateName(order).join('') : 'can’t be decrypted'}`,
            value: `/cert-order show ${order.number}`,
          })),
          { inPlace: false },
        ),
      ]
