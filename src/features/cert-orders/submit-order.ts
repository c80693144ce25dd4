import { ApiError } from '../../api/errors.ts'
import type { Api } from '../../api/service.ts'
import { UserError } from '../../errors.ts'
import { explain } from '../../slack/answers/explain.ts'
import { take } from './lifecycle.ts'
import { hashOf, type Ledger, type Order, type Outcome } from './order.ts'

export interface SubmitParts {
  ledger: Ledger
  now: () => Date
}

/** Longer than a write to the disk takes, far shorter than the lease: what was held up longer is not sent at all. */
const SENDS_WITHIN_MS = 10_000
const MOST_TRIES = 20

/**
 * Sends the order of which this process has just written that it is being submitted, once; whoever else finds that state
 * leaves it alone until the lease ends. Returns the settled order, and throws nothing but what the ledger throws; `error` is
 * what came instead of an answer.
 */
export async function submitOrder(
  { ledger, now }: SubmitParts,
  api: Pick<Api, 'orders'>,
  order: Order,
): Promise<{ order: Order; error?: unknown }> {
  const { outcome, error } = await sent(api, order, now())
  return { order: await settle({ ledger, now }, order, outcome), ...(error !== undefined && { error }) }
}

async function sent(
  api: Pick<Api, 'orders'>,
  order: Order,
  now: Date,
): Promise<{ outcome: Outcome; error?: unknown }> {
  try {
    refuseUnsendable(order, api, now)
    return { outcome: { kind: 'placed', placed: await api.orders.create(order.content.request) } }
  } catch (error) {
    return { outcome: outcomeOf(error), error }
  }
}

function refuseUnsendable(order: Order, api: Pick<Api, 'orders'>, now: Date): void {
  if (hashOf(order.content.request, api.orders) !== order.bodyHash)
    throw new UserError('What would have been sent is not what was approved, so it was not sent.')
  const decidedAt = Date.parse(order.content.submission?.at ?? '')
  // A process that stood still may find that others have given the order up: it must not send it after all.
  if (!(now.getTime() - decidedAt <= SENDS_WITHIN_MS))
    throw new UserError('It took too long to get the order on its way, so it was not sent.')
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof UserError) return { kind: 'failed', why: error.message, said: [] }
  const { happened, said } = explain(error)
  // Anything but a clear no may have been carried out.
  const isNo = error instanceof ApiError && !error.mayHaveHappened
  return { kind: isNo ? 'failed' : 'unknown', why: happened, said }
}

/** Writes what became of the order, whatever others have made of it meanwhile. */
async function settle({ ledger, now }: SubmitParts, order: Order, outcome: Outcome): Promise<Order> {
  let current = order
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const at = now()
    const taken = take(current, { kind: 'answer', outcome }, { ...NO_RULES, now: at })
    if ('refusal' in taken) return current
    const moved = await ledger.move(taken.next, { kind: outcome.kind, at })
    if (moved) return moved
    current = (await ledger.find(order.workspaceId, order.number)) ?? current
  }
  throw new Error(`Order ${order.number} changed ${MOST_TRIES} times while its outcome was written.`)
}

/** An answer of the service is under none of the rules for people. */
const NO_RULES = { approvals: 1, direct: false, leaseMs: 0 }
