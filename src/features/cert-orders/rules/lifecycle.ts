import { DAY_MS } from '@signalman/runtime'
import type { Judgment } from './judge.ts'
import {
  type Failed,
  hasRequested,
  type Order,
  type OrderContent,
  type OrderInState,
  type OrderOutcome,
  type Received,
} from './order.ts'
import { isStepPossible, type StateAfter, type StateBefore } from './order-states.ts'
import type { OrderPolicy } from './policy.ts'

/** The policy's current judgment of the order, and the time of the step. */
export interface Rules extends Pick<OrderPolicy, 'direct'> {
  judgment: Judgment
  now: Date
  /** The fingerprint of the sent orders that are related now: see `fingerprintRelated`. */
  saw: string
}

/** What happens whatever the policy says. */
type TimeRules = Pick<Rules, 'now'>

/** The steps of an order. `by` is the person who took the step; automatic steps have none. */
export type OrderStep =
  /** `eligibleApprovers`: everyone who has approved the order or is doing so now, without those who no longer may. */
  | { kind: 'approve'; by: string; hash: string; saw: string; eligibleApprovers: ReadonlySet<string> }
  | { kind: 'reject'; by: string; reason: string }
  | { kind: 'withdraw'; by: string }
  /** Makes someone else the requester. */
  | { kind: 'hand-over'; by: string; from: string; to: string }
  | { kind: 'expire' }
  | { kind: 'remind' }
  /** Returns an unsent order to waiting for approval: it now needs more approvals, or the policy no longer allows it. */
  | { kind: 'hold' }
  /** Records the outcome of the order's POST. */
  | { kind: 'answer'; outcome: OrderOutcome }
  /** A person records the outcome of an order: an unknown one, or that one failed that the service had given an ID. */
  | { kind: 'resolve'; by: string; outcome: Received | Failed }

/** The steps that don't depend on the policy. */
type AutomaticStep = Extract<OrderStep, { kind: 'answer' | 'expire' | 'remind' }>

export type RefusalKind =
  | 'not-waiting'
  | 'own-order'
  | 'approved-already'
  | 'changed'
  | 'related'
  | 'blocked'
  | 'expired'
  | 'not-yours'
  | 'not-theirs'
  | 'not-unknown'
  | 'not-due'
  | 'settled'
  | 'under-way'

/** The order after a step, or why the step doesn't apply to its current state. */
export type Transition = { next: Order } | { refusal: RefusalKind }

type StepKind = OrderStep['kind']
type StepResult<Step extends StepKind> = { next: OrderInState<StateAfter<Step>> } | { refusal: RefusalKind }

/** What each step does. Typed by ORDER_TRANSITIONS, so a step can't lead to a state that the table doesn't list. */
const STEPS: {
  readonly [Step in StepKind]: (
    order: OrderInState<StateBefore<Step>>,
    step: Extract<OrderStep, { kind: Step }>,
    rules: Step extends AutomaticStep['kind'] ? TimeRules : Rules,
  ) => StepResult<Step>
} = {
  approve,
  hold: returnToWaiting,
  reject: (order, step, rules) =>
    refuseOverdue(order, rules) ??
    refuseOwnOrder(order, step.by, rules) ?? {
      next: enterState(order, 'rejected', { ending: toEnding(step, rules) }),
    },
  withdraw: (order, step, rules) =>
    refuseOverdue(order, rules) ?? {
      next: enterState(order, 'withdrawn', { ending: toEnding(step, rules) }),
    },
  'hand-over': handOver,
  expire: (order, _, rules) =>
    hasPassed(order.content.expiresAt, rules)
      ? { next: enterState(order, 'expired', {}) }
      : { refusal: 'not-due' },
  remind,
  answer: recordAnswer,
  resolve,
}

/** The refusal of a step that isn't possible in the order's state. The default is `not-waiting`. */
const WRONG_STATE: Readonly<Partial<Record<StepKind, RefusalKind>>> = {
  remind: 'not-due',
  answer: 'settled',
  resolve: 'not-unknown',
}

/**
 * Returns the order after a step. Pure function. rules/order-states.ts says which steps are possible in which state; this file
 * checks the other conditions.
 */
export function transition(order: Order, step: AutomaticStep, rules: TimeRules): Transition
export function transition(order: Order, step: OrderStep, rules: Rules): Transition
export function transition(order: Order, step: OrderStep, rules: TimeRules): Transition {
  if (!isStepPossible(order, step.kind)) return { refusal: WRONG_STATE[step.kind] ?? 'not-waiting' }
  if (step.kind === 'withdraw' && step.by !== order.requesterId) return { refusal: 'not-yours' }
  // Cast, because TypeScript can't see that STEPS[step.kind] accepts this kind of step.
  const apply = STEPS[step.kind] as (order: Order, step: OrderStep, rules: TimeRules) => Transition
  return apply(order, step, rules)
}

type MaybeRefusal = { refusal: RefusalKind } | undefined

