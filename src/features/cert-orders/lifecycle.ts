import type { OrderRequest } from '../../api/orders.ts'
import type { NewOrder } from '../../store/store.ts'
import type { ChangeMade, CsrFacts, Order, OrderContent, OrderOutcome } from './order.ts'
import type { OrderPolicy } from './policy.ts'

/** What the rules are when a step is taken. */
export interface Rules extends Pick<OrderPolicy, 'approvals' | 'direct'> {
  now: Date
}

/** What can happen to an order. `by` is who did it; what has none happens by itself. */
export type OrderStep =
  /** `holders`: who of those that approved before, and of those who do now, may approve today. */
  | { kind: 'approve'; by: string; hash: string; holders: ReadonlySet<string> }
  | {
      kind: 'edit'
      by: string
      /** The body that the editor saw and changed. */
      hash: string
      request: OrderRequest
      names: OrderContent['names']
      nextHash: string
      fields: ChangeMade['fields']
      holders: ReadonlySet<string>
    }
  | { kind: 'reject'; by: string; reason: string }
  | { kind: 'withdraw'; by: string }
  | { kind: 'expire' }
  | { kind: 'remind' }
  /** The outcome of the one POST of this order, as far as it is known. */
  | { kind: 'answer'; outcome: OrderOutcome }
  /** What somebody found out about an order that nobody knew the outcome of. */
  | { kind: 'resolve'; by: string; outcome: Extract<OrderOutcome, { kind: 'placed' | 'failed' }> }

export const REFUSALS = [
  'not-waiting',
  'own-order',
  'approved-already',
  'changed',
  'expired',
  'not-yours',
  'not-unknown',
  'not-due',
  'settled',
] as const
export type RefusalKind = (typeof REFUSALS)[number]

/** The order after a step, or why the step does not apply to it as it stands. */
export type Transition = { next: Order } | { refusal: RefusalKind }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Makes a new order, which waits for approval. */
export function requested(parts: {
  where: Pick<Order, 'workspaceId' | 'enterpriseId' | 'environment'>
  by: string
  request: OrderRequest
  csr: CsrFacts
  names: OrderContent['names']
  bodyHash: string
  policy: OrderPolicy
  now: Date
  follows?: number
}): NewOrder & { content: OrderContent } {
  const { where, by, request, csr, names, bodyHash, policy, now, follows } = parts
  const expiresAt = new Date(now.getTime() + policy.expiryHours * HOUR_MS)
  const remindAt =
    policy.reminderHours > 0 && policy.reminderHours < policy.expiryHours
      ? new Date(now.getTime() + policy.reminderHours * HOUR_MS)
      : undefined
  const content: OrderContent = {
    request,
    csr,
    names,
    expiresAt: expiresAt.toISOString(),
    ...(remindAt && { remindAt: remindAt.toISOString() }),
    approvals: [],
    changes: [],
    ...(follows !== undefined && { follows }),
  }
  return {
    ...where,
    state: 'awaiting',
    requesterId: by,
    certificateId: request.certificateId,
    bodyHash,
    content,
    createdAt: now,
    wakeAt: remindAt ?? expiresAt,
  }
}

/** The one place that says what may follow on what. Pure. */
export function transition(order: Order, step: OrderStep, rules: Rules): Transition {
  switch (step.kind) {
    case 'approve':
      return approve(order, step, rules)
    case 'edit':
      return edit(order, step, rules)
    case 'reject':
      return (
        waiting(order, rules) ?? forOthers(order, step.by, rules) ?? ended(order, 'rejected', step, rules)
      )
    case 'withdraw':
      if (step.by !== order.requesterId) return { refusal: 'not-yours' }
      return waiting(order, rules) ?? ended(order, 'withdrawn', step, rules)
    case 'expire':
      if (order.state !== 'awaiting') return { refusal: 'not-waiting' }
      return isPast(order.content.expiresAt, rules) ? at(order, 'expired') : { refusal: 'not-due' }
    case 'remind':
      return remind(order, rules)
    case 'answer':
      return answer(order, step.outcome, rules)
    case 'resolve':
      if (order.state !== 'unknown') return { refusal: 'not-unknown' }
      return forOthers(order, step.by, rules) ?? settled(order, step.outcome, rules)
  }
}

type Refused = { refusal: RefusalKind } | undefined

const isPast = (time: string | undefined, { now }: Rules): boolean =>
  time !== undefined && time <= now.toISOString()

/** Nothing is decided about an order that is not waiting, or whose time is over though nobody has noticed yet. */
function waiting(order: Order, rules: Rules): Refused {
  if (order.state !== 'awaiting') return { refusal: 'not-waiting' }
  return isPast(order.content.expiresAt, rules) ? { refusal: 'expired' } : undefined
}

/** Four eyes: not by the one who asked for it. */
const forOthers = (order: Order, by: string, { direct }: Rules): Refused =>
  by === order.requesterId && !direct ? { refusal: 'own-order' } : undefined

