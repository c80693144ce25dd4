import { UserError } from '@signalman/runtime'
import type { RefusalKind } from './lifecycle.ts'
import type { Order } from './order.ts'

/** What each state is called, with a sign that the word stands beside, and what it says behind `Order 12`. */
export const STATES: Readonly<Record<Order['state'], { sign: string; name: string; says: string }>> = {
  awaiting: { sign: '🟡', name: 'Awaiting approval', says: ' waits for approval' },
  submitting: { sign: '🟠', name: 'Being placed', says: ' is being placed' },
  placed: { sign: '🟢', name: 'Placed', says: ' is placed' },
  failed: { sign: '🔴', name: 'Failed', says: ' was not placed' },
  // Of this one the whole sentence is another.
  unknown: { sign: '❓', name: 'Outcome unknown', says: '' },
  rejected: { sign: '⛔', name: 'Rejected', says: ' was rejected' },
  withdrawn: { sign: '⚪', name: 'Withdrawn', says: ' was withdrawn' },
  expired: { sign: '⌛', name: 'Expired', says: ' expired: nobody decided in time' },
}

const REFUSED: Readonly<Record<RefusalKind, (order: Order) => string>> = {
  'not-waiting': (order) => `Order ${order.number} is not waiting for a decision any more: ${nowOf(order)}.`,
  'own-order': () =>
    'You asked for this order, so somebody else has to decide on it: the rules here want four eyes.',
  'approved-already': ({ number }) =>
    `You have approved order ${number} already. It waits for somebody else to approve it too.`,
  changed: ({ number }) =>
    `Order ${number} was changed after you opened it. Look at it again, then decide on what it says now.`,
  expired: ({ number }) => `Order ${number} has expired: nobody decided in time. Ask for it again.`,
  'not-yours': ({ number }) =>
    `Only whoever asked for order ${number} can withdraw it. An approver can reject it.`,
  'not-unknown': (order) => `There is nothing to find out about order ${order.number}: ${nowOf(order)}.`,
  'not-due': (order) => `Nothing is due for order ${order.number}.`,
  'under-way': ({ number }) =>
    `Nobody knows whether the request for order ${number} is still on its way: the process that sent it has not been heard from. Press one of the buttons of the order, and say in its window how you know that nothing is under way.`,
  settled: (order) => `Order ${order.number} is settled: ${nowOf(order)}.`,
}

const nowOf = ({ state }: Order): string => `its state is “${STATES[state].name}”`

/** The error that a person reads when their step does not fit the order as it is now. */
export const refusalOf = (order: Order, kind: RefusalKind): UserError =>
  new UserError(REFUSED[kind](order), [
    { label: `Show order ${order.number}`, line: `/cert-order show ${order.number}` },
  ])

const OPEN = {
  awaiting: 'waits for approval. Have it decided on or withdrawn first',
  submitting: 'is being placed right now. Wait for the outcome',
  unknown: 'may have been placed: nobody knows yet. Open it and record what became of it',
} as const

/** There is one open order of a key, and of a certificate that is there, whatever way it is asked for. */
export const stillOpen = (
  { number, state }: Pick<Order, 'number' | 'state'>,
  shared: 'key' | 'certificate',
): UserError =>
  new UserError(
    `Order ${number}, for the same ${shared}, ${OPEN[state === 'awaiting' || state === 'submitting' ? state : 'unknown']}. Until then nothing else is ordered ${shared === 'key' ? 'with this key' : 'for this certificate'}.`,
    [{ label: `Show order ${number}`, line: `/cert-order show ${number}` }],
  )

/** With both placed there would be two orders for one certificate. */
export const placedBefore = (
  { number: placed }: Pick<Order, 'number'>,
  { number }: Pick<Order, 'number'>,
  shared: 'key' | 'certificate',
): UserError =>
  new UserError(
    `Order ${placed}, for the same ${shared}, was placed after order ${number} was requested. Order ${number} would order the same certificate again, so it wasn’t sent. Reject it.`,
    [{ label: `Show order ${placed}`, line: `/cert-order show ${placed}` }],
  )

/** Nothing is ordered from a database that may have forgotten what was ordered. */
export const orderingStopped = (asOf: string): UserError =>
  new UserError(
    `Signalman was restored from a backup, and knows nothing of orders placed after ${asOf}. Until its operator has compared them with the service (\`signalman restore --confirm\`), nothing is ordered. Nothing was changed.`,
  )

export const noSuchOrder = (typed: string): UserError =>
  new UserError(`There is no order ${typed} in this workspace.`, [LIST])

/** For a verb that was typed with no number behind it. */
export const whichOrder = (verb: string): UserError =>
  new UserError(`Which order? Type its number: /cert-order ${verb} 12`, [LIST])

const LIST = { label: 'List orders', line: '/cert-order list' }
