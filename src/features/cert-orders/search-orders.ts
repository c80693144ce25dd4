import { isDecrypted } from '@signalman/durable'
import type { StoredOrders } from './rows/orders.ts'
import { listCertificateNames } from './rules/host-names.ts'
import type { Order } from './rules/order.ts'

const MAX_SEARCHED = 5000
const BATCH_SIZE = 200

/**
 * Decrypts and searches the newest orders, because names and products are encrypted. `searchedCount` is set if there are older
 * orders that weren't searched.
 */
export async function searchOrders(
  orders: StoredOrders,
  query: Omit<Parameters<StoredOrders['listWithUndecryptable']>[0], 'limit'>,
  matches: (order: Order) => boolean,
): Promise<{ found: Order[]; undecryptableCount: number; searchedCount?: number }> {
  const found: Order[] = []
  let undecryptableCount = 0
  let below: number | undefined
  for (let searched = 0; searched < MAX_SEARCHED; searched += BATCH_SIZE) {
    const page = await orders.listWithUndecryptable({
      ...query,
      limit: BATCH_SIZE,
      ...(below !== undefined && { below }),
    })
    const readable = page.filter(isDecrypted)
    found.push(...readable.filter(matches))
    undecryptableCount += page.length - readable.length
    below = page.at(-1)?.number
    if (page.length < BATCH_SIZE) return { found, undecryptableCount }
  }
  return { found, undecryptableCount, searchedCount: MAX_SEARCHED }
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
