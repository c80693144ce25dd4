import type { Settings } from '@signalman/durable'
import type { OrderRepository } from './rows/orders.ts'
import { orderNames } from './rules/host-names.ts'
import { asksForNewDomains, findDomains, judge, judgedOrder } from './rules/judge.ts'
import type { Order, OrderContent } from './rules/order.ts'
import { ORDER_POLICY, type OrderPolicy } from './rules/policy.ts'
import type { Judged } from './rules/shown.ts'

export interface JudgeParts {
  orders: Pick<OrderRepository, 'list'>
  settings: Pick<Settings, 'get'>
}

/** An order, or the draft of one. */
type OrderToJudge = Pick<Order, 'workspaceId' | 'environment'> & {
  content: Pick<OrderContent, 'request' | 'csr' | 'renewed'>
}

/** Applies the current policy to an order. */
export async function judgeOrder(parts: JudgeParts, order: OrderToJudge): Promise<Judged> {
  const policy = await parts.settings.get(order.workspaceId, ORDER_POLICY)
  return { policy, judgement: judge(judgedOrder(order), policy, await newDomains(parts, order, policy)) }
}

/** How many orders are searched for a domain, newest first. Not found there, a domain counts as new. */
const MAX_SEARCHED = 2000
const PAGE = 100

/** The order's domains for which no order was placed before in its environment. */
async function newDomains(
  { orders }: JudgeParts,
  { workspaceId, environment, content: { csr } }: OrderToJudge,
  policy: OrderPolicy,
): Promise<string[]> {
  if (!asksForNewDomains(policy, environment)) return []
  const unknown = findDomains(orderNames(csr), policy)
  const states = ['placed'] as const
  let below: number | undefined
  for (let seen = 0; seen < MAX_SEARCHED && unknown.size > 0; seen += PAGE) {
    const where = { workspaceId, environment, states, limit: PAGE, ...(below !== undefined && { below }) }
    const page = await orders.list(where)
    for (const { content } of page)
      for (const domain of findDomains(orderNames(content.csr), policy)) unknown.delete(domain)
    below = page.at(-1)?.number
    if (below === undefined) break
  }
  return [...unknown]
}
