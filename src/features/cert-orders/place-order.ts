import { RESTORED, type Settings, WHOLE_STORE } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { explain } from '../../bot/request/explain.ts'
import type { Environment } from '../../domain/environment.ts'
import { ApiError } from '../../service/errors.ts'
import type { Api } from '../../service/service.ts'
import { refuseIfRestored, refuseOtherAccount } from './order-service.ts'
import type { StoredOrders } from './rows/orders.ts'
import { judgeAnswer } from './rules/answer.ts'
import { type Failed, hashRequest, type Order, type OrderOutcome } from './rules/order.ts'

type OrderApi = Pick<Api, 'orders' | 'account'>

export interface PlaceDeps {
  orders: StoredOrders
  settings: Pick<Settings, 'get'>
  /** The service with the workspace's token. Throws UserError when there is none. */
  getApi: (workspaceId: string, environment: Environment) => Promise<OrderApi>
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
    const hash = hashRequest(request, api.orders)
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
    if (isRejected) {
      const isAnswer = error.status !== undefined
      return { kind: 'failed', why: happened, said: serviceMessages, ...(isAnswer && { isAnswer }) }
    }
    return { kind: 'unknown', why: happened, said: serviceMessages, sender: 'ended' }
  }
}

const createFailure = (why: string): Failed => ({ kind: 'failed', why, said: [] })

export const NOT_SENT = createFailure('Preparing the order took too long, so it wasn’t sent.')
const BODY_CHANGED = 'The order no longer matches what was approved, so it wasn’t sent.'
