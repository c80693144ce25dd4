import { setTimeout as pauseFor } from 'node:timers/promises'
import {
  type Attempt,
  type AuditEvent,
  DONE,
  type LateOutcomes,
  type LeasedWork,
  LeaseLost,
  repeatAfter,
  type Step,
  type Steps,
  startSendDeadline,
  type WorkEnd,
  type WorkKind,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { createOrderAuditEvent, summarizeOrder } from './order-audit.ts'
import { NOT_SENT, type PlaceDeps, prepareToPlace } from './place-order.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import { transition } from './rules/lifecycle.ts'
import type { Order, OrderOutcome } from './rules/order.ts'

export interface SubmitDeps extends PlaceDeps {
  /** Milliseconds of a monotonic clock. */
  stopwatch?: (() => number) | undefined
  steps: Steps
  lateOutcomes: Pick<LateOutcomes, 'recordOutcome'>
  now: () => Date
  /** The time after which a POST has certainly ended: longer than the time to send it plus the call's timeout. */
  maxInFlightMs: number
  /** By this process's monotonic clock, because the database's may be changed. Rejects once the signal is aborted. */
  pause?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
}

export interface OrderTimes {
  /** The time after which a POST has certainly ended, in any process. */
  maxInFlightMs: number
  /** How long the approver waits for the outcome of the POST. */
  waitMs: number
}

/** A call to the service times out after 20 s, and a POST that hasn't started within 4 s is never sent, so 30 s are enough. */
export const ORDER_TIMES: OrderTimes = { maxInFlightMs: 30_000, waitMs: 30_000 }

/** The number of the work's only step: the POST. */
const POST_LINE = 1

/** Sends the POST of one order, at most once, even if processes crash, the database is unavailable, or clocks change. */
export function createSubmitWork(deps: SubmitDeps): WorkKind {
  const { orders, steps, maxInFlightMs, stopwatch, pause = pauseUnlessAborted } = deps
  /** Outcomes of this process's POSTs that aren't stored yet. */
  const outcomes = new Map<string, Promise<OrderOutcome>>()
  /** Names of steps whose `begin` failed in this process. They may be stored, but their POST wasn't sent. */
  const unsentSteps = new Set<string>()

  async function run(leased: LeasedWork): Promise<WorkEnd> {
    const order = await orders.get(leased.work.key ?? '')
    if (!order) return DONE
    const [step] = await steps.list(leased.work.id)
    if (!step) return order.state === 'submitting' ? await send(leased, order) : DONE
    const outcome = await readStepOutcome(leased, step)
    if (outcome) return await conclude(leased, order, outcome)
    return order.state === 'submitting' ? await recordUnknown(leased, order, step) : DONE
  }

  const readStepOutcome = async ({ work }: LeasedWork, { state, body }: Step) =>
    // Cast, because only `recordOutcome` writes it.
    state === 'begun' ? await outcomes.get(work.id) : (body as OrderOutcome)

  /** Handles a step whose outcome this process doesn't know, because another process may have sent the POST. */
  async function recordUnknown(leased: LeasedWork, order: Order, step: Step): Promise<WorkEnd> {
    const { reference = order.id } = leased.work
    if (unsentSteps.has(step.name))
      return await conclude(leased, order, await recordOutcome(deps, step, order, reference, NOT_SENT))
    await pause(maxInFlightMs, leased.signal)
    const [latestStep = step] = await steps.list(leased.work.id)
    const outcome = await readStepOutcome(leased, latestStep)
    if (outcome) return await conclude(leased, order, outcome)
    // The step stays open, so that a late answer can still correct this outcome.
    const auditEvent = createSubmitAuditEvent(order, deps.now(), reference, INTERRUPTED)
    return await saveOutcome(deps, order, INTERRUPTED, auditEvent)
  }

  async function send(leased: LeasedWork, order: Order): Promise<WorkEnd> {
    // That of the approval, which scheduled this work.
    const { reference = order.id } = leased.work
    const ready = await prepareToPlace(deps, order)
    leased.signal.throwIfAborted()
    const name = `POST ${newId()}`
    const canSend = startSendDeadline(leased, { stopwatch })
    const intent = createSubmitAuditEvent(order, deps.now(), reference)
    const step = { workId: leased.work.id, line: POST_LINE, name }
    const attempt = await steps.record(leased.owner, step, intent).catch((error: unknown) => {
      unsentSteps.add(name)
      throw error
    })
    if (!attempt) throw new LeaseLost()
    let outcome: OrderOutcome | Promise<OrderOutcome> = NOT_SENT
    if (canSend()) outcome = 'send' in ready ? ready.send() : ready
    const recorded = recordOutcome(deps, attempt, order, reference, outcome)
    outcomes.set(leased.work.id, recorded)
    return await conclude(leased, order, await recorded)
  }

  /** Applies a recorded outcome to the order. If it fails, the next run finds the outcome in the step, or in `outcomes`. */
  async function conclude({ work }: LeasedWork, order: Order, outcome: OrderOutcome): Promise<WorkEnd> {
    const end = await saveOutcome(deps, order, outcome)
    if (end.state === 'done') outcomes.delete(work.id)
    return end
  }

  // Retries without limit, because otherwise the order would stay in `submitting` forever. The causes are temporary: the
  // database is unavailable, or a key is missing.
  return { kind: ORDER_WORK.submit, lane: 'quick', maxAttempts: Number.MAX_SAFE_INTEGER, run }
}

const pauseUnlessAborted = (ms: number, signal: AbortSignal): Promise<unknown> =>
  pauseFor(ms, undefined, { signal })

/** Records the outcome of the POST. Retries while the database is unavailable. */
async function recordOutcome(
  { lateOutcomes, now }: SubmitDeps,
  { workId, line, begunBy, begunAt }: Attempt,
  order: Order,
  reference: string,
  outcome: OrderOutcome | Promise<OrderOutcome>,
): Promise<OrderOutcome> {
  const result = await outcome
  const auditEvent = createSubmitAuditEvent(order, now(), reference, result)
  await lateOutcomes.recordOutcome(
    { workId, line, begunBy, begunAt, state: 'done', body: result },
    auditEvent,
  )
  return result
}

/**
 * Applies the outcome to the order's current state, and writes the audit row if one is given. Runs the work again if somebody changed the
 * order meanwhile.
 */
async function saveOutcome(
  { orders }: SubmitDeps,
  { id }: Order,
  outcome: OrderOutcome,
  auditEvent?: AuditEvent,
): Promise<WorkEnd> {
  const current = await orders.get(id)
  if (!current) return DONE
  const now = await orders.readTime()
  const result = transition(current, { kind: 'answer', outcome }, now)
  if ('refusal' in result) return DONE
  const saved = await orders.saveStep(result.next, { kind: outcome.kind, at: now }, auditEvent)
  return saved ? DONE : repeatAfter(0)
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
