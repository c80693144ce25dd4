import type { StoredOrders } from './rows/orders.ts'
import type { OrderFilter } from './rows/queries.ts'
import { SEARCH_BATCH, searchBatches } from './rows/search-batches.ts'
import { listCertificateNames } from './rules/host-names.ts'
import type { ListedOrder, Order } from './rules/order.ts'

/** Searches the newest orders, whose names and products are encrypted. */
export const searchOrders = (
  orders: StoredOrders,
  query: Omit<Parameters<StoredOrders['listWithUndecryptable']>[0], 'limit'>,
  matches: (order: Order) => boolean,
) =>
  searchBatches<ListedOrder>(
    (_, last) =>
      orders.listWithUndecryptable({ ...query, limit: SEARCH_BATCH, ...(last && { below: last.number }) }),
    matches,
  )

const PAGE_LENGTH = 200

/** Reads all matching orders, newest first, page by page. */
export async function* readEachOrder(
  orders: Pick<StoredOrders, 'listWithUndecryptable'>,
  filter: OrderFilter,
): AsyncGenerator<ListedOrder> {
  for (let below: number | undefined; ; ) {
    const page = await orders.listWithUndecryptable({
      ...filter,
      limit: PAGE_LENGTH,
      ...(below !== undefined && { below }),
    })
    yield* page
    below = page.at(-1)?.number
    if (page.length < PAGE_LENGTH) return
  }
}

const MAX_TOUCHED = 1000

/** The newest received order for a name, in the spelling of `listCertificateNames`. Finds it by the index of names. */
export async function findOrderForName(
  orders: Pick<StoredOrders, 'findTouched' | 'list'>,
  { workspaceId, environment }: Pick<Order, 'workspaceId' | 'environment'>,
  name: string,
): Promise<Order | undefined> {
  const ids = [...(await orders.findTouched(workspaceId, environment, [name]))].slice(0, MAX_TOUCHED)
  if (ids.length === 0) return undefined
  const where = { workspaceId, environment, states: ['received'] as const, limit: MAX_TOUCHED }
  const touched = await orders.list({ ...where, ids })
  return touched.find(({ content: { csr } }) => listCertificateNames(csr).some(({ text }) => text === name))
}
