import { isUnconfirmed, RESTORED, WHOLE_STORE } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import { type JudgeDeps, judgeOrder } from './judge-order.ts'
import { type CompareDeps, compareOrder } from './read-order-details.ts'
import type { StoredOrders } from './rows/orders.ts'
import { type OrderStep, type Rules, type Transition, transition } from './rules/lifecycle.ts'
import type { Order, OrderContent, RenewedProduct } from './rules/order.ts'
import type { OrderDetails } from './rules/order-details.ts'
import { ORDER_POLICY, type OrderPolicy } from './rules/policy.ts'
import { createNoSuchOrderError, createOrderingStoppedError, StepRefused } from './rules/refusals.ts'

/** A new order as submitted in the form. */
export interface RequestedOrder extends Pick<OrderContent, 'request' | 'csr' | 'names'> {
  environment: Environment
  /** For a renewal or a reissue: what the requester says about the certificate's product. */
  claimed?: Pick<RenewedProduct, 'productId' | 'product'> | undefined
}

/** A person's decision about an order. */
export type OrderDecision = Extract<OrderStep, { by: string }>

const MAX_TRIES = 20

/** The order, if this interaction has already taken the step. */
export async function findIfTaken(
  deps: RuleDeps,
  context: Pick<StepContext, 'workspaceId' | 'reference'>,
  number: number,
  kind: OrderDecision['kind'],
): Promise<Order | undefined> {
  const order = await findOrderOrThrow(deps, context.workspaceId, number)
  return (await hasTakenStep(deps, context, order, kind)) ? order : undefined
}

async function hasTakenStep(
  { orders }: RuleDeps,
  context: Pick<StepContext, 'reference'>,
  order: Order,
  kind: OrderDecision['kind'],
): Promise<boolean> {
  const events = await orders.listEvents(order)
  return events.some((event) => event.reference === context.reference && event.kind === kind)
}

/**
 * Applies the decision to the order's latest state, once per interaction. Throws UserError if it's no longer possible.
 */
export async function transitionOrder(
  deps: RuleDeps,
  context: StepContext,
  number: number,
  {
    kind,
    createDecision,
  }: {
    kind: OrderDecision['kind']
    createDecision: (order: Order) => Promise<OrderDecision> | OrderDecision
  },
): Promise<Order> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const order = await findOrderOrThrow(deps, context.workspaceId, number)
    if (await hasTakenStep(deps, context, order, kind)) return order
    if (kind === 'approve') await refuseUntilRestoreConfirmed(deps)
    const step = await createDecision(order)
    const rules = await readRules(deps, order)
    const next = applyTransition(order, transition(order, step, rules), rules)
    const { userId, reference } = context
    const event = { kind, at: rules.now, userId, reference }
    const saved = await (kind === 'approve'
      ? deps.orders.approve(next, event)
      : deps.orders.saveStep(next, event))
    if (saved) return saved
  }
  throw new UserError(`Order ${number} is being changed right now. Try again in a moment.`)
}

/** Returns the order after a step. Throws UserError if it was refused; for a blocked order, with the policy's reasons. */
function applyTransition(order: Order, result: Transition, { judgment }: Rules): Order {
  if ('refusal' in result)
    throw new StepRefused(order, result.refusal, result.refusal === 'blocked' ? judgment.reasons : [])
  return result.next
}

/** The parts of the command context that a step uses. */
export type StepContext = Pick<
  CommandContext,
  | 'workspaceId'
  | 'enterpriseId'
  | 'environment'
  | 'userId'
  | 'reference'
  | 'hasRole'
  | 'hasRoleOrThrow'
  | 'api'
  | 'change'
  | 'remember'
>

export interface RuleDeps extends JudgeDeps, CompareDeps {
  orders: StoredOrders
}

/** Throws UserError if there is no such order. */
export async function findOrderOrThrow(
  { orders }: RuleDeps,
  workspaceId: string,
  number: number,
): Promise<Order> {
  const order = await orders.find(workspaceId, number)
  if (!order) throw createNoSuchOrderError(String(number))
  return order
}

/** Reads the current policy and judges the order by it. */
async function readRules(deps: RuleDeps, order: Order): Promise<Rules> {
  const [{ policy, judgment }, { saw }, now] = await Promise.all([
    judgeOrder(deps, order),
    compareOrder(deps, order),
    deps.orders.readTime(),
  ])
  return { direct: policy.direct, judgment, saw, now }
}

/** Throws UserError if this person doesn't have the role that the policy requires, or if Slack is unavailable. */
export async function requireRequesterRole(
  deps: RuleDeps,
  context: Pick<StepContext, 'workspaceId' | 'userId' | 'hasRoleOrThrow'>,
): Promise<OrderPolicy> {
  const policy = await deps.settings.get(context.workspaceId, ORDER_POLICY)
  if (policy.requesters === 'viewer' || (await context.hasRoleOrThrow(context.userId, policy.requesters)))
    return policy
  throw new UserError(`To request orders here, you need the ${policy.requesters} role.`, [
    { label: 'Request access', line: `/hc access-request ${policy.requesters}` },
  ])
}

/** Throws UserError after a restore from a backup, until the operator has confirmed that the orders match the service. */
async function refuseUntilRestoreConfirmed({ settings }: Pick<RuleDeps, 'settings'>): Promise<void> {
  const restored = await settings.get(WHOLE_STORE, RESTORED)
  if (isUnconfirmed(restored)) throw createOrderingStoppedError(restored.madeAt)
}

/** The current user and the earlier approvers who are still approvers. Throws UserError if Slack is unavailable. */
export async function findApprovers(context: StepContext, { content }: Order): Promise<ReadonlySet<string>> {
  const others = content.approvals.map(({ by }) => by).filter((by) => by !== context.userId)
  const areApprovers = await Promise.all(others.map((by) => context.hasRoleOrThrow(by, 'approver')))
  return new Set([context.userId, ...others.filter((_, index) => areApprovers[index])])
}

/** Throws UserError if the step isn't possible in the order's current state. */
export async function refuseUnlessPossible(deps: RuleDeps, order: Order, step: OrderDecision): Promise<void> {
  const rules = await readRules(deps, order)
  applyTransition(order, transition(order, step, rules), rules)
}

/** Returns the order as it would be after this person's approval. Throws UserError if they can't approve it. */
export async function previewApproval(
  deps: RuleDeps,
  context: StepContext,
  order: Order,
  { policy: { direct }, judgment, comparison: { saw }, now }: OrderDetails,
): Promise<Order> {
  await refuseUntilRestoreConfirmed(deps)
  const eligibleApprovers = await findApprovers(context, order)
  const approval = {
    kind: 'approve',
    by: context.userId,
    hash: order.bodyHash,
    saw,
    eligibleApprovers,
  } as const
  const rules = { direct, judgment, saw, now }
  const next = applyTransition(order, transition(order, approval, rules), rules)
  await deps.orders.refuseDuplicate(order)
  return next
}
