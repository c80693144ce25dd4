import { isDecrypted } from '@signalman/durable'
import { type JudgeDeps, judgeOrder } from './judge-order.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import type { OrderPolicy } from './rules/policy.ts'
import { readEachOrder } from './search-orders.ts'

/** The waiting orders whose verdict a new policy would change, and those that it would block although the old one doesn't. */
export async function findChangedVerdicts(
  deps: JudgeDeps & { orders: StoredOrders },
  workspaceId: string,
  before: OrderPolicy,
  after: OrderPolicy,
): Promise<{ all: Order[]; blocked: Order[] }> {
  const all: Order[] = []
  const blocked: Order[] = []
  for await (const order of readEachOrder(deps.orders, { workspaceId, states: ['awaiting'] })) {
    if (!isDecrypted(order)) continue
    const [old, now] = await Promise.all([judgeOrder(deps, order, before), judgeOrder(deps, order, after)])
    if (JSON.stringify(old.judgment) === JSON.stringify(now.judgment)) continue
    all.push(order)
    if (old.judgment.decision === 'allow' && now.judgment.decision === 'deny') blocked.push(order)
  }
  return { all, blocked }
}
