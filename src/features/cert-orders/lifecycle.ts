import { DAY_MS } from '@signalman/runtime'
import type { ChangeMade, Failed, Order, OrderContent, OrderIn, OrderOutcome, Placed } from './order.ts'
import { canTake, type StateAfter, type StateBefore } from './rules/order-states.ts'
import type { PolicyFor } from './rules/rules.ts'

/** What the rules are when a step is taken. */
export interface Rules extends Pick<PolicyFor, 'approvals' | 'direct' | 'rule' | 'denied'> {
  now: Date
}

/** What can happen to an order. `by` is who did it; a step without `by` happens by itself. */
export type OrderStep =
  /** `holders`: who of those that approved before, and of those who do now, may approve today. */
  | { kind: 'approve'; by: string; hash: string; holders: ReadonlySet<string> }
  /** The rules on content approve it, with nobody else. */
  | { kind: 'allow' }
  | ({
      kind: 'edit'
      by: string
      /** The body that the editor saw and changed. */
      hash: string
      nextHash: string
      fields: ChangeMade['fields']
      holders: ReadonlySet<string>
    } & Pick<OrderContent, 'request' | 'names' | 'renewed'>)
  | { kind: 'reject'; by: string; reason: string }
  | { kind: 'withdraw'; by: string }
  | { kind: 'expire' }
  | { kind: 'remind' }
  /** The outcome of the one POST of this order, as far as it is known. */
  | { kind: 'answer'; outcome: OrderOutcome }
  /** The outcome that somebody found out, of an order whose outcome was unknown. */
  | { kind: 'resolve'; by: string; outcome: Placed | Failed }

export type RefusalKind =
  | 'not-waiting'
  | 'own-order'
  | 'approved-already'
  | 'changed'
  | 'expired'
  | 'not-yours'
  | 'not-unknown'
  | 'not-due'
  | 'settled'
  | 'under-way'
  | 'denied'

/** The order after a step, or why the step does not apply to it as it stands. */
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
  allow,
  edit,
  reject: (order, step, rules) =>
    refuseOverdue(order, rules) ??
    refuseOwnOrder(order, step.by, rules) ?? {
      next: withoutTimer(order, 'rejected', { ending: endingOf(step, rules) }),
    },
  withdraw: (order, step, rules) =>
    refuseOverdue(order, rules) ?? {
      next: withoutTimer(order, 'withdrawn', { ending: endingOf(step, rules) }),
    },
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

/** Nothing is decided about an order whose time is over, though nobody has noticed yet. */
const refuseOverdue = ({ content }: Order, rules: Rules): Refused =>
  isPast(content.expiresAt, rules) ? { refusal: 'expired' } : undefined

/** An order is not approved once its time is over, or where the rules on content deny it. */
const refuseForbidden = (order: Order, rules: Rules): Refused =>
  refuseOverdue(order, rules) ?? (rules.denied === undefined ? undefined : { refusal: 'denied' })

/** Four eyes: not by the one who asked for it. */
const refuseOwnOrder = (order: Order, by: string, { direct }: Rules): Refused =>
  by === order.requesterId && !direct ? { refusal: 'own-order' } : undefined

type Waiting = OrderIn<'awaiting'>
type Decided = StepResult<'approve'>

function approve(order: Waiting, step: Extract<OrderStep, { kind: 'approve' }>, rules: Rules): Decided {
  const refused = refuseForbidden(order, rules) ?? refuseOwnOrder(order, step.by, rules)
  if (refused) return refused
  if (step.hash !== order.bodyHash) return { refusal: 'changed' }
  // A yes counts while whoever gave it may give it, under the rules of now, and to this very body.
  const validApprovals = order.content.approvals.filter(
    ({ by, hash }) =>
      step.holders.has(by) && hash === order.bodyHash && (rules.direct || by !== order.requesterId),
  )
  if (validApprovals.some(({ by }) => by === step.by)) {
    // The rules may ask for fewer approvals than when the others approved: then this approval sends the order.
    return validApprovals.length < neededApprovals({ ...order.content, approvals: validApprovals }, rules)
      ? { refusal: 'approved-already' }
      : withApprovals(order, validApprovals, step.by, rules)
  }
  return withApprovals(order, [...validApprovals, approval(step.by, step.hash, rules)], step.by, rules)
}

