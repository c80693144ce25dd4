import {
  type ActDeps,
  type AuditEvent,
  DONE,
  type LeasedWork,
  OutcomeUnknown,
  openAct,
  RESTORED,
  type Settings,
  WHOLE_STORE,
  type WorkEnd,
  type WorkKind,
} from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { ACT_ERRORS } from '../../bot/act-errors.ts'
import { explain } from '../../bot/request/explain.ts'
import type { Environment } from '../../domain/environment.ts'
import { ApiError } from '../../service/errors.ts'
import type { Api } from '../../service/service.ts'
import { createOrderAuditEvent, summarizeOrder } from './order-audit.ts'
import { refuseIfRestored, refuseOtherAccount } from './order-service.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import type { StoredOrders } from './rows/orders.ts'
import { judgeAnswer } from './rules/answer.ts'
import { transition } from './rules/lifecycle.ts'
import { type Failed, hashRequest, type Order, type OrderOutcome } from './rules/order.ts'

type OrderApi = Pick<Api, 'account'> & { orders: Pick<Api['orders'], 'create'> }

export interface PlaceDeps {
  orders: StoredOrders
  settings: Pick<Settings, 'get'>
  /** The service with the workspace's token. Throws UserError when there is none. */
  getApi: (workspaceId: string, environment: Environment) => Promise<OrderApi>
}

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

/** How long after its approval an order may still be sent. Later, the approver no longer expects it. */
const MAX_AGE_MS = 10 * 60_000
/** An approval later than now means that the clock was set back, so its age isn't known. */
const MAX_CLOCK_DIFFERENCE_MS = 1000

/** Checks whether the order may be sent now. Returns why not, if it may not. Throws temporary errors. */
export async function prepareToPlace(
  { orders, settings, getApi }: PlaceDeps,
  order: Order,
): Promise<{ send: () => Promise<OrderOutcome> } | Failed> {
  const { request, approval } = order.content
  const ageMs = (await orders.readTime()).getTime() - Date.parse(approval?.at ?? '')
  // Checked before anything that could fail indefinitely, such as a token that can't be decrypted, so that every order gets an
  // outcome. If the age is NaN, the order isn't sent either.
  if (!(ageMs >= -MAX_CLOCK_DIFFERENCE_MS && ageMs <= MAX_AGE_MS)) return NOT_SENT
  try {
    refuseIfRestored(order, await settings.get(WHOLE_STORE, RESTORED))
    const api = await getApi(order.workspaceId, order.environment)
    refuseOtherAccount(order, api)
    const hash = hashRequest(request)
    if (hash !== order.bodyHash || hash !== approval?.hash) return createFailure(BODY_CHANGED)
    await orders.refuseDuplicate(order)
    return { send: () => sendOrder(api, order) }
  } catch (error) {
    if (error instanceof UserError) return createFailure(error.message)
    throw error
  }
}

async function sendOrder(api: OrderApi, { content }: Order): Promise<OrderOutcome> {
  try {
    const answer = await api.orders.create(content.request)
    const verdict = judgeAnswer(answer)
    return verdict.is === 'received'
      ? { kind: 'received', answered: { id: verdict.id, answer } }
      : { kind: 'unknown', why: verdict.why, said: [], sender: 'ended', answered: { answer } }
  } catch (error) {
    const { happened, serviceMessages } = explain(error)
    // After any other error, the service may have the order.
    const isRejected = error instanceof ApiError && !error.mayHaveHappened
    if (isRejected) return { kind: 'failed', why: happened, said: serviceMessages }
    return { kind: 'unknown', why: happened, said: serviceMessages, sender: 'ended' }
  }
}

const createFailure = (why: string): Failed => ({ kind: 'failed', why, said: [] })

export const NOT_SENT = createFailure(
  'Its approval isn’t from the last ten minutes, or the clock was changed, so it wasn’t sent.',
)
const BODY_CHANGED = 'The order no longer matches what was approved, so it wasn’t sent.'
