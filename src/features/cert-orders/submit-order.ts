import { setTimeout } from 'node:timers/promises'
import {
  type Attempt,
  type AuditEvent,
  DONE,
  type HeldWork,
  LeaseLost,
  type OutcomeJournal,
  type RecordedStep,
  type RecordedSteps,
  retryUntilAvailable,
  type WorkEnd,
  type WorkKind,
} from '@signalman/durable'
import { orderAuditEvent, summarizeOrder } from './order-audit.ts'
import { NOT_SENT, type PlaceParts, prepareToPlace } from './ready-to-place.ts'
import type { OrderRepository } from './rows/orders.ts'
import { ORDER_WORK } from './rows/writing.ts'
import type { Judgement } from './rules/judge.ts'
import { transition } from './rules/lifecycle.ts'
import type { Order, OrderOutcome } from './rules/order.ts'

export interface SubmitParts extends PlaceParts {
  orders: OrderRepository
  steps: RecordedSteps
  journal: Pick<OutcomeJournal, 'settle'>
  now: () => Date
  /** After this long, a POST has certainly ended: longer than SENDS_WITHIN_MS and the call's own timeout. */
  settleMs: number
  /** Throws once the signal is aborted. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
  createReference: () => string
}

/** A POST that hasn't left by then isn't sent, because other processes rely on it being over. */
const SENDS_WITHIN_MS = 4000
const RETRY_WRITES_FOR_MS = 15 * 60_000
/** How often to retry after the run was aborted. By then, the journal on disk has the service's answer. */
const MAX_TRIES_AFTER_ABORT = 60
const MAX_MOVES = 20
/** The POST is the only step. */
const POST_LINE = 1

/** Sends the POST of one order. It's sent at most once, whatever happens to processes, the database, and clocks. */
export function submitWork(parts: SubmitParts): WorkKind {
  const { orders, steps, stopwatch = () => performance.now() } = parts
  /** Outcomes of this process's POSTs that aren't stored yet. */
  const answers = new Map<string, Promise<OrderOutcome>>()
  /** Keys of steps that a run of this process may have begun without sending anything. */
  const unsent = new Set<string>()
  const waitUntilOver = createWait(parts)
  let runs = 0

  async function run(held: HeldWork): Promise<WorkEnd> {
    const order = await orders.get(held.work.key ?? '')
    if (!order) return DONE
    const [step] = await steps.list(held.work.id)
    if (!step) return order.state === 'submitting' ? await send(held, order) : DONE
    const known = await readStepOutcome(held, step)
    if (known) return await conclude(held, order, known)
    return order.state === 'submitting' ? await recordUnknown(held, order, step) : DONE
  }

  const readStepOutcome = async ({ work }: HeldWork, { state, result }: RecordedStep) =>
    // Only `recordOutcome` writes it, so its type is known.
    state === 'begun' ? await answers.get(work.id) : (result as OrderOutcome)

  /** An earlier process started it, and its outcome isn't known here. */
  async function recordUnknown(held: HeldWork, order: Order, step: RecordedStep): Promise<WorkEnd> {
    const reference = await findReference(parts, order)
    // The database stored the step, but `begin` failed in this process, so nothing was sent.
    if (unsent.has(step.name))
      return await conclude(held, order, await recordOutcome(parts, step, order, reference, NOT_SENT))
    await waitUntilOver(held)
    const [now = step] = await steps.list(held.work.id)
    const known = await readStepOutcome(held, now)
    if (known) return await conclude(held, order, known)
    // The step stays open: a late answer corrects this.
    await write(parts, order, TIME_EXPIRED, submitAuditEvent(order, parts.now(), reference, TIME_EXPIRED))
    return DONE
  }

  async function send(held: HeldWork, order: Order): Promise<WorkEnd> {
    const reference = await findReference(parts, order)
    const ready = await prepareToPlace(parts, order)
    held.signal.throwIfAborted()
    if ('hold' in ready) {
      await returnToWaiting(parts, order, ready.hold, reference)
      return DONE
    }
    // The step hasn't begun, so the order is read again.
    if ('send' in ready && !ready.isFresh()) return { state: 'waiting', dueInMs: 0 }
    runs += 1
    const name = `POST ${runs} by ${held.owner}`
    const since = stopwatch()
    const intent = submitAuditEvent(order, parts.now(), reference)
    const step = { workId: held.work.id, line: POST_LINE, name }
    const attempt = await steps.begin(held.owner, step, intent).catch((error: unknown) => {
      unsent.add(name)
      throw error
    })
    if (!attempt) throw new LeaseLost()
    const isLate = held.signal.aborted || stopwatch() - since > SENDS_WITHIN_MS
    const outcome = isLate ? NOT_SENT : 'send' in ready ? ready.send() : ready
    const answer = recordOutcome(parts, attempt, order, reference, outcome)
    answers.set(held.work.id, answer)
    return await conclude(held, order, await answer)
  }

  /** Retries until the outcome is stored, so that the order isn't treated as unknown. */
  async function conclude({ work, signal }: HeldWork, order: Order, outcome: OrderOutcome): Promise<WorkEnd> {
    let triesAfterAbort = 0
    const isFinal = (): boolean => {
      if (signal.aborted) triesAfterAbort += 1
      return triesAfterAbort >= MAX_TRIES_AFTER_ABORT
    }
    await retryUntilAvailable(() => write(parts, order, outcome), { forMs: RETRY_WRITES_FOR_MS, isFinal })
    answers.delete(work.id)
    return DONE
  }

  // Retries without limit, because otherwise the order would stay in `submitting` forever. The causes are temporary: the
  // database is unavailable, or a key is missing.
  return { kind: ORDER_WORK.submit, lane: 'quick', mostAttempts: Number.MAX_SAFE_INTEGER, run }
}

const pauseUnlessAborted = (ms: number, signal: AbortSignal): Promise<unknown> =>
  setTimeout(ms, undefined, { signal })

/**
 * Waits until a POST that another run began has certainly ended. Uses this process's monotonic clock, because the database's
 * clock may have been changed.
 */
function createWait(parts: SubmitParts): (held: HeldWork) => Promise<void> {
  const { settleMs, stopwatch = () => performance.now(), pause = pauseUnlessAborted } = parts
  /** By the work's ID. An interrupted wait continues. */
  const waitedSince = new Map<string, number>()
  return async ({ work, signal }) => {
    const since = waitedSince.get(work.id) ?? stopwatch()
    waitedSince.set(work.id, since)
    const leftMs = since + settleMs - stopwatch()
    if (leftMs > 0) await pause(leftMs, signal)
    waitedSince.delete(work.id)
  }
}

/** Records the outcome of the POST, in the journal while the database is unavailable. Doesn't read from the database. */
async function recordOutcome(
  { journal, now }: SubmitParts,
  { workId, line, begunBy, begunAt }: Attempt,
  order: Order,
  reference: string,
  outcome: OrderOutcome | Promise<OrderOutcome>,
): Promise<OrderOutcome> {
  const result = await outcome
  const state = result.kind === 'failed' ? 'refused' : 'done'
  const auditEvent = submitAuditEvent(order, now(), reference, result)
  await journal.settle({ workId, line, begunBy, begunAt, state, result }, auditEvent)
  return result
}

/** Puts the order back to waiting for its missing approvals. Nothing was sent, and this process has the lease. */
async function returnToWaiting(
  { orders }: SubmitParts,
  order: Order,
  judgement: Judgement,
  reference: string,
): Promise<void> {
  const at = await orders.time()
  const made = transition(order, { kind: 'hold' }, { direct: false, judgement, now: at })
  if ('refusal' in made)
    throw new Error(`Order ${order.number} couldn’t return to awaiting approval: ${made.refusal}.`)
  const auditEvent = orderAuditEvent(order, {
    verb: '/cert-order hold',
    at,
    reference,
    before: summarizeOrder(order),
    after: { ...summarizeOrder(made.next), because: judgement.because },
    outcome: 'done',
  })
  await orders.move(made.next, { kind: 'hold', at }, auditEvent)
}

/** Applies the outcome to the order's current state, and writes the audit row if one is given. */
async function write(
  { orders }: SubmitParts,
  { id, number }: Order,
  outcome: OrderOutcome,
  auditEvent?: AuditEvent,
): Promise<void> {
  for (let moves = 0; moves < MAX_MOVES; moves += 1) {
    const current = await orders.get(id)
    if (!current) return
    const now = await orders.time()
    const made = transition(current, { kind: 'answer', outcome }, { ...NO_RULES, now })
    if ('refusal' in made) return
    if (await orders.move(made.next, { kind: outcome.kind, at: now }, auditEvent)) return
  }
  throw new Error(`Order ${number} changed ${MAX_MOVES} times while its outcome was being saved.`)
}

/** The reference of the approval that sends it. */
async function findReference({ orders, createReference }: SubmitParts, order: Order): Promise<string> {
  const events = await orders.events(order)
  return events.findLast(({ reference }) => reference !== undefined)?.reference ?? createReference()
}

/** The audit row of the POST. Without an outcome, it says that the POST is about to be sent. */
function submitAuditEvent(order: Order, at: Date, reference: string, outcome?: OrderOutcome): AuditEvent {
  const { submission } = order.content
  return orderAuditEvent(order, {
    verb: '/cert-order submit',
    at,
    reference,
    ...(submission && { by: submission.by }),
    before: summarizeOrder(order),
    ...(outcome && {
      after: summarizeOrder({ ...order, state: outcome.kind, content: { ...order.content, outcome } }),
    }),
    outcome: !outcome ? 'begun' : outcome.kind === 'placed' ? 'done' : outcome.kind,
  })
}

const TIME_EXPIRED: OrderOutcome = {
  kind: 'unknown',
  why: 'Signalman was interrupted while placing the order, so it doesn’t know whether the service has it.',
  said: [],
  sender: 'silent',
}

/** The policy doesn't apply to the service's answer. */
const NO_RULES = { direct: false, judgement: { is: 'allow', approvals: 1, because: [] } } as const
