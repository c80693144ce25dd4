import { clip, commandButton, commandMenu, type Message, oneLine, section, utc } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { listPage } from '../../../bot/replies/list-page.ts'
import { sayFields } from '../../../bot/typed/fields.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import { isOpened, type ListedOrder, titleOf } from '../order.ts'
import { listLine, ORDER_FIELDS, type OrderFilters, PAGE_SIZE, pageOf, STATUS_NAMES } from '../parse.ts'
import { STATES } from '../refusals.ts'

/** A page of a listing: `orders` are those of the page that `pageOf` names. */
interface OrderPage {
  orders: readonly ListedOrder[]
  total: number
  /** How many could not be looked through, because they do not open. */
  unopened: number
}

export function listView({ orders, total, unopened }: OrderPage, filters: OrderFilters, now: Date): Message {
  const { environment, status, mine } = filters
  const page = pageOf(filters, total)
  const narrowed = sayFields(ORDER_FIELDS, filters)
  const to = (changed: Partial<OrderFilters>): string => listLine({ ...filters, page: 1, ...changed })
  return listPage({
    title: 'Certificate orders',
    environment,
    place:
      total === 0
        ? `There are no orders${narrowed.length > 0 ? ` that match: ${narrowed.join(', ')}` : ' yet'}.`
        : [`${total} in all`, pageWords(filters, page, total), ...narrowed].join(' · '),
    rows: orders.map((order) => ({ text: orderLine(order), blocks: [orderRow(order)] })),
    notes: unopened > 0 ? [`${unopenedWords(unopened)} and may match.`] : [],
    previous: page > 1 ? to({ page: page - 1 }) : undefined,
    next: page * PAGE_SIZE < total ? to({ page: page + 1 }) : undefined,
    here: to({ page }),
    controls: [
      commandMenu('Status', [
        { label: 'Every status', value: to({ status: undefined }), chosen: !status },
        ...STATUS_NAMES.map((name) => ({
          label: `${STATES[name].sign} ${STATES[name].name}`,
          value: to({ status: name }),
          chosen: name === status,
        })),
      ]),
      commandButton(mine ? 'Everyone’s' : 'Mine', to({ mine: mine ? undefined : true }), { inPlace: true }),
      commandButton('New order', `/cert-order --env ${environment}`),
    ],
    now,
  })
}

function pageWords({ page: asked }: OrderFilters, page: number, total: number): string {
  const place = `page ${page} of ${Math.ceil(total / PAGE_SIZE)}`
  return asked > page ? `${place}, the last one: there is no page ${asked}` : place
}

const TITLE = 150

/** Whoever shows one of them reads which key is missing. */
export const unopenedWords = (many: number): string => `${counted(many, 'order')} cannot be opened`

export function orderLine(order: ListedOrder): string {
  const { sign, name } = STATES[order.state]
  const ote = badgeOf(order.environment)
  const title = isOpened(order) ? clip(oneLine(titleOf(order)), TITLE) : 'cannot be opened'
  return `${sign} ${name} · ${order.number}: ${title}${ote} · ${utc(order.createdAt)}`
}

export const orderRow = (order: ListedOrder): KnownBlock =>
  section(
    orderLine(order),
    commandButton('Show', `/cert-order show ${order.number}`, { spoken: `Show order ${order.number}` }),
  )