const hasPassed = (time: string | undefined, { now }: TimeRules): boolean =>
  time !== undefined && time <= now.toISOString()

/** An overdue order can't be decided, even if it isn't marked as expired yet. */
const refuseOverdue = ({ content }: Order, rules: TimeRules): MaybeRefusal =>
  hasPassed(content.expiresAt, rules) ? { refusal: 'expired' } : undefined

/** Unless the policy is `direct`, neither the requester nor any former requester can decide on the order. */
const refuseOwnOrder = (order: Order, by: string, { direct }: Rules): MaybeRefusal =>
  !direct && hasRequested(order, by) ? { refusal: 'own-order' } : undefined

/** The new owner becomes a requester, so their approval no longer counts unless the policy allows it. */
function handOver(
  order: OrderInState<'awaiting' | 'unknown'>,
  { from, to }: Extract<OrderStep, { kind: 'hand-over' }>,
  { direct }: Rules,
): StepResult<'hand-over'> {
  if (order.requesterId !== from || from === to) return { refusal: 'not-theirs' }
  const requestedBefore = [...new Set([...(order.content.requestedBefore ?? []), from])]
  if (order.state === 'unknown')
    return { next: { ...order, requesterId: to, content: { ...order.content, requestedBefore } } }
  const { content } = order
  const approvals = direct ? content.approvals : content.approvals.filter(({ by }) => by !== to)
  return { next: { ...order, requesterId: to, content: { ...content, requestedBefore, approvals } } }
}

type AwaitingOrder = OrderInState<'awaiting'>
type ApproveResult = StepResult<'approve'>

function approve(
  order: AwaitingOrder,
  step: Extract<OrderStep, { kind: 'approve' }>,
  rules: Rules,
): ApproveResult {
  const refused = refuseOverdue(order, rules) ?? refuseOwnOrder(order, step.by, rules)
  if (refused) return refused
  if (step.hash !== order.bodyHash) return { refusal: 'changed' }
  if (step.saw !== rules.saw) return { refusal: 'related' }
  const { judgment, now } = rules
  // It waits, because the policy may change again.
  if (judgment.decision === 'deny') return { refusal: 'blocked' }
  const validApprovals = listValidApprovals(order, rules).filter(({ by }) => step.eligibleApprovers.has(by))
  if (validApprovals.some(({ by }) => by === step.by)) {
    // If the policy now requires fewer approvals, the existing ones may be enough to send the order.
    return validApprovals.length < judgment.approvals
      ? { refusal: 'approved-already' }
      : withApprovals(order, validApprovals, step.by, judgment.approvals, rules)
  }
  const approval = { by: step.by, at: now.toISOString(), hash: step.hash, saw: step.saw }
  return withApprovals(order, [...validApprovals, approval], step.by, judgment.approvals, rules)
}

/** An approval counts only for exactly this body, next to the related orders of now. */
const listValidApprovals = (order: Order, { direct, saw }: Pick<Rules, 'direct' | 'saw'>) =>
  order.content.approvals.filter(
    (approval) =>
      approval.hash === order.bodyHash &&
      approval.saw === saw &&
      (direct || !hasRequested(order, approval.by)),
  )

/**
 * The order with these approvals. If there are enough, it moves on to submission: the POST may be sent once that state is stored.
 */
function withApprovals(
  order: AwaitingOrder,
  approvals: OrderContent['approvals'],
  by: string,
  needed: number,
  { now }: TimeRules,
): ApproveResult {
  const content = { ...order.content, approvals }
  if (approvals.length < needed) return { next: { ...order, content } }
  const { heldBecause: _, ...rest } = content
  const submission = { by, at: now.toISOString() }
  return { next: enterState({ ...order, content: rest }, 'submitting', { submission }) }
}

const RELATED_CHANGED =
  'Since it was approved, another order for its key or its names was sent, or ended. Approvals given before that don’t count.'

/** Returns the order to waiting for approval, and keeps the approvals that still count. */
function returnToWaiting(
  order: OrderInState<'submitting'>,
  _: unknown,
  { judgment, saw }: Rules,
): StepResult<'hold'> {
  const { submission: __, ...rest } = order.content
  const approvals = rest.approvals.filter((approval) => approval.saw === saw)
  if (judgment.decision === 'allow' && approvals.length >= judgment.approvals) return { refusal: 'settled' }
  const heldBecause = [
    ...judgment.reasons,
    ...(approvals.length < rest.approvals.length ? [RELATED_CHANGED] : []),
  ].join(' ')
  const content = { ...rest, approvals, ...(heldBecause && { heldBecause }) }
  return { next: { ...order, state: 'awaiting', wakeAt: new Date(rest.expiresAt), content } }
}

const toEnding = ({ by, reason }: { by: string; reason?: string }, { now }: TimeRules) => ({
  by,
  at: now.toISOString(),
  ...(reason && { reason }),
})

