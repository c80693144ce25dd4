import { DAY_MS } from '@signalman/runtime'
import type { Judgement } from './judge.ts'
import {
  type Failed,
  hasRequested,
  type Order,
  type OrderContent,
  type OrderIn,
  type OrderOutcome,
  type Placed,
} from './order.ts'
import { canTake, type StateAfter, type StateBefore } from './order-states.ts'
import type { OrderPolicy } from './policy.ts'

/** What the policy says of an order when a step is taken. */
export interface Rules extends Pick<OrderPolicy, 'direct'> {
  judgement: Judgement
  now: Date
}

/** What can happen to an order. `by` is who did it; a step without `by` happens by itself. */
export type OrderStep =
  /** `holders`: who of those that approved before, and of those who do now, may approve today. */
  | { kind: 'approve'; by: string; hash: string; holders: ReadonlySet<string> }
  | { kind: 'reject'; by: string; reason: string }
  | { kind: 'withdraw'; by: string }
  /** Somebody else is its requester from now on. */
  | { kind: 'hand-over'; by: string; from: string; to: string }
  | { kind: 'expire' }
  | { kind: 'remind' }
  /** It needs more approvals than it has, and nothing of it was sent. */
  | { kind: 'hold' }
  /** The outcome of the one POST of this order, as far as it is known. */
  | { kind: 'answer'; outcome: OrderOutcome }
  /** The outcome that a person recorded for an order whose outcome was unknown. */
  | { kind: 'resolve'; by: string; outcome: Placed | Failed }

export type RefusalKind =
  | 'not-waiting'
  | 'own-order'
  | 'approved-already'
  | 'changed'
  | 'expired'
  | 'not-yours'
  | 'not-theirs'
  | 'not-unknown'
  | 'not-due'
  | 'settled'
  | 'under-way'

/** The order after a step, or why the step doesn't apply to its current state. */
export type Transition = { next: Order } | { refusal: RefusalKind }

type Kind = OrderStep['kind']
type StepResult<Step extends Kind> = { next: OrderIn<StateAfter<Step>> } | { refusal: RefusalKind }

/** Each step, from the states and to the states that the table of order states names for it: the types hold it to that. */
const STEPS: {
  readonly [Step in Kind]: (
    order: OrderIn<StateBefore<Step>>,
    step: Extract<OrderStep, { kind: Step }>,
    rules: Rules,
  ) => StepResult<Step>
} = {
  approve,
  hold,
  reject: (order, step, rules) =>
    refuseOverdue(order, rules) ??
    refuseOwnOrder(order, step.by, rules) ?? {
      next: withoutTimer(order, 'rejected', { ending: toEnding(step, rules) }),
    },
  withdraw: (order, step, rules) =>
    refuseOverdue(order, rules) ?? {
      next: withoutTimer(order, 'withdrawn', { ending: toEnding(step, rules) }),
    },
  'hand-over': handOver,
  expire: (order, _, rules) =>
    isPast(order.content.expiresAt, rules)
      ? { next: withoutTimer(order, 'expired', {}) }
      : { refusal: 'not-due' },
  remind: (order, _, rules) => remind(order, rules),
  answer: (order, { outcome }, rules) => answer(order, outcome, rules),
  resolve,
}

/** What is said of a step that the order's state does not take; of all others, that it is not waiting. */
const OUT_OF_PLACE: Readonly<Partial<Record<Kind, RefusalKind>>> = {
  remind: 'not-due',
  answer: 'settled',
  resolve: 'not-unknown',
}

/** The order after a step. Pure. Which state may follow on which stands in rules/order-states.ts; under which conditions, here. */
export function transition(order: Order, step: OrderStep, rules: Rules): Transition {
  if (!canTake(order, step.kind)) return { refusal: OUT_OF_PLACE[step.kind] ?? 'not-waiting' }
  if (step.kind === 'withdraw' && step.by !== order.requesterId) return { refusal: 'not-yours' }
  // TypeScript cannot see that the step found by its kind is the one that takes this kind, in a state that it takes.
  const apply = STEPS[step.kind] as (order: Order, step: OrderStep, rules: Rules) => Transition
  return apply(order, step, rules)
}

type Refused = { refusal: RefusalKind } | undefined

const isPast = (time: string | undefined, { now }: Rules): boolean =>
  time !== undefined && time <= now.toISOString()

