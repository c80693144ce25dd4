import { UserError } from '@signalman/runtime'
import { cmd } from '../../../domain/command-names.ts'
import type { RefusalKind } from './lifecycle.ts'
import type { Order } from './order.ts'
import { STATE_TEXTS } from './order-states.ts'

const REFUSAL_TEXTS: Readonly<Record<RefusalKind, (order: Order) => string>> = {
  'not-waiting': (order) =>
    `Order ${order.number} is no longer waiting for a decision. ${describeStatus(order)}.`,
  'own-order': () =>
    'You’re the requester of this order or were before it was handed over. Someone else has to approve or reject it.',
  'approved-already': ({ number }) =>
    `You already approved order ${number}. It still needs someone else’s approval.`,
  changed: ({ number }) => `Order ${number} changed after you opened it. Read it again before you decide.`,
  related: ({ number }) =>
    `Another order for the key or the names of order ${number} was sent, or ended, after you opened it. Read the order again before you decide.`,
  blocked: ({ number }) => `The order policy doesn’t allow order ${number} now, so nothing was approved.`,
  expired: ({ number }) => `Order ${number} expired while waiting for approval. Request it again.`,
  'not-yours': ({ number }) => `Only the requester can withdraw order ${number}. An approver can reject it.`,
  'own-question': ({ number }) => `You’re the requester of order ${number}, so you’d ask yourself.`,
  'asked-already': ({ number }) =>
    `You already asked about order ${number}, and the requester hasn’t answered yet. Wait for the answer, or talk to them directly.`,
  'asked-enough': ({ number }) =>
    `Order ${number} has had enough questions. Talk to the requester directly, or reject it with a reason.`,
  'not-asked': ({ number }) =>
    `This question about order ${number} was already answered, or it isn’t for you. Your answer wasn’t sent.`,
  'not-theirs': ({ number }) => `Order ${number} has a different requester now.`,
  'not-unknown': ({ number, state }) =>
    `You can record an outcome only for an order that was sent. The status of order ${number} is “${STATE_TEXTS[state].name}”.`,
  'not-due': (order) => `Nothing is due for order ${order.number}.`,
  'under-way': ({ number }) =>
    `The request for order ${number} may still reach the service, because the process that sent it isn’t responding. Press a button on the order, and say in its window how you know that nothing is in progress.`,
  settled: (order) => `Order ${order.number} already has an outcome. ${describeStatus(order)}.`,
}

const describeStatus = ({ state }: Order): string => `Its status is “${STATE_TEXTS[state].name}”`

/** Thrown if a step isn't possible in the order's current state. `reasons`: why, in sentences. */
export class StepRefused extends UserError {
  override readonly name = 'StepRefused'
  readonly kind: RefusalKind
  constructor(order: Order, kind: RefusalKind, reasons: readonly string[] = []) {
    super([describeRefusal(order, kind), ...reasons].join('\n'), [
      ...(kind === 'related' || kind === 'changed'
        ? [{ label: 'Review again', line: `/cert-order approve ${order.number}` }]
        : []),
      ...(kind === 'blocked' ? [{ label: 'Reject it', line: `/cert-order reject ${order.number}` }] : []),
      { label: `Show order ${order.number}`, line: `/cert-order show ${order.number}` },
    ])
    this.kind = kind
  }
}

export const describeRefusal = (order: Order, kind: RefusalKind): string => REFUSAL_TEXTS[kind](order)

const OPEN_TEXTS = {
  awaiting: 'is waiting for approval. Approve, reject, or withdraw it first',
  submitting: 'is being sent right now. Wait for it to finish',
  unknown: 'may have reached the service. Open it and record its outcome',
} as const

/** The error for a second open order with the same key or for the same existing certificate. */
export const createStillOpenError = (
  { number, state }: Pick<Order, 'number' | 'state'>,
  sharedIdentifier: 'key' | 'certificate',
): UserError => {
  const status = OPEN_TEXTS[state === 'awaiting' || state === 'submitting' ? state : 'unknown']
  const target = sharedIdentifier === 'key' ? 'with this key' : 'for this certificate'
  return new UserError(
    `Order ${number}, for the same ${sharedIdentifier}, ${status}. Until then, nothing else can be ordered ${target}.`,
    [{ label: `Show order ${number}`, line: `/cert-order show ${number}` }],
  )
}

/** The error if another order for the same certificate was sent in the meantime. Sending both would order it twice. */
export const createAlreadySentError = (
  { number: sent }: Pick<Order, 'number'>,
  { number }: Pick<Order, 'number'>,
  shared: 'key' | 'certificate',
): UserError =>
  new UserError(
    `Order ${sent}, for the same ${shared}, was sent after order ${number} was requested. Order ${number} would order the same certificate again, so it wasn’t sent. Reject it.`,
    [{ label: `Show order ${sent}`, line: `/cert-order show ${sent}` }],
  )

/** The error after a restore, when the database may lack recent orders. */
export const createOrderingStoppedError = (asOf: string): UserError =>
  new UserError(
    `Signalman was restored from a backup and doesn’t know about orders sent after ${asOf}. Nothing can be ordered until its operator has compared them with the service (\`signalman restore --confirm\`). Nothing was changed.`,
  )

export const createNoSuchOrderError = (input: string): UserError =>
  new UserError(`There is no order ${input} in this workspace.`, [LIST_BUTTON])

/** For a verb typed without a number. */
export const createMissingNumberError = (verb: string): UserError =>
  new UserError(`Which order? Type its number: ${cmd('/cert-order')} ${verb} 12`, [LIST_BUTTON])

const LIST_BUTTON = { label: 'List orders', line: '/cert-order list' }
