/** Every state of a certificate order. An unsubmitted form isn't an order yet. */
export const ORDER_STATES = [
  'awaiting',
  'submitting',
  'received',
  'failed',
  'unknown',
  'rejected',
  'withdrawn',
  'expired',
] as const
export type OrderState = (typeof ORDER_STATES)[number]

/**
 * What every screen calls a state. `name` stands alone, and after `Order 12`, with `verb` before it: `Order 12 was received`.
 * `meaning` is for docs/order-states.md.
 */
export const STATE_TEXTS: Readonly<
  Record<OrderState, { emoji: string; name: string; verb: '' | 'is' | 'was'; meaning: string }>
> = {
  awaiting: {
    emoji: '🟡',
    name: 'Waiting for approval',
    verb: 'is',
    meaning: 'nobody has sent it, and approvers decide',
  },
  submitting: { emoji: '🟠', name: 'Being sent', verb: 'is', meaning: 'its only POST is under way' },
  received: {
    emoji: '📨',
    name: 'Received',
    verb: 'was',
    meaning: 'the service has it. Whether it issues a certificate isn’t known',
  },
  failed: { emoji: '🔴', name: 'Failed', verb: '', meaning: 'the service refused it, or it ended there' },
  // The headline of a card has its own sentence for this state.
  unknown: {
    emoji: '❓',
    name: 'Outcome unknown',
    verb: '',
    meaning: 'nobody knows yet whether the service has it',
  },
  rejected: {
    emoji: '⛔',
    name: 'Rejected',
    verb: 'was',
    meaning: 'an approver or the order policy refused it',
  },
  withdrawn: { emoji: '⚪', name: 'Withdrawn', verb: 'was', meaning: 'the requester took it back' },
  expired: { emoji: '⌛', name: 'Expired', verb: '', meaning: 'nobody decided in time' },
}

/** `was received`, for a sentence about an order. */
export function formatStatePredicate(state: OrderState): string {
  const { verb, name } = STATE_TEXTS[state]
  if (state === 'unknown') return 'has an unknown outcome'
  return [verb, name.toLowerCase()].filter(Boolean).join(' ')
}

/** The states of open orders, which may still be sent or whose outcome is unknown. Only one order per key can be open. */
export const OPEN_ORDER_STATES = [
  'awaiting',
  'submitting',
  'unknown',
] as const satisfies readonly OrderState[]

/** The states of orders that may have led to a certificate, or still may. */
export const RECEIVED_OR_OPEN_STATES = ['received', ...OPEN_ORDER_STATES] as const

/**
 * The state machine of orders: state → step → the possible next states. The steps in rules/lifecycle.ts are typed by it, the
 * database rejects any other transition, and docs/order-states.md is generated from it. `forget` erases an order's personal data
 * after an uninstall, and closes an order that can no longer be approved.
 */
export const ORDER_TRANSITIONS = {
  awaiting: {
    approve: ['awaiting', 'submitting'],
    reject: ['rejected'],
    withdraw: ['withdrawn'],
    expire: ['expired'],
    remind: ['awaiting'],
    'hand-over': ['awaiting'],
    forget: ['withdrawn'],
  },
  // `hold`: the policy or a related order has changed, so that it isn't allowed or needs more approvals.
  submitting: { answer: ['received', 'failed', 'unknown'], hold: ['awaiting'], forget: ['unknown'] },
  unknown: {
    answer: ['received', 'failed', 'unknown'],
    resolve: ['received', 'failed'],
    remind: ['unknown'],
    'hand-over': ['unknown'],
    forget: ['unknown'],
  },
  // A late answer from the service overrides what a person recorded about an unknown outcome.
  failed: { answer: ['received', 'failed'], forget: ['failed'] },
  // A person can record that an order failed although the service gave it an ID.
  received: { answer: ['received', 'failed'], resolve: ['failed'], forget: ['received'] },
  rejected: { forget: ['rejected'] },
  withdrawn: { forget: ['withdrawn'] },
  expired: { forget: ['expired'] },
} as const satisfies Record<OrderState, Readonly<Record<string, readonly OrderState[]>>>

type Transitions = typeof ORDER_TRANSITIONS
type StepsFrom<From extends OrderState> = keyof Transitions[From]
export type OrderStepKind = { [From in OrderState]: StepsFrom<From> }[OrderState]

/** The states in which a step can be taken. */
export type StateBefore<Step extends OrderStepKind> = {
  [From in OrderState]: Step extends StepsFrom<From> ? From : never
}[OrderState]

type NextStates<Step, From extends OrderState> =
  Step extends StepsFrom<From>
    ? Transitions[From][Step] extends readonly OrderState[]
      ? Transitions[From][Step][number]
      : never
    : never

/** The states that a step can lead to. */
export type StateAfter<Step extends OrderStepKind> = {
  [From in OrderState]: NextStates<Step, From>
}[OrderState]

/** One row of docs/order-states.md. */
interface OrderTransition {
  readonly from: OrderState
  readonly step: OrderStepKind
  readonly to: OrderState
}

/** The transitions as rows, in the order of ORDER_TRANSITIONS. */
export const orderTransitionRows: readonly OrderTransition[] = ORDER_STATES.flatMap((from) =>
  Object.entries<readonly OrderState[]>(ORDER_TRANSITIONS[from]).flatMap(([step, after]) =>
    // Cast, because the table's keys are the steps.
    after.map((to) => ({ from, step: step as OrderStepKind, to })),
  ),
)

/** Whether a step is possible in this state. */
export const isStepPossible = <Step extends OrderStepKind>(
  order: { state: OrderState },
  step: Step,
): order is { state: StateBefore<Step> } => step in ORDER_TRANSITIONS[order.state]