/** An order past its time can't be decided on, even before it's marked as expired. */
const refuseOverdue = ({ content }: Order, rules: Rules): Refused =>
  isPast(content.expiresAt, rules) ? { refusal: 'expired' } : undefined

/** The requester can't approve their own order, and neither can anybody who had requested it before. */
const refuseOwnOrder = (order: Order, by: string, { direct }: Rules): Refused =>
  !direct && hasRequested(order, by) ? { refusal: 'own-order' } : undefined

/** Whoever gets it has requested it from now on, so that their own approval no longer counts. */
function handOver(
  order: OrderIn<'awaiting' | 'unknown'>,
  { from, to }: Extract<OrderStep, { kind: 'hand-over' }>,
  { direct }: Rules,
): StepResult<'hand-over'> {
  if (order.requesterId !== from || from === to) return { refusal: 'not-theirs' }
  const { requestedBefore = [], approvals } = order.content
  const handedOver = {
    requestedBefore: [...new Set([...requestedBefore, from])],
    approvals: order.state === 'awaiting' && !direct ? approvals.filter(({ by }) => by !== to) : approvals,
  }
  return order.state === 'awaiting'
    ? { next: { ...order, requesterId: to, content: { ...order.content, ...handedOver } } }
    : { next: { ...order, requesterId: to, content: { ...order.content, ...handedOver } } }
}

type Waiting = OrderIn<'awaiting'>
type Decided = StepResult<'approve'>

function approve(order: Waiting, step: Extract<OrderStep, { kind: 'approve' }>, rules: Rules): Decided {
  const refused = refuseOverdue(order, rules) ?? refuseOwnOrder(order, step.by, rules)
  if (refused) return refused
  if (step.hash !== order.bodyHash) return { refusal: 'changed' }
  const { judgement, now } = rules
  if (judgement.is === 'deny') {
    const reason = judgement.because.join(' ')
    return { next: withoutTimer(order, 'rejected', { ending: { at: now.toISOString(), reason } }) }
  }
  // An approval counts only while its author may approve, under the current policy, and for exactly this body.
  const validApprovals = order.content.approvals.filter(
    ({ by, hash }) =>
      step.holders.has(by) && hash === order.bodyHash && (rules.direct || !hasRequested(order, by)),
  )
  if (validApprovals.some(({ by }) => by === step.by)) {
    // The rules may ask for fewer approvals than when the others approved: then this approval sends the order.
    return validApprovals.length < judgement.approvals
      ? { refusal: 'approved-already' }
      : withApprovals(order, validApprovals, step.by, judgement.approvals, rules)
  }
  const given = { by: step.by, at: now.toISOString(), hash: step.hash }
  return withApprovals(order, [...validApprovals, given], step.by, judgement.approvals, rules)
}

/** The order with these approvals. Enough of them send it on its way: the POST may leave once that state is on disk. */
function withApprovals(
  order: Waiting,
  approvals: OrderContent['approvals'],
  by: string,
  needed: number,
  { now }: Rules,
): Decided {
  const content = { ...order.content, approvals }
  if (approvals.length < needed) return { next: { ...order, content } }
  const { heldBecause: _, ...rest } = content
  const submission = { by, at: now.toISOString() }
  return { next: withoutTimer({ ...order, content: rest }, 'submitting', { submission }) }
}

/** Back to waiting, with the approvals that it has. */
function hold(order: OrderIn<'submitting'>, _: unknown, { judgement }: Rules): StepResult<'hold'> {
  const { approvals, submission: __, ...rest } = order.content
  if (judgement.is === 'deny' || approvals.length >= judgement.approvals) return { refusal: 'settled' }
  const heldBecause = judgement.because.join(' ')
  const content = { ...rest, approvals, ...(heldBecause && { heldBecause }) }
  return { next: { ...order, state: 'awaiting', wakeAt: new Date(rest.expiresAt), content } }
}

const toEnding = ({ by, reason }: { by: string; reason?: string }, { now }: Rules) => ({
  by,
  at: now.toISOString(),
  ...(reason && { reason }),
})

/** The order in a state in which nothing is due by itself, neither a reminder nor an end, with the content that the state asks for. */
function withoutTimer<State extends Order['state'], Parts extends Partial<OrderContent>>(
  order: Order,
  state: State,
  parts: Parts,
) {
  const { remindAt: _, ...content } = order.content
  return { ...order, state, wakeAt: undefined, content: { ...content, ...parts } }
}

