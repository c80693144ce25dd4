import { UserError } from '@signalman/runtime'
import type { Environment } from '../../domain/environment.ts'
import { type OrderStep, type Transition, transition } from './lifecycle.ts'
import type { Order, OrderContent } from './order.ts'
import { refusalOf } from './refusals.ts'
import { orderOrThrow, type RuleParts, refuseWhileRestored, rulesOf, type Who } from './rules/order-rules.ts'

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