/** The order in a new state, with the content that the state requires and without any reminder or expiry. */
function enterState<State extends Order['state'], Content extends Partial<OrderContent>>(
  order: Order,
  state: State,
  newContent: Content,
) {
  const { remindAt: _, ...content } = order.content
  return { ...order, state, wakeAt: undefined, content: { ...content, ...newContent } }
}

/** A reminder is due once while an order awaits approval, and every day while its outcome is unknown. */
function remind(
  order: OrderInState<'awaiting' | 'unknown'>,
  _: unknown,
  rules: TimeRules,
): StepResult<'remind'> {
  if (!hasPassed(order.content.remindAt, rules)) return { refusal: 'not-due' }
  if (order.state === 'unknown') return { next: remindTomorrow(order, rules) }
  if (hasPassed(order.content.expiresAt, rules)) return { refusal: 'expired' }
  const { remindAt: __, ...rest } = order.content
  return { next: { ...order, content: rest, wakeAt: new Date(rest.expiresAt) } }
}

function remindTomorrow(order: OrderInState<'unknown'>, { now }: TimeRules): OrderInState<'unknown'> {
  const wakeAt = new Date(now.getTime() + DAY_MS)
  return { ...order, content: { ...order.content, remindAt: wakeAt.toISOString() }, wakeAt }
}

/** An order that has been sent, or may have been. */
type SentOrder = OrderInState<'submitting' | 'unknown' | 'received' | 'failed'>

/**
 * Applies the outcome of the POST, which may arrive late: after the order became unknown, or after someone recorded an outcome.
 */
function recordAnswer(
  order: SentOrder,
  { outcome }: Extract<OrderStep, { kind: 'answer' }>,
  rules: TimeRules,
): StepResult<'answer'> {
  const senderHasEnded = outcome.kind === 'unknown' && outcome.sender === 'ended'
  switch (order.state) {
    case 'submitting':
      return applyOutcome(order, outcome, rules)
    case 'unknown':
      // Another unknown outcome matters only if the sending process has ended since, because the order can then be resolved.
      if (outcome.kind !== 'unknown' || (senderHasEnded && order.content.outcome.sender !== 'ended'))
        return applyOutcome(order, outcome, rules)
      return { refusal: 'settled' }
    case 'received':
    case 'failed': {
      const { by, kind: said } = order.content.outcome
      // The service's own answer is final, also where a person recorded afterwards how the order ended.
      if (by === undefined || hasAnswer(order.content.outcome) || outcome.kind === 'unknown')
        return { refusal: 'settled' }
      return applyOutcome(order, { ...outcome, corrects: { by, said } }, rules)
    }
  }
}

const hasAnswer = ({ answered }: OrderOutcome): boolean => answered !== undefined && answered.answer !== ''

function resolve(
  order: OrderInState<'unknown' | 'received'>,
  { by, outcome }: Extract<OrderStep, { kind: 'resolve' }>,
  rules: Rules,
): StepResult<'resolve'> {
  const refused = refuseOwnOrder(order, by, rules)
  if (refused) return refused
  // A request in flight could still place the order, so the person must confirm that there is none.
  if (outcome.kind === 'failed' && !outcome.how && mayBeInFlight(order)) return { refusal: 'under-way' }
  if (outcome.kind === 'received')
    return order.state === 'unknown' ? toReceivedOrder(order, outcome, rules) : { refusal: 'not-unknown' }
  return toFailedOrder(order, outcome)
}

/** Whether the order's POST may still be on its way to the service. */
export const mayBeInFlight = (order: Order): boolean =>
  order.state === 'submitting' || (order.state === 'unknown' && order.content.outcome.sender !== 'ended')

function applyOutcome(order: SentOrder, outcome: OrderOutcome, rules: TimeRules): StepResult<'answer'> {
  if (outcome.kind === 'received') return toReceivedOrder(order, outcome, rules)
  if (outcome.kind === 'failed') return toFailedOrder(order, outcome)
  const { submission } = order.content
  return { next: remindTomorrow(enterState(order, 'unknown', { submission, outcome }), rules) }
}

/** Keeps the service's answer and the ID that a person recorded, if the new outcome has none. */
function toReceivedOrder(
  order: SentOrder,
  outcome: Received,
  { now }: TimeRules,
): { next: OrderInState<'received'> } {
  const { submission, outcome: previous } = order.content
  const answered = {
    id: outcome.answered.id ?? previous?.answered?.id,
    answer: outcome.answered.answer || (previous?.answered?.answer ?? ''),
  }
  return {
    next: {
      ...enterState(order, 'received', { submission, outcome: { ...outcome, answered } }),
      receivedAt: order.receivedAt ?? now,
    },
  }
}

function toFailedOrder(order: SentOrder, outcome: Failed): { next: OrderInState<'failed'> } {
  const { submission, outcome: previous } = order.content
  const answered = outcome.answered ?? previous?.answered
  const next: Failed = { ...outcome, ...(answered && { answered }) }
  // Someone may have recorded the time because they thought that the service had the order.
  return { next: { ...enterState(order, 'failed', { submission, outcome: next }), receivedAt: undefined } }
}
