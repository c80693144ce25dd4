import { DAY_MS } from '@signalman/runtime'
import { guessEnd } from './durations.ts'
import { findForeignNames } from './host-names.ts'
import type { Failed, Order, OrderContent, OrderOutcome, Received } from './order.ts'
import { ORDER_TRANSITIONS, type OrderState } from './order-states.ts'
import { mayDecide, type OrderSettings } from './settings.ts'

/** What a person decides about an order. */
export type OrderDecision =
  | ({ kind: 'approve'; by: string; hash: string; domains: readonly string[] } & Own)
  | ({ kind: 'reject'; by: string; reason: string } & Own)
  | { kind: 'withdraw'; by: string }
  /** A person records the unknown outcome of an order. */
  | ({ kind: 'resolve'; by: string; outcome: Received | Failed } & Own)

/** Whether an admin lets approvers decide on their own orders. */
type Own = Pick<OrderSettings, 'allowsOwn'>

/** The steps of an order. Automatic ones have no `by`. */
export type OrderStep =
  | OrderDecision
  | { kind: 'expire' }
  | { kind: 'remind' }
  /** Records the outcome of the order's POST. */
  | { kind: 'answer'; outcome: OrderOutcome }

export type RefusalKind =
  | 'not-waiting'
  | 'own-order'
  | 'changed'
  | 'foreign'
  | 'expired'
  | 'not-yours'
  | 'not-unknown'
  | 'not-due'
  | 'settled'
  | 'under-way'

/** The order after a step, or why the step doesn't apply to its current state. */
type Transition = { next: Order } | { refusal: RefusalKind }

/** The refusal of a step that isn't possible in the order's state. The default is `not-waiting`. */
const WRONG_STATE: Readonly<Partial<Record<OrderStep['kind'], RefusalKind>>> = {
  remind: 'not-due',
  answer: 'settled',
  resolve: 'not-unknown',
}

/** Returns the order after a step. Pure function. Follows ORDER_TRANSITIONS, and checks the other conditions. */
export function transition(order: Order, step: OrderStep, now: Date): Transition {
  const after = ORDER_TRANSITIONS[order.state][step.kind]
  if (!after) return { refusal: WRONG_STATE[step.kind] ?? 'not-waiting' }
  const result = apply(order, step, now)
  if ('next' in result && !after.includes(result.next.state))
    throw new Error(`${step.kind} led from ${order.state} to ${result.next.state}.`)
  return result
}

const hasPassed = (time: string | undefined, now: Date): boolean =>
  time !== undefined && time <= now.toISOString()

function apply(order: Order, step: OrderStep, now: Date): Transition {
  const { content, requesterId } = order
  // An overdue order can't be decided, even if it isn't marked as expired yet.
  if (DECISIONS.includes(step.kind) && hasPassed(content.expiresAt, now)) return { refusal: 'expired' }
  switch (step.kind) {
    case 'approve':
      return approve(order, step, now.toISOString())
    case 'reject':
      if (!mayDecide(order, step.by, step)) return { refusal: 'own-order' }
      return enter(order, 'rejected', { rejection: { by: step.by, reason: step.reason } })
    case 'withdraw':
      if (step.by !== requesterId) return { refusal: 'not-yours' }
      return enter(order, 'withdrawn', {})
    case 'expire':
      return hasPassed(content.expiresAt, now) ? enter(order, 'expired', {}) : { refusal: 'not-due' }
    case 'remind':
      return remind(order, now)
    case 'answer':
      return recordAnswer(order, step.outcome, now)
    case 'resolve':
      return resolve(order, step, now)
  }
}

function approve(
  order: Order,
  { by, hash, domains, allowsOwn }: Extract<OrderStep, { kind: 'approve' }>,
  at: string,
): Transition {
  if (!mayDecide(order, by, { allowsOwn })) return { refusal: 'own-order' }
  if (hash !== order.bodyHash) return { refusal: 'changed' }
  if (findForeignNames(order.content.csr, domains).length > 0) return { refusal: 'foreign' }
  return enter(order, 'submitting', { approval: { by, at, hash } })
}

const DECISIONS: readonly OrderStep['kind'][] = ['approve', 'reject', 'withdraw']

