import type { Settings } from '@signalman/durable'
import type { StoredOrders } from './rows/orders.ts'
import { listOrderNames } from './rules/host-names.ts'
import { findDomains, judge, type PolicyJudgment, toPolicyInput, usesNewDomains } from './rules/judge.ts'
import type { Order, OrderContent } from './rules/order.ts'
import { ORDER_POLICY, type OrderingRole, type OrderPolicy } from './rules/policy.ts'

export interface JudgeDeps {
  orders: Pick<StoredOrders, 'list'>
  settings: Pick<Settings, 'get'>
  findRequester: FindRequester
}

/**
 * Whether the requester has left, and whether they still have a role. `isMember`: undefined if Slack can't say. Throws if Slack is
 * unavailable while it reads the role.
 */
export type FindRequester = (
  where: Pick<Order, 'workspaceId' | 'enterpriseId'>,
  userId: string,
) => Promise<{ hasLeft: boolean; hasRole: (role: OrderingRole) => Promise<boolean> }>

/** An order, or one that is about to be requested. */
type OrderToJudge = Pick<Order, 'workspaceId' | 'enterpriseId' | 'environment'> & {
  /** Absent for one that is about to be requested, because that checks the role itself. */
  requesterId?: string
  content: Pick<OrderContent, 'request' | 'csr' | 'renewed'>
}

/** Applies the current policy, or another one, to an order. The result is never stored, because the policy and people change. */
export async function judgeOrder(
  deps: JudgeDeps,
  order: OrderToJudge,
  otherPolicy?: OrderPolicy,
): Promise<PolicyJudgment> {
  const policy = otherPolicy ?? (await deps.settings.get(order.workspaceId, ORDER_POLICY))
  const [newDomains, requester] = await Promise.all([
    findNewDomains(deps, order, policy),
    checkRequester(deps, order, policy),
  ])
  const input = { ...toPolicyInput(order), missingRole: requester.missingRole }
  return { policy, judgment: judge(input, policy, newDomains), hasRequesterLeft: requester.hasLeft }
}

/** Someone who has left isn't asked for the role: whether their order is still needed is for the approvers to say. */
async function checkRequester(
  { findRequester }: JudgeDeps,
  { requesterId, ...where }: OrderToJudge,
  { requesters }: OrderPolicy,
): Promise<{ hasLeft: boolean; missingRole?: OrderingRole | undefined }> {
  if (requesterId === undefined) return { hasLeft: false }
  const { hasLeft, hasRole } = await findRequester(where, requesterId)
  if (hasLeft || requesters === 'viewer' || (await hasRole(requesters))) return { hasLeft }
  return { hasLeft, missingRole: requesters }
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
