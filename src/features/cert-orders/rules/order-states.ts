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

/** The states of open orders, which may still be sent or whose outcome is unknown. Only one order per key can be open. */
export const OPEN_ORDER_STATES = [
  'awaiting',
  'submitting',
  'unknown',
] as const satisfies readonly OrderState[]

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
    ask: ['awaiting'],
    reply: ['awaiting'],
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