/** The order in a new state, without any reminder or expiry. */
function enter(order: Order, state: OrderState, added: Partial<OrderContent>): { next: Order } {
  const { remindAt: _, ...content } = order.content
  return { next: { ...order, state, content: { ...content, ...added } } }
}

/** A reminder is due once while an order awaits approval, every day while its outcome is unknown, and before a certificate may end. */
function remind(order: Order, now: Date): Transition {
  const { remindAt, ...content } = order.content
  if (!hasPassed(remindAt, now)) return { refusal: 'not-due' }
  return {
    next: order.state === 'unknown' ? remindLater(order, now.getTime() + DAY_MS) : { ...order, content },
  }
}

const remindLater = (order: Order, atMs: number): Order => ({
  ...order,
  content: { ...order.content, remindAt: new Date(atMs).toISOString() },
})

/** When an order's reminder or, after it, its expiry is due. */
export function findDue({ state, content }: Pick<Order, 'state' | 'content'>): Date | undefined {
  const due = content.remindAt ?? (state === 'awaiting' ? content.expiresAt : undefined)
  return due === undefined ? undefined : new Date(due)
}

/** Applies the outcome of the POST, which may arrive late: after the order became unknown, or after someone recorded an outcome. */
function recordAnswer(order: Order, outcome: OrderOutcome, now: Date): Transition {
  const known = order.content.outcome
  if (!known) return applyOutcome(order, outcome, now)
  if (known.kind === 'unknown') {
    // Another unknown outcome matters only if the sending process has ended since, because the order can then be resolved.
    const isNews = outcome.kind !== 'unknown' || (outcome.sender === 'ended' && known.sender !== 'ended')
    return isNews ? applyOutcome(order, outcome, now) : { refusal: 'settled' }
  }
  // The service's own answer is final.
  const hasAnswer = known.answered !== undefined && known.answered.answer !== ''
  if (known.by === undefined || hasAnswer || outcome.kind === 'unknown') return { refusal: 'settled' }
  return applyOutcome(order, { ...outcome, corrects: { by: known.by, said: known.kind } }, now)
}

function resolve(
  order: Order,
  { by, outcome, allowsOwn }: Extract<OrderStep, { kind: 'resolve' }>,
  now: Date,
): Transition {
  if (!mayDecide(order, by, { allowsOwn })) return { refusal: 'own-order' }
  // A request in flight could still place the order, so the person must confirm that there is none.
  if (outcome.kind === 'failed' && !outcome.how && mayBeInFlight(order)) return { refusal: 'under-way' }
  return applyOutcome(order, outcome, now)
}

/** Whether the POST of an order that was sent may still be on its way to the service. */
export const mayBeInFlight = ({ content: { outcome } }: Order): boolean =>
  outcome?.kind === 'unknown' && outcome.sender !== 'ended'

const REMINDS_BEFORE_MS = 30 * DAY_MS

/** Keeps the service's answer and the ID that a person recorded, if the new outcome has none. */
function applyOutcome(order: Order, outcome: OrderOutcome, now: Date): { next: Order } {
  const earlier = order.content.outcome?.answered
  if (outcome.kind === 'unknown')
    return { next: remindLater(enter(order, 'unknown', { outcome }).next, now.getTime() + DAY_MS) }
  if (outcome.kind === 'failed') {
    const { next } = enter(order, 'failed', {
      outcome: { ...outcome, ...(earlier && { answered: earlier }) },
    })
    // Someone may have recorded the time because they thought that the service had the order.
    return { next: { ...next, receivedAt: undefined } }
  }
  const answered = {
    id: outcome.answered.id ?? earlier?.id,
    answer: outcome.answered.answer || (earlier?.answer ?? ''),
  }
  const receivedAt = order.receivedAt ?? now
  const next = { ...enter(order, 'received', { outcome: { ...outcome, answered } }).next, receivedAt }
  const end = guessEnd(order.content.request.duration, receivedAt)
  if (!end) return { next }
  return {
    next: remindLater(next, Math.max(end.getTime() - REMINDS_BEFORE_MS, receivedAt.getTime() + DAY_MS)),
  }
}
