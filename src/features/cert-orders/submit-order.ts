import {
  type ActDeps,
  type AuditEvent,
  DONE,
  type LeasedWork,
  OutcomeUnknown,
  openAct,
  type WorkEnd,
  type WorkKind,
} from '@signalman/durable'
import { ACT_ERRORS } from '../../bot/act-errors.ts'
import { createOrderAuditEvent, summarizeOrder } from './order-audit.ts'
import { NOT_SENT, type PlaceDeps, prepareToPlace } from './place-order.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import { transition } from './rules/lifecycle.ts'
import type { Order, OrderOutcome } from './rules/order.ts'

export interface SubmitDeps extends PlaceDeps, Omit<ActDeps, 'errors'> {
  now: () => Date
}

/**
 * Sends the POST of one order, at most once, even if processes crash, the database is unavailable, or clocks change: it's one step, and
 * as nobody can look it up, its outcome becomes unknown if the response is lost.
 */
export function createSubmitWork(deps: SubmitDeps): WorkKind {
  const { orders, lateOutcomes } = deps

  async function run(leased: LeasedWork): Promise<WorkEnd> {
    const order = await orders.get(leased.work.key ?? '')
    if (!order) return DONE
    try {
      const outcome = await post(leased, order)
      return outcome ? await saveOutcome(deps, order, outcome) : DONE
    } finally {
      // A later run must find the outcome that this one knows.
      await lateOutcomes.whenSettled(leased.work.id)
    }
  }

  /** Returns the outcome, or undefined if the order isn't being sent. */
  async function post(leased: LeasedWork, order: Order): Promise<OrderOutcome | undefined> {
    const act = await openAct({ ...deps, ...RULES }, leased)
    if (act.hasNoStepYet && order.state !== 'submitting') return undefined
    // That of the approval, which scheduled this work.
    const { reference = order.id } = leased.work
    const step = act.step<OrderOutcome>({
      name: 'POST',
      readsFirst: true,
      auditEvent: (state, outcome) =>
        createSubmitAuditEvent(order, deps.now(), reference, state === 'unknown' ? INTERRUPTED : outcome),
      async work(send) {
        // While it waited to begin again, somebody may have been told that nobody knows whether it was sent.
        const current = await orders.get(order.id)
        if (current?.state !== 'submitting') return NOT_SENT
        const ready = await prepareToPlace(deps, order)
        return send(async () => ('send' in ready ? ready.send() : ready))
      },
    })
    return step.catch((error: unknown) => {
      if (error instanceof OutcomeUnknown) return INTERRUPTED
      throw error
    })
  }

  // Retries without limit, because otherwise the order would stay in `submitting` forever. The causes are temporary: the
  // database is unavailable, or a key is missing.
  return { kind: ORDER_WORK.submit, lane: 'quick', maxAttempts: Number.MAX_SAFE_INTEGER, run }
}

const RULES = {
  // After any error that isn't an outcome, the service may have the order.
  errors: { ...ACT_ERRORS, mayHaveHappened: () => true, isFault: () => true },
  maxFaultyAttempts: Number.MAX_SAFE_INTEGER,
  // `prepareToPlace` decides how old an approval may be.
  maxIdleMs: Number.POSITIVE_INFINITY,
  runsAgain: true,
} satisfies Partial<ActDeps>

/** Applies the outcome to the order's current state. Runs the work again if somebody changed the order meanwhile. */
async function saveOutcome({ orders }: SubmitDeps, { id }: Order, outcome: OrderOutcome): Promise<WorkEnd> {
  const current = await orders.get(id)
  if (!current) return DONE
  const now = await orders.readTime()
  const result = transition(current, { kind: 'answer', outcome }, now)
  if ('refusal' in result) return DONE
  const saved = await orders.saveStep(result.next, { kind: outcome.kind, at: now })
  return saved ? DONE : { state: 'waiting', dueInMs: 0 }
}

/** The audit row of the POST. Without an outcome, it says that the POST is about to be sent. */
function createSubmitAuditEvent(
  order: Order,
  at: Date,
  reference: string,
  outcome?: OrderOutcome,
): AuditEvent {
  const { approval } = order.content
  return createOrderAuditEvent(order, {
    verb: '/cert-order submit',
    at,
    reference,
    ...(approval && { by: approval.by }),
    before: summarizeOrder(order),
    ...(outcome && {
      after: summarizeOrder({ ...order, state: outcome.kind, content: { ...order.content, outcome } }),
    }),
    outcome: outcome?.kind === 'received' ? 'done' : (outcome?.kind ?? 'begun'),
  })
}

const INTERRUPTED: OrderOutcome = {
  kind: 'unknown',
  why: 'Signalman was interrupted while sending the order, so it doesn’t know whether the service has it.',
  said: [],
  sender: 'silent',
}
