import type { Settings } from '@signalman/durable'
import type { OrderRepository } from './rows/orders.ts'
import { orderNames } from './rules/host-names.ts'
import { asksForNewDomains, domainsIn, judge, judgedOrder } from './rules/judge.ts'
import type { Order, OrderContent } from './rules/order.ts'
import { ORDER_POLICY, type OrderPolicy } from './rules/policy.ts'
import type { Judged } from './rules/shown.ts'

export interface JudgeParts {
  orders: Pick<OrderRepository, 'list'>
  settings: Pick<Settings, 'get'>
}

/** An order, or the draft of one. */
type Judgeable = Pick<Order, 'workspaceId' | 'environment'> & {
  content: Pick<OrderContent, 'request' | 'csr' | 'renewed'>
}

/** What the policy of now says of an order. */
export async function judgeOrder(parts: JudgeParts, order: Judgeable): Promise<Judged> {
  const policy = await parts.settings.get(order.workspaceId, ORDER_POLICY)
  return { policy, judgement: judge(judgedOrder(order), policy, await newDomains(parts, order, policy)) }
}

/** Orders that are looked through for a domain, newest first; beyond them a domain counts as new. */
const MOST_LOOKED_AT = 2000
const PAGE = 100

/** The domains in an order for which no order was placed before in its environment. */
async function newDomains(
  { orders }: JudgeParts,
  { workspaceId, environment, content: { csr } }: Judgeable,
  policy: OrderPolicy,
): Promise<string[]> {
  if (!asksForNewDomains(policy, environment)) return []
  const unknown = domainsIn(orderNames(csr), policy)
  const states = ['placed'] as const
  let below: number | undefined
  for (let seen = 0; seen < MOST_LOOKED_AT && unknown.size > 0; seen += PAGE) {
    const where = { workspaceId, environment, states, limit: PAGE, ...(below !== undefined && { below }) }
    const page = await orders.list(where)
    for (const { content } of page)
      for (const domain of domainsIn(orderNames(content.csr), policy)) unknown.delete(domain)
    below = page.at(-1)?.number
    if (below === undefined) break
  }
  return [...unknown]
}