const approval = (by: string, hash: string, { now }: Rules) => ({ by, at: now.toISOString(), hash })

/** How many approvals an order needs: where four eyes are wanted, what somebody has changed is approved by somebody else too. */
export function neededApprovals(
  { approvals, changes }: Pick<OrderContent, 'approvals' | 'changes'>,
  rules: Pick<Rules, 'approvals' | 'direct'>,
): number {
  const editor = changes.at(-1)?.by
  const isByEditor = !rules.direct && approvals.some(({ by }) => by === editor)
  return isByEditor ? Math.max(rules.approvals, 2) : rules.approvals
}

/** The order with these approvals. Enough of them send it on its way: the POST may leave once that state is on disk. */
function withApprovals(
  order: Waiting,
  approvals: OrderContent['approvals'],
  by: string,
  rules: Rules,
): Decided {
  const content = { ...order.content, approvals }
  if (approvals.length < neededApprovals(content, rules)) return { next: { ...order, content } }
  return { next: toSubmitting({ ...order, content }, by, rules) }
}

/** The order on its way to the service, with the rule that let it go. */
function toSubmitting(order: Waiting, by: string, { now, rule }: Rules): OrderIn<'submitting'> {
  const submission = { by, at: now.toISOString(), ...(rule && { rule }) }
  return withoutTimer(order, 'submitting', { submission })
}

/** The rules alone approve no order where four eyes are wanted: the requester would order alone. */
function allow(order: Waiting, _: Extract<OrderStep, { kind: 'allow' }>, rules: Rules): StepResult<'allow'> {
  const refused = refuseForbidden(order, rules)
  if (refused) return refused
  if (rules.approvals > 0 || !rules.direct || !rules.rule) return { refusal: 'own-order' }
  return { next: toSubmitting(order, order.requesterId, rules) }
}

function edit(order: Waiting, step: Extract<OrderStep, { kind: 'edit' }>, rules: Rules): Decided {
  const { by, hash, request, names, renewed, nextHash, fields, holders } = step
  const refused = refuseForbidden(order, rules) ?? refuseOwnOrder(order, by, rules)
  if (refused) return refused
  if (nextHash === order.bodyHash) return approve(order, { kind: 'approve', by, hash, holders }, rules)
  // The key is the requester's alone to choose: an edited order asks for the same key.
  const isOfKey = request.csr === order.content.request.csr
  if (hash !== order.bodyHash || !isOfKey) return { refusal: 'changed' }
  const made = { by, at: rules.now.toISOString(), fields }
  const edited: Waiting = {
    ...order,
    bodyHash: nextHash,
    certificateId: request.certificateId,
    content: { ...order.content, request, names, renewed, changes: [...order.content.changes, made] },
  }
  // Whoever approved the former body must look again.
  return withApprovals(edited, [approval(by, nextHash, rules)], by, rules)
}

const endingOf = ({ by, reason }: { by: string; reason?: string }, { now }: Rules) => ({
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

/** The outcome is unknown until somebody finds it out: a reminder is due every day. */
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
      // What the service has said itself stands.
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

/** The ids that somebody found stand where the answer itself names none. */
function placed(order: Sent, outcome: Placed, { now }: Rules): { next: OrderIn<'placed'> } {
  const { submission, outcome: before } = order.content
  const known = before?.kind === 'placed' ? before : undefined
  const { id = known?.placed.id, certificateId = known?.placed.certificateId } = outcome.placed
  const at = known?.at ?? now.toISOString()
  const next: Placed = { ...outcome, at, placed: { ...outcome.placed, id, certificateId } }
  return {
    next: {
      ...withoutTimer(order, 'placed', { submission, outcome: next }),
      certificateId: certificateId ?? order.certificateId,
    },
  }
}

function failed(order: Sent, outcome: Failed): { next: OrderIn<'failed'> } {
  const { submission, request } = order.content
  // The one that somebody named when they took it for placed is none of it.
  const { certificateId } = request
  return { next: { ...withoutTimer(order, 'failed', { submission, outcome }), certificateId } }
}
