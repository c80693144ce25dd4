import { DAY_MS } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { Requester } from '../../bot/routes/command-context.ts'
import type { Arguments } from '../../bot/typed/command-line.ts'
import { readFields } from '../../bot/typed/fields.ts'
import { isOpened, type Order, type OrderRepository } from './order.ts'
import { ORDER_FIELDS, type OrderFilters, PAGE_SIZE, pageOf, readPage } from './parse.ts'
import { listView } from './views/list.ts'

/** One page of the orders of an environment. */
export async function listOrders(
  orders: OrderRepository,
  context: Requester,
  args: Arguments,
): Promise<Message> {
  const { environment } = context
  const filters = { environment, page: readPage(args.flags.page), ...readFields(ORDER_FIELDS, args.flags) }
  const { status, mine, requester, days } = filters
  const query = {
    workspaceId: context.workspaceId,
    environment,
    ...(status && { states: [status] }),
    ...(mine && { requesterId: context.userId }),
    ...(requester !== undefined && { requesterId: requester }),
    ...(days !== undefined && { since: new Date(context.now.getTime() - days * DAY_MS) }),
  }
  if (filters.name !== undefined || filters.product !== undefined) {
    const { found, unopened } = await searched(orders, query, (order) => isMeant(order, filters))
    const start = offsetOf(filters, found.length)
    const page = { orders: found.slice(start, start + PAGE_SIZE), total: found.length, unopened }
    return listView(page, filters, context.now)
  }
  const total = await orders.count(query)
  const found = await orders.listing({ ...query, limit: PAGE_SIZE, offset: offsetOf(filters, total) })
  return listView({ orders: found, total, unopened: 0 }, filters, context.now)
}

const offsetOf = (filters: OrderFilters, total: number): number => (pageOf(filters, total) - 1) * PAGE_SIZE

const MOST_LOOKED_AT = 5000
const AT_ONCE = 200

/** Names and products are sealed: each order is opened and looked at, the newest 5,000 of them. What does not open is counted. */
async function searched(
  orders: OrderRepository,
  query: Omit<Parameters<OrderRepository['list']>[0], 'limit'>,
  isWanted: (order: Order) => boolean,
): Promise<{ found: Order[]; unopened: number }> {
  const found: Order[] = []
  let unopened = 0
  let below: number | undefined
  for (let seen = 0; seen < MOST_LOOKED_AT; seen += AT_ONCE) {
    const page = await orders.listing({ ...query, limit: AT_ONCE, ...(below !== undefined && { below }) })
    const opened = page.filter(isOpened)
    found.push(...opened.filter(isWanted))
    unopened += page.length - opened.length
    below = page.at(-1)?.number
    if (page.length < AT_ONCE) break
  }
  return { found, unopened }
}

function isMeant({ content }: Order, { name, product }: OrderFilters): boolean {
  const { csr, request, names } = content
  const isNamed =
    name === undefined ||
    [csr.subject, ...csr.names].some((one) => one.toLowerCase().includes(name.toLowerCase()))
  const products = [request.productId, names.product].map((one) => one?.toLowerCase() ?? '')
  return isNamed && (product === undefined || products.some((one) => one.includes(product.toLowerCase())))
}
