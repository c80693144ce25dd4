import { isUnconfirmed, RESTORED, type Settings, WHOLE_STORE } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import type { OrderRequest } from '../../service/orders.ts'
import { type OrderStep, type Rules, type Transition, transition } from './lifecycle.ts'
import type { Order, OrderContent, OrderRepository } from './order.ts'
import { refuseSecond } from './placed-twice.ts'
import { ORDER_POLICY, type OrderPolicy } from './policy.ts'
import { noSuchOrder, orderingStopped, refusalOf } from './refusals.ts'
import type { Ruled } from './rules/conditions.ts'
import { type PolicyFor, policyFor, ruledOf } from './rules/rules.ts'

/** An order as it was filled in. */
export interface RequestedOrder extends Pick<OrderContent, 'request' | 'csr' | 'names'> {
  environment: Environment
}

/** What somebody decides about an order. */
export type OrderDecision = Extract<OrderStep, { by: string } | { kind: 'allow' }>

const MOST_TRIES = 20

/** Whether this act has taken the step. */
export async function isTaken(
  { orders }: RuleParts,
  who: Pick<Who, 'reference'>,
  order: Order,
  kind: OrderDecision['kind'],
): Promise<boolean> {
  const events = await orders.events(order)
  return events.some((event) => event.reference === who.reference && event.kind === kind)
}

/**
 * Takes the step on the order as it is when it is written, once for this act. Throws UserError when it does not fit any
 * more.
 */
export async function transitionOrder(
  parts: RuleParts,
  who: Who,
  number: number,
  { kind, of }: { kind: OrderDecision['kind']; of: (order: Order) => Promise<OrderDecision> },
): Promise<Order> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const order = await orderOrThrow(parts, who.workspaceId, number)
    if (await isTaken(parts, who, order, kind)) return order
    if (kind === 'approve' || kind === 'edit') await refuseWhileRestored(parts)
    const step = await of(order)
    // An edited order is judged by its new content.
    const content =
      step.kind === 'edit'
        ? { ...order.content, request: step.request, names: step.names, renewed: step.renewed }
        : order.content
    const rules = await rulesOf(parts, who.workspaceId, { ...content, environment: order.environment })
    const next = nextOf(order, transition(order, step, rules))
    const { userId, reference } = who
    const moved = await parts.orders.move(next, { kind, at: rules.now, userId, reference })
    if (moved) return moved
  }
  throw new UserError(`Order ${number} is being changed by others right now. Try again in a moment.`)
}

export function nextOf(order: Order, made: Transition): Order {
  if ('refusal' in made) throw refusalOf(order, made.refusal)
  return made.next
}

/** The capabilities of the context that taking a step needs. */
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

/** Throws UserError for an order that is not there. */
export async function orderOrThrow(
  { orders }: RuleParts,
  workspaceId: string,
  number: number,
): Promise<Order> {
  const order = await orders.find(workspaceId, number)
  if (!order) throw noSuchOrder(String(number))
  return order
}

export const policyOf = ({ settings }: RuleParts, workspaceId: string): Promise<OrderPolicy> =>
  settings.get(workspaceId, ORDER_POLICY)

/** The rules as they are now, for an order with this content. */
export async function rulesOf(
  parts: RuleParts,
  workspaceId: string,
  content: Ruled,
): Promise<PolicyFor & Rules> {
  const [policy, now] = await Promise.all([policyOf(parts, workspaceId), parts.orders.time()])
  return { ...policyFor(policy, content), now }
}

const CONSIDERED = 5

/** As what the certificate that is renewed or reissued was ordered: its newest placed order tells. */
export async function renewedIn(
  { orders }: Pick<RuleParts, 'orders'>,
  { workspaceId, environment }: Pick<Order, 'workspaceId' | 'environment'>,
  { certificateId }: OrderRequest,
): Promise<OrderContent['renewed']> {
  if (certificateId === undefined) return undefined
  const states = ['placed'] as const
  const placed = await orders.list({ workspaceId, environment, certificateId, states, limit: CONSIDERED })
  return placed
    .map(({ content: { request, names, renewed } }) =>
      request.certificateId === undefined
        ? { productId: request.productId, product: names.product }
        : renewed,
    )
    .find((known) => known?.productId !== undefined)
}

/** Throws UserError when the rules on content deny an order. */
export function refuseDenied({ denied }: PolicyFor): void {
  if (denied === undefined) return
  throw new UserError(
    `The rules for orders here deny this one: “${denied}” Nothing was ordered. An admin sees and changes the rules with /cert-order policy.`,
  )
}

/** Throws UserError when the rules do not let this person ask for an order, or Slack cannot say whether they do. */
export async function refuseIfMayNotOrder(
  parts: RuleParts,
  who: Pick<Who, 'workspaceId' | 'userId' | 'hasRoleOrThrow'>,
): Promise<OrderPolicy> {
  const policy = await policyOf(parts, who.workspaceId)
  if (policy.requesters === 'viewer' || (await who.hasRoleOrThrow(who.userId, policy.requesters)))
    return policy
  throw new UserError(
    `Here, orders are asked for by people with the role ${policy.requesters}, which you do not have.`,
    [{ label: 'Request access', line: `/hc access-request ${policy.requesters}` }],
  )
}

/** Throws UserError while nobody has said what of the orders is newer than the backup that the database came out of. */
export async function refuseWhileRestored({ settings }: Pick<RuleParts, 'settings'>): Promise<void> {
  const restored = await settings.get(WHOLE_STORE, RESTORED)
  if (isUnconfirmed(restored)) throw orderingStopped(restored.madeAt)
}

/** The earlier approvers who may still approve, and the person who asks. Throws UserError when Slack cannot say. */
export async function holdersOf(who: Who, { content }: Order): Promise<ReadonlySet<string>> {
  const others = content.approvals.map(({ by }) => by).filter((by) => by !== who.userId)
  const areApprovers = await Promise.all(others.map((by) => who.hasRoleOrThrow(by, 'approver')))
  return new Set([who.userId, ...others.filter((_, index) => areApprovers[index])])
}

/** The order as it would be after the step. Throws UserError when that does not fit the order as it is now. */
export async function check(
  parts: RuleParts,
  who: Who,
  order: Order,
  kind: 'approve' | 'reject' | 'resolve',
): Promise<Order> {
  if (kind === 'approve') await refuseWhileRestored(parts)
  const by = who.userId
  const steps = {
    approve: async () => ({ kind, by, hash: order.bodyHash, holders: await holdersOf(who, order) }),
    reject: async () => ({ kind, by, reason: '' }),
    // How they know is asked for in the window.
    resolve: async () => ({ kind, by, outcome: { kind: 'failed', why: '', said: [], by, how: 'later' } }),
  }
  // Each of the three builds the step of its own kind.
  const made = transition(
    order,
    (await steps[kind]()) as OrderStep,
    await rulesOf(parts, who.workspaceId, ruledOf(order)),
  )
  if ('refusal' in made) throw refusalOf(order, made.refusal)
  if (kind === 'approve') await refuseSecond(parts.orders, order)
  return made.next
}