/** Reminders are due once while an order waits, and every day while its outcome is unknown. */
function remind(order: OrderIn<'awaiting' | 'unknown'>, rules: Rules): StepResult<'remind'> {
  if (!isPast(order.content.remindAt, rules)) return { refusal: 'not-due' }
  if (order.state === 'unknown') return { next: remindTomorrow(order, rules) }
  if (isPast(order.content.expiresAt, rules)) return { refusal: 'expired' }
  const { remindAt: _, ...rest } = order.content
  return { next: { ...order, content: rest, wakeAt: new Date(rest.expiresAt) } }
}

/** While the outcome is unknown, a reminder is due every day. */
function remindTomorrow(order: OrderIn<'unknown'>, { now }: Rules): OrderIn<'unknown'> {
  const wakeAt = new Date(now.getTime() + DAY_MS)
  return { ...order, content: { ...order.content, remindAt: wakeAt.toISOString() }, wakeAt }
}

/** An order that has been sent, or may have been. */
type Sent = OrderIn<'submitting' | 'unknown' | 'placed' | 'failed'>

/** Takes the outcome of the POST, which may come late: after the order became unknown, or after somebody said what became of it. */
function answer(order: Sent, outcome: OrderOutcome, rules: Rules): StepResult<'answer'> {
  const senderHasEnded = outcome.kind === 'unknown' && outcome.sender === 'ended'
  switch (order.state) {
    case 'submitting':
      return settled(order, outcome, rules)
    case 'unknown':
      // That its sender has come to an end after all lets people go on; else nothing new was said.
      if (outcome.kind !== 'unknown' || (senderHasEnded && order.content.outcome.sender !== 'ended'))
        return settled(order, outcome, rules)
      return { refusal: 'settled' }
    case 'placed':
    case 'failed': {
      const { by, kind: said } = order.content.outcome
      // The service's own answer is final.
      if (by === undefined || outcome.kind === 'unknown') return { refusal: 'settled' }
      return settled(order, { ...outcome, corrects: { by, said } }, rules)
    }
  }
}

function resolve(
  order: OrderIn<'unknown'>,
  { by, outcome }: Extract<OrderStep, { kind: 'resolve' }>,
  rules: Rules,
): StepResult<'resolve'> {
  const refused = refuseOwnOrder(order, by, rules)
  if (refused) return refused
  // A request that is still under way could place it after all: somebody has to answer for it that no request is.
  if (outcome.kind === 'failed' && !outcome.how && mayBeUnderWay(order)) return { refusal: 'under-way' }
  return outcome.kind === 'placed' ? placed(order, outcome, rules) : failed(order, outcome)
}

/** Whether the one POST of the order might still be on its way to the service. */
export const mayBeUnderWay = (order: Order): boolean =>
  order.state === 'submitting' || (order.state === 'unknown' && order.content.outcome.sender !== 'ended')

function settled(order: Sent, outcome: OrderOutcome, rules: Rules): StepResult<'answer'> {
  if (outcome.kind === 'placed') return placed(order, outcome, rules)
  if (outcome.kind === 'failed') return failed(order, outcome)
  const { submission } = order.content
  return { next: remindTomorrow(withoutTimer(order, 'unknown', { submission, outcome }), rules) }
}

/** Uses the IDs that a person found where the answer has none. */
function placed(order: Sent, outcome: Placed, { now }: Rules): { next: OrderIn<'placed'> } {
  const { submission, outcome: before } = order.content
  const known = before?.kind === 'placed' ? before : undefined
  const { id = known?.placed.id, certificateId = known?.placed.certificateId } = outcome.placed
  const next: Placed = { ...outcome, placed: { ...outcome.placed, id, certificateId } }
  return {
    next: {
      ...withoutTimer(order, 'placed', { submission, outcome: next }),
      certificateId,
      placedAt: order.placedAt ?? now,
      validUntil: outcome.validUntil === undefined ? undefined : new Date(outcome.validUntil),
    },
  }
}

function failed(order: Sent, outcome: Failed): { next: OrderIn<'failed'> } {
  const { submission } = order.content
  // Somebody may have named a certificate when they took it for placed.
  const none = { certificateId: undefined, placedAt: undefined, validUntil: undefined }
  return { next: { ...withoutTimer(order, 'failed', { submission, outcome }), ...none } }
}
