import { isDecrypted } from '@signalman/durable'
import { type JudgeDeps, judgeOrder } from './judge-order.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import type { OrderPolicy } from './rules/policy.ts'

const PAGE_LENGTH = 100

/** All waiting orders, newest first, page by page. */
async function* listWaiting(orders: StoredOrders, workspaceId: string): AsyncGenerator<Order> {
  for (let below: number | undefined; ; ) {
    const page = await orders.listWithUndecryptable({
      workspaceId,
      states: ['awaiting'],
      limit: PAGE_LENGTH,
      ...(below !== undefined && { below }),
    })
    yield* page.filter(isDecrypted)
    below = page.at(-1)?.number
    if (page.length < PAGE_LENGTH) return
  }
}

/** The waiting orders whose verdict a new policy would change, and those that it would block although the old one doesn't. */
export async function findChangedVerdicts(
  deps: JudgeDeps & { orders: StoredOrders },
  workspaceId: string,
  before: OrderPolicy,
  after: OrderPolicy,
): Promise<{ all: Order[]; blocked: Order[] }> {
  const all: Order[] = []
  const blocked: Order[] = []
  for await (const order of listWaiting(deps.orders, workspaceId)) {
    const [old, now] = await Promise.all([judgeOrder(deps, order, before), judgeOrder(deps, order, after)])
    if (JSON.stringify(old.judgment) === JSON.stringify(now.judgment)) continue
    all.push(order)
    if (old.judgment.decision === 'allow' && now.judgment.decision === 'deny') blocked.push(order)
  }
  return { all, blocked }
}
