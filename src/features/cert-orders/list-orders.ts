import type { Message } from '../../blocks/message.ts'
import type { Requester } from '../../bot/routes/command-context.ts'
import type { Arguments } from '../../bot/typed/command-line.ts'
import { UserError } from '../../errors.ts'
import type { OrderRepository } from './order.ts'
import { listView, type OrderFilters, PAGE_SIZE, STATUS_NAMES } from './views/list.ts'

/** One page of the orders of an environment. */
export async function listOrders(orders: OrderRepository, ask: Requester, args: Arguments): Promise<Message> {
  const filters = filtersOf(ask, args)
  const { environment, status, mine, page } = filters
  const query = {
    workspaceId: ask.workspaceId,
    environment,
    ...(status && { states: [status] }),
    ...(mine && { requesterId: ask.userId }),
  }
  const [total, found] = await Promise.all([
    orders.count(query),
    orders.list({ ...query, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
  ])
  return listView(found, total, filters, ask.now)
}

function filtersOf({ environment }: Requester, { flags }: Arguments): OrderFilters {
  const page = String(flags.page ?? '1')
  if (!/^[1-9]\d{0,5}$/.test(page)) throw new UserError(`\`--page\` is a number from 1 on; “${page}” is not.`)
  return {
    environment,
    status: STATUS_NAMES.find((name) => name === flags.status),
    mine: flags.mine === true,
    page: Number(page),
  }
}