function approve(order: Order, step: Extract<OrderStep, { kind: 'approve' }>, rules: Rules): Transition {
  const refused = waiting(order, rules) ?? forOthers(order, step.by, rules)
  if (refused) return refused
  if (step.hash !== order.bodyHash) return { refusal: 'changed' }
  // A yes counts while whoever gave it may give it, under the rules of now, and to this very body.
  const standing = order.content.approvals.filter(
    ({ by, hash }) =>
      step.holders.has(by) && hash === order.bodyHash && (rules.direct || by !== order.requesterId),
  )
  if (standing.some(({ by }) => by === step.by)) {
    // The rules may ask for fewer by now than when the others approved: then this press is what sends it.
    return standing.length < rules.approvals
      ? { refusal: 'approved-already' }
      : counted(order, standing, step.by, rules)
  }
  return counted(order, [...standing, approval(step.by, step.hash, rules)], step.by, rules)
}

const approval = (by: string, hash: string, { now }: Rules) => ({ by, at: now.toISOString(), hash })

/** Enough approvals send the order on its way; the POST may leave once this state is on disk. */
function counted(order: Order, approvals: OrderContent['approvals'], by: string, rules: Rules): Transition {
  const content = { ...order.content, approvals }
  if (approvals.length < rules.approvals) return { next: { ...order, content } }
  const submission = { by, at: rules.now.toISOString() }
  return at({ ...order, content: { ...content, submission } }, 'submitting')
}

function edit(order: Order, step: Extract<OrderStep, { kind: 'edit' }>, rules: Rules): Transition {
  const { by, hash, request, names, nextHash, fields, holders } = step
  const refused = waiting(order, rules) ?? forOthers(order, by, rules)
  if (refused) return refused
  if (nextHash === order.bodyHash) return approve(order, { kind: 'approve', by, hash, holders }, rules)
  // The key is the requester's alone to choose: an edited order asks for the same one.
  const isOfKey = request.csr === order.content.request.csr
  if (hash !== order.bodyHash || !isOfKey) return { refusal: 'changed' }
  const made = { by, at: rules.now.toISOString(), fields }
  const edited: Order = {
    ...order,
    bodyHash: nextHash,
    certificateId: request.certificateId,
    content: { ...order.content, request, names, changes: [...order.content.changes, made] },
  }
  // Whoever approved the former body must look again.
  return counted(edited, [approval(by, nextHash, rules)], by, rules)
}

function ended(
  order: Order,
  state: 'rejected' | 'withdrawn',
  step: { by: string; reason?: string },
  { now }: Rules,
): Transition {
  const ending = { by: step.by, at: now.toISOString(), ...(step.reason && { reason: step.reason }) }
  return at({ ...order, content: { ...order.content, ending } }, state)
}

/** A state in which nothing is due by itself. */
const at = (order: Order, state: Order['state']): Transition => ({
  next: { ...order, state, wakeAt: undefined },
})

/** Reminders are due once while an order waits, and every day while its outcome is unknown. */
function remind(order: Order, rules: Rules): Transition {
  const { content } = order
  if (!isPast(content.remindAt, rules)) return { refusal: 'not-due' }
  if (order.state === 'awaiting') {
    if (isPast(content.expiresAt, rules)) return { refusal: 'expired' }
    const { remindAt: _, ...rest } = content
    return { next: { ...order, content: rest, wakeAt: new Date(content.expiresAt) } }
  }
  return order.state === 'unknown' ? { next: openEnded(order, rules) } : { refusal: 'not-due' }
}

function openEnded(order: Order, { now }: Rules): Order {
  const wakeAt = new Date(now.getTime() + DAY_MS)
  return { ...order, state: 'unknown', content: { ...order.content, remindAt: wakeAt.toISOString() }, wakeAt }
}

/** The answer may come late, when the order was given up as unknown, or was already taken for failed by somebody. */
function answer(order: Order, outcome: OrderOutcome, rules: Rules): Transition {
  const was = order.content.outcome
  const isOpen = order.state === 'submitting' || order.state === 'unknown'
  const isCorrected =
    order.state === 'failed' && was?.kind === 'failed' && was.by && outcome.kind === 'placed'
  if (!order.content.submission || !(isOpen || isCorrected)) return { refusal: 'settled' }
  if (outcome.kind === 'unknown' && order.state === 'unknown') return { refusal: 'settled' }
  return settled(order, outcome, rules)
}

function settled(order: Order, outcome: OrderOutcome, rules: Rules): Transition {
  const { remindAt: _, ...rest } = order.content
  const known: Order = { ...order, content: { ...rest, outcome } }
  if (outcome.kind === 'unknown') return { next: openEnded(known, rules) }
  const certificateId = outcome.kind === 'placed' ? outcome.placed.certificateId : undefined
  return at({ ...known, certificateId: certificateId ?? order.certificateId }, outcome.kind)
}
