import { isUnconfirmed, RESTORED, WHOLE_STORE } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { explain } from '../../bot/request/explain.ts'
import { ApiError } from '../../service/errors.ts'
import type { Api } from '../../service/service.ts'
import { type JudgeDeps, judgeOrder } from './judge-order.ts'
import { type CompareDeps, compareOrder } from './read-order-details.ts'
import type { StoredOrders } from './rows/orders.ts'
import { judgeAnswer } from './rules/judge-answer.ts'
import type { Rules } from './rules/lifecycle.ts'
import { type Failed, hashRequest, type Order, type OrderOutcome } from './rules/order.ts'

type OrderApi = Pick<Api, 'orders'>

export interface PlaceDeps extends JudgeDeps, CompareDeps {
  orders: Pick<StoredOrders, 'readTime' | 'list' | 'findTouched' | 'refuseDuplicate'>
  /** The service with the workspace's token. Throws UserError when there is none. */
  getApi: (order: Order) => Promise<OrderApi>
  /** Whether a person may approve orders now. Throws when Slack is unavailable. */
  mayApprove: (order: Order, userId: string) => Promise<boolean>
  /** Milliseconds of a monotonic clock. */
  stopwatch?: (() => number) | undefined
}

/** An order that passed all checks and may be sent. */
interface ReadyOrder {
  send: () => Promise<OrderOutcome>
  /** Whether the approvers' rights were checked recently enough for sending the order. */
  isFresh: () => boolean
}

export interface OrderTimes {
  /** The time after which a POST has certainly ended, in any process. */
  settleMs: number
  /** How long the approver waits for the outcome of the POST. */
  waitMs: number
}

/** A call to the service times out after 20 s, and a POST that hasn't started within 4 s is never sent, so 30 s are enough. */
export const ORDER_TIMES: OrderTimes = { settleMs: 30_000, waitMs: 30_000 }

/** How long after its last approval an order may still be sent. Later, the approver no longer expects it. */
const MAX_AGE_MS = 10 * 60_000
/** How long the check of the approvers' rights stays valid. */
const RIGHTS_VALID_MS = 10_000

/** Checks whether the order may be sent now. Returns why not, if it may not. Throws temporary errors. */
export async function prepareToPlace(
  deps: PlaceDeps,
  order: Order,
): Promise<ReadyOrder | Failed | { held: Pick<Rules, 'judgment' | 'saw'> }> {
  const { orders, settings, getApi, mayApprove, stopwatch = () => performance.now() } = deps
  if (isUnconfirmed(await settings.get(WHOLE_STORE, RESTORED))) return createFailure(RESTORE_UNCONFIRMED)
  const { request, approvals, submission } = order.content
  const startedAt = stopwatch()
  const ageMs = (await orders.readTime()).getTime() - Date.parse(submission?.at ?? '')
  // Checked before anything that could fail indefinitely, such as a token that can't be decrypted, so that every order gets an
  // outcome. If the age is NaN, the order isn't sent either.
  if (!(ageMs <= MAX_AGE_MS)) return NOT_SENT
  const api = await getApi(order).catch((error: unknown) => {
    if (error instanceof UserError) return createFailure(error.message)
    throw error
  })
  if ('kind' in api) return api
  if (hashRequest(request, api.orders) !== order.bodyHash) return createFailure(BODY_CHANGED)
  const duplicate = await orders.refuseDuplicate(order).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof UserError) return createFailure(DUPLICATE)
      throw error
    },
  )
  if (duplicate) return duplicate
  const [{ judgment }, { saw }] = await Promise.all([judgeOrder(deps, order), compareOrder(deps, order)])
  const countedApprovals = approvals.filter((approval) => approval.saw === saw)
  if (judgment.decision === 'deny' || countedApprovals.length < judgment.approvals)
    return { held: { judgment, saw } }
  const createReadyOrder = (checkedAt: number): ReadyOrder => ({
    send: () => sendOrder(api, order),
    isFresh: () => stopwatch() - checkedAt <= RIGHTS_VALID_MS,
  })
  // The last approval checked the rights of all approvers, so a recent one is enough. A negative age means that the clock was set
  // back, so the real age is unknown.
  if (ageMs >= 0 && ageMs <= RIGHTS_VALID_MS) return createReadyOrder(startedAt - ageMs)
  const checkedAt = stopwatch()
  const mayStillApprove = await Promise.all(approvals.map(({ by }) => mayApprove(order, by)))
  return mayStillApprove.every(Boolean) ? createReadyOrder(checkedAt) : createFailure(APPROVER_LOST_ROLE)
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

const createFailure = (why: string): Failed => ({ kind: 'failed', why, said: [], isUnsent: true })

export const NOT_SENT = createFailure('Preparing the order took too long, so it wasn’t sent.')
const BODY_CHANGED = 'The order no longer matches what was approved, so it wasn’t sent.'
const DUPLICATE =
  'Another order for the same key or certificate was sent, or may have been, so this one wasn’t sent.'
const RESTORE_UNCONFIRMED =
  'Signalman was restored from a backup, and its operator hasn’t compared the orders with the service yet, so the order wasn’t sent.'
const APPROVER_LOST_ROLE =
  'Signalman was interrupted before it could send the order, and someone who approved it can no longer approve orders, so it wasn’t sent.'
