import type { Settings } from '@signalman/durable'
import type { OrderRepository } from './rows/orders.ts'
import { listOrderNames } from './rules/host-names.ts'
import { findDomains, judge, type PolicyJudgment, toPolicyInput, usesNewDomains } from './rules/judge.ts'
import type { Order, OrderContent } from './rules/order.ts'
import { ORDER_POLICY, type OrderPolicy } from './rules/policy.ts'

export interface JudgeDeps {
  orders: Pick<OrderRepository, 'list'>
  settings: Pick<Settings, 'get'>
}

/** An order, or one that is about to be requested. */
type OrderToJudge = Pick<Order, 'workspaceId' | 'environment'> & {
  content: Pick<OrderContent, 'request' | 'csr' | 'renewed'>
}

/** Applies the current policy to an order. */
export async function judgeOrder(deps: JudgeDeps, order: OrderToJudge): Promise<PolicyJudgment> {
  const policy = await deps.settings.get(order.workspaceId, ORDER_POLICY)
  return {
    policy,
    judgment: judge(toPolicyInput(order), policy, await findNewDomains(deps, order, policy)),
  }
}

/** How many received orders are searched, newest first. A domain that isn't in any of them counts as new. */
const MAX_SEARCHED = 2000
const BATCH_SIZE = 100

/** The order's domains that no received order in its environment has. */
async function findNewDomains(
  { orders }: JudgeDeps,
  { workspaceId, environment, content: { csr } }: OrderToJudge,
  policy: OrderPolicy,
): Promise<string[]> {
  if (!usesNewDomains(policy, environment)) return []
  const remaining = findDomains(listOrderNames(csr), policy)
  const states = ['received'] as const
  let below: number | undefined
  for (let searched = 0; searched < MAX_SEARCHED && remaining.size > 0; searched += BATCH_SIZE) {
    const where = {
      workspaceId,
      environment,
      states,
      limit: BATCH_SIZE,
      ...(below !== undefined && { below }),
    }
    const page = await orders.list(where)
    for (const { content } of page)
      for (const domain of findDomains(listOrderNames(content.csr), policy)) remaining.delete(domain)
    below = page.at(-1)?.number
    if (below === undefined) break
  }
  return [...remaining]
}
