import { isUnconfirmed, RESTORED, type Settings, WHOLE_STORE } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import type { OrderRequest } from '../../service/orders.ts'
import { judgeOrder } from './judge-order.ts'
import type { OrderRepository } from './rows/orders.ts'
import { type OrderStep, type Rules, type Transition, transition } from './rules/lifecycle.ts'
import type { Order, OrderContent } from './rules/order.ts'
import { ORDER_POLICY, type OrderPolicy } from './rules/policy.ts'
import { createRefusal, noSuchOrder, orderingStopped } from './rules/refusals.ts'

/** An order as submitted. */
export interface RequestedOrder extends Pick<OrderContent, 'request' | 'csr' | 'names'> {
  environment: Environment
}

/** A person's decision about an order. */
export type OrderDecision = Extract<OrderStep, { by: string }>

const MAX_TRIES = 20

/** Whether this interaction has already taken the step. */
export async function hasTakenStep(
  { orders }: RuleParts,
  who: Pick<Who, 'reference'>,
  order: Order,
  kind: OrderDecision['kind'],
): Promise<boolean> {
  const events = await orders.events(order)
  return events.some((event) => event.reference === who.reference && event.kind === kind)
}

/**
 * Takes the step on the order's state at the time of writing, once per interaction. Throws UserError if the step is no longer
 * possible.
 */
export async function transitionOrder(
  parts: RuleParts,
  who: Who,
  number: number,
  { kind, of }: { kind: OrderDecision['kind']; of: (order: Order) => Promise<OrderDecision> },
): Promise<Order> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const order = await orderOrThrow(parts, who.workspaceId, number)
    if (await hasTakenStep(parts, who, order, kind)) return order
    if (kind === 'approve') await refuseWhileRestored(parts)
    const step = await of(order)
    const rules = await readRules(parts, order)
    const next = applyTransition(order, transition(order, step, rules))
    const { userId, reference } = who
    const event = { kind, at: rules.now, userId, reference }
    const moved = await (kind === 'approve'
      ? parts.orders.approve(next, event)
      : parts.orders.move(next, event))
    if (moved) return moved
  }
  throw new UserError(`Order ${number} is being changed by someone else right now. Try again in a moment.`)
}

export function applyTransition(order: Order, made: Transition): Order {
  if ('refusal' in made) throw createRefusal(order, made.refusal)
  return made.next
}

/** The parts of the command context that a step needs. */
export type Who = Pick<
  CommandContext,
  | 'workspaceId'
  | 'enterpriseId'
  | 'userId'
  | 'reference'
  | 'hasRole'
  | 'hasRoleOrThrow'
  | 'api'
  | 'change'
  | 'keep'
>

export interface RuleParts {
  orders: OrderRepository
  settings: Pick<Settings, 'get'>
}

/** Throws UserError if there is no such order. */
export async function orderOrThrow(
  { orders }: RuleParts,
  workspaceId: string,
  number: number,
): Promise<Order> {
  const order = await orders.find(workspaceId, number)
  if (!order) throw noSuchOrder(String(number))
  return order
}

export const readPolicy = ({ settings }: RuleParts, workspaceId: string): Promise<OrderPolicy> =>
  settings.get(workspaceId, ORDER_POLICY)

/** Reads the current policy and judges the order by it. */
export async function readRules(parts: RuleParts, order: Order): Promise<Rules> {
  const [{ policy, judgement }, now] = await Promise.all([judgeOrder(parts, order), parts.orders.time()])
  return { direct: policy.direct, judgement, now }
}

const MAX_SEARCHED = 5

/** The original order of the renewed or reissued certificate: its newest placed order. */
export async function findRenewedOrder(
  { orders }: Pick<RuleParts, 'orders'>,
  { workspaceId, environment }: Pick<Order, 'workspaceId' | 'environment'>,
  { certificateId }: OrderRequest,
): Promise<OrderContent['renewed']> {
  if (certificateId === undefined) return undefined
  const where = { workspaceId, environment, states: ['placed'] as const, limit: MAX_SEARCHED }
  const placed = await Promise.all([
    orders.list({ ...where, certificateId }),
    orders.list({ ...where, renewsId: certificateId }),
  ])
  return placed
    .flat()
    .map(({ content: { request, names, renewed } }) =>
      request.certificateId === undefined
        ? { productId: request.productId, product: names.product }
        : renewed,
    )
    .find((known) => known?.productId !== undefined)
}

/** Throws UserError if the policy doesn't let this person request an order, or if Slack can't say. */
export async function refuseIfMayNotOrder(
  parts: RuleParts,
  who: Pick<Who, 'workspaceId' | 'userId' | 'hasRoleOrThrow'>,
): Promise<OrderPolicy> {
  const policy = await readPolicy(parts, who.workspaceId)
  if (policy.requesters === 'viewer' || (await who.hasRoleOrThrow(who.userId, policy.requesters)))
    return policy
  throw new UserError(`To request orders here, you need the role ${policy.requesters}.`, [
    { label: 'Request access', line: `/hc access-request ${policy.requesters}` },
  ])
}

/** After a restore, throws UserError until the operator has compared the orders with the service. */
export async function refuseWhileRestored({ settings }: Pick<RuleParts, 'settings'>): Promise<void> {
  const restored = await settings.get(WHOLE_STORE, RESTORED)
  if (isUnconfirmed(restored)) throw orderingStopped(restored.madeAt)
}

/** The earlier approvers who may still approve, and the person who asks. Throws UserError if Slack can't say. */
export async function findApprovers(who: Who, { content }: Order): Promise<ReadonlySet<string>> {
  const others = content.approvals.map(({ by }) => by).filter((by) => by !== who.userId)
  const areApprovers = await Promise.all(others.map((by) => who.hasRoleOrThrow(by, 'approver')))
  return new Set([who.userId, ...others.filter((_, index) => areApprovers[index])])
}

/** The order after the step. Throws UserError if the step isn't possible in the current state. */
export async function computeStep(
  parts: RuleParts,
  who: Who,
  order: Order,
  kind: 'approve' | 'reject' | 'resolve',
): Promise<Order> {
  if (kind === 'approve') await refuseWhileRestored(parts)
  const by = who.userId
  const steps = {
    approve: async () => ({ kind, by, hash: order.bodyHash, holders: await findApprovers(who, order) }),
    reject: async () => ({ kind, by, reason: '' }),
    // The window asks how they know.
    resolve: async () => ({ kind, by, outcome: { kind: 'failed', why: '', said: [], by, how: 'later' } }),
  }
  // Each of the three builds its own kind of step.
  const made = transition(order, (await steps[kind]()) as OrderStep, await readRules(parts, order))
  if ('refusal' in made) throw createRefusal(order, made.refusal)
  if (kind === 'approve') await parts.orders.refuseSecond(order)
  return made.next
}
