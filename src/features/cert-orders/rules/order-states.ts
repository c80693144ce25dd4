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
 */
export const STATE_TEXTS: Readonly<
  Record<OrderState, { emoji: string; name: string; verb: '' | 'is' | 'was' }>
> = {
  awaiting: { emoji: '🟡', name: 'Waiting for approval', verb: 'is' },
  submitting: { emoji: '🟠', name: 'Being sent', verb: 'is' },
  received: { emoji: '📨', name: 'Received', verb: 'was' },
  failed: { emoji: '🔴', name: 'Failed', verb: '' },
  unknown: { emoji: '❓', name: 'Outcome unknown', verb: '' },
  rejected: { emoji: '⛔', name: 'Rejected', verb: 'was' },
  withdrawn: { emoji: '⚪', name: 'Withdrawn', verb: 'was' },
  expired: { emoji: '⌛', name: 'Expired', verb: '' },
}

/** `was rejected`, for a sentence about an order. */
export function formatStatePredicate(state: OrderState): string {
  const { verb, name } = STATE_TEXTS[state]
  if (state === 'received') return 'was received by the service'
  // The headline of a card has its own sentence for this state.
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

export type OrderStepKind = 'approve' | 'reject' | 'withdraw' | 'expire' | 'remind' | 'answer' | 'resolve'

/**
 * The state machine of orders: state → step → the possible next states. `transition` follows it, and docs/order-states.md is generated from it.
 */
export const ORDER_TRANSITIONS: Readonly<
  Record<OrderState, Readonly<Partial<Record<OrderStepKind, readonly OrderState[]>>>>
> = {
  awaiting: {
    approve: ['submitting'],
    reject: ['rejected'],
    withdraw: ['withdrawn'],
    expire: ['expired'],
    remind: ['awaiting'],
  },
  submitting: { answer: ['received', 'failed', 'unknown'] },
  unknown: {
    answer: ['received', 'failed', 'unknown'],
    resolve: ['received', 'failed'],
    remind: ['unknown'],
  },
  // A late answer from the service overrides what a person recorded about an unknown outcome.
  failed: { answer: ['received', 'failed'] },
  received: { answer: ['received', 'failed'], remind: ['received'] },
  rejected: {},
  withdrawn: {},
  expired: {},
}
