import { UserError } from '@signalman/runtime'
import { cmd } from '../../../domain/command-names.ts'
import { ENVIRONMENT_NAMES, type Environment, environmentSuffix } from '../../../domain/environment.ts'
import type { RefusalKind } from './lifecycle.ts'
import { type Order, writeOrderCommand } from './order.ts'
import { formatStatePredicate, STATE_TEXTS } from './order-states.ts'

/** `name`: the number, and the environment if it's OTE. */
const REFUSAL_TEXTS: Readonly<Record<RefusalKind, (name: string, order: Order) => string>> = {
  'not-waiting': (name, order) =>
    `Order ${name} is no longer waiting for a decision. ${describeStatus(order)}.`,
  'own-order': () => 'You’re the requester of this order. Someone else has to decide on it.',
  changed: (name) => `Order ${name} changed after you opened it. Read it again before you decide.`,
  foreign: (name) =>
    `Order ${name} has names that aren’t under an allowed domain, so it can’t be approved. Reject it, or let an admin allow them in ${cmd('/cert-order settings')}.`,
  expired: (name) => `Order ${name} expired while waiting for approval. Request it again.`,
  'not-yours': (name) => `Only the requester can withdraw order ${name}. An approver can reject it.`,
  'not-unknown': (name, { state }) =>
    `Only an unknown outcome can be recorded. The status of order ${name} is “${STATE_TEXTS[state].name}”.`,
  'not-due': (name) => `Nothing is due for order ${name}.`,
  'under-way': (name) =>
    `The request for order ${name} may still reach the service, because the process that sent it isn’t responding. Press a button on the order, and say in its window how you know that nothing is in progress.`,
  settled: (name, order) => `Order ${name} already has an outcome. ${describeStatus(order)}.`,
}

const describeStatus = ({ state }: Order): string => `Its status is “${STATE_TEXTS[state].name}”`

/** Thrown if a step isn't possible in the order's current state. */
export class StepRefused extends UserError {
  override readonly name = 'StepRefused'
  readonly kind: RefusalKind
  constructor(order: Order, kind: RefusalKind) {
    super(REFUSAL_TEXTS[kind](`${order.number}${environmentSuffix(order.environment)}`, order), [
      { label: `Show order ${order.number}`, line: writeOrderCommand(order, 'show') },
    ])
    this.kind = kind
  }
}

/** The error for a second open order with the same key or for the same existing certificate. */
export const createStillOpenError = (
  { number, state }: Pick<Order, 'number' | 'state'>,
  environment: Environment,
  sharedIdentifier: 'key' | 'certificate',
): UserError => {
  const target = sharedIdentifier === 'key' ? 'with this key' : 'for this certificate'
  return new UserError(
    `Order ${number}, for the same ${sharedIdentifier}, ${formatStatePredicate(state)}. Until that has ended, nothing else can be ordered ${target}.`,
    [{ label: `Show order ${number}`, line: writeOrderCommand({ number, environment }, 'show') }],
  )
}

/** The error if another order for the same certificate was sent in the meantime. Sending both would order it twice. */
export const createAlreadySentError = (
  { number: sent }: Pick<Order, 'number'>,
  { number, environment }: Pick<Order, 'number' | 'environment'>,
  shared: 'key' | 'certificate',
): UserError =>
  new UserError(
    `Order ${sent}, for the same ${shared}, was sent after order ${number} was requested. Order ${number} would order the same certificate again, so it wasn’t sent. Reject it.`,
    [{ label: `Show order ${sent}`, line: writeOrderCommand({ number: sent, environment }, 'show') }],
  )

export const createOrderingStoppedError = (restoredAt: string): UserError =>
  new UserError(
    `Signalman was restored from a backup on ${restoredAt}, and doesn’t know about orders sent since that backup. Nothing can be ordered until its operator has compared them with the service (\`signalman restore --confirm\`).`,
  )

/** The error for an order that waited when the backup was made from which the database was restored. */
export const createMaybeSentError = (number: number): UserError =>
  new UserError(
    `Order ${number} is from a backup, and may have been sent since that was made. Reject it. If the service doesn’t have it, request it again.`,
  )

export const createNoSuchOrderError = (input: string): UserError =>
  new UserError(`There is no order ${input} in this workspace.`, [LIST_BUTTON])

export const createElsewhereError = (
  { number, environment }: Pick<Order, 'number' | 'environment'>,
  asked: Environment,
): UserError =>
  new UserError(
    `Order ${number} is in ${ENVIRONMENT_NAMES[environment]}, not in ${ENVIRONMENT_NAMES[asked]}.`,
    [{ label: `Show order ${number}`, line: writeOrderCommand({ number, environment }, 'show') }],
  )

/** The error if the workspace has changed its account at the service since the request. */
export const createOtherAccountError = (number: number): UserError =>
  new UserError(
    `Order ${number} was requested under another account of the service, or Signalman can’t tell that the current token is for the same one. Its product, organization, and contacts may not exist there, so it isn’t sent. Reject it, and request it again.`,
  )

/** The error if it has changed it since a form was opened. */
export const createAccountChangedError = (): UserError =>
  new UserError(
    'The workspace has another account of the service by now, with other products, organizations, and contacts. Open the form again.',
  )

/** For a verb typed without a number, if it can be about none of the person's orders in this environment. `none` says so. */
export const createNothingToChooseError = (none: string, environment: Environment): UserError =>
  new UserError(`${none}${environmentSuffix(environment)}.`, [LIST_BUTTON])

const LIST_BUTTON = { label: 'List orders', line: '/cert-order list' }
