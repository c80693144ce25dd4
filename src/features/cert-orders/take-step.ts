import type { Environment } from '../../domain/environment.ts'
import { UserError } from '../../errors.ts'
import { policyFor, ruledOf } from './decide-by-rules.ts'
import { type OrderStep, type Transition, transition } from './lifecycle.ts'
import { requested } from './new-order.ts'
import { hashOf, type Order, type OrderContent } from './order.ts'
import {
  admit,
  need,
  type RuleParts,
  refuseDenied,
  refuseWhileRestored,
  rulesOf,
  type Who,
} from './order-rules.ts'
import { refusalOf } from './refusals.ts'

/** An order as it was filled in. */
export interface Wish extends Pick<OrderContent, 'request' | 'csr' | 'names'> {
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
export async function takeStep(
  parts: RuleParts,
  who: Who,
  number: number,
  { kind, of }: { kind: OrderDecision['kind']; of: (order: Order) => Promise<OrderDecision> },
): Promise<Order> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const order = await need(parts, who.workspaceId, number)
    if (await isTaken(parts, who, order, kind)) return order
    if (kind === 'approve' || kind === 'edit') await refuseWhileRestored(parts)
    const step = await of(order)
    // Of an edited order, what it then is.
    const content =
      step.kind === 'edit' ? { ...order.content, request: step.request, names: step.names } : order.content
    const rules = await rulesOf(parts, who.workspaceId, { ...content, environment: order.environment })
    const next = nextOf(order, transition(order, step, rules))
    const { userId, reference } = who
    const moved = await parts.orders.move(next, { kind, at: rules.now, userId, reference })
    if (moved) return moved
  }
  throw new UserError(`Order ${number} is being changed by others right now. Try again in a moment.`)
}

/** Requests an order, once for this act. Throws UserError when the person may not. */
export async function askForOrder(
  parts: RuleParts,
  who: Who,
  { environment, ...wish }: Wish,
): Promise<Order> {
  const policy = await admit(parts, who)
  refuseDenied(policyFor(policy, { environment, ...wish }))
  const api = await who.api(environment)
  const now = await parts.orders.time()
  const { workspaceId, enterpriseId, userId, reference } = who
  const where = { workspaceId, enterpriseId, environment }
  const bodyHash = hashOf(wish.request, api.orders)
  const order = requested({ where, by: userId, ...wish, bodyHash, policy, now })
  return parts.orders.add(order, { kind: 'request', at: now, userId, reference })
}

/**
 * Takes an order of unknown outcome for failed and puts a new one in its place, once for this act. Of two at once, one does
 * it. `how`: in the person's words, how they know that nothing is under way.
 */
export async function replaceOrder(parts: RuleParts, who: Who, number: number, how?: string): Promise<Order> {
  const { orders } = parts
  const { workspaceId, userId, reference } = who
  const made = await orders.findAsked(workspaceId, reference)
  if (made) return made
  await refuseWhileRestored(parts)
  const order = await need(parts, workspaceId, number)
  // Asked for first, as before every step that may send.
  await who.api(order.environment)
  const policy = await rulesOf(parts, workspaceId, ruledOf(order))
  const { now } = policy
  const outcome = { kind: 'failed' as const, why: NOT_THERE, said: [], by: userId, ...(how && { how }) }
  const next = nextOf(order, transition(order, { kind: 'resolve', by: userId, outcome }, policy))
  // The same state with the same parts, and one more: hence of this type.
  const replacedBy = (followedBy: number) => ({ ...next, content: { ...next.content, followedBy } }) as Order
  const { enterpriseId, environment, requesterId, bodyHash, content } = order
  const where = { workspaceId, enterpriseId, environment }
  const asked = { by: requesterId, ...content, bodyHash, policy, now, follows: number }
  const event = { kind: 'again', at: now, userId, reference }
  const replaced = await orders.replace(replacedBy, event, requested({ where, ...asked }))
  if (!replaced) throw refusalOf(await need(parts, workspaceId, number), 'not-unknown')
  return replaced
}

function nextOf(order: Order, made: Transition): Order {
  if ('refusal' in made) throw refusalOf(order, made.refusal)
  return made.next
}

const NOT_THERE = 'Somebody looked at the service and found that it does not have the order.'
