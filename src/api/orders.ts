import type { Http } from './http.ts'
import { bodyOf, type OrderRequest } from './order-body.ts'
import { lenient } from './read.ts'

/** An order that the service took. What it answers is not promised: the text of it is kept, as it came. */
export interface PlacedOrder {
  readonly id?: string | undefined
  readonly status?: string | undefined
  readonly certificateId?: string | undefined
  /** At most 100,000 characters, and without the caller's token. */
  readonly answer: string
}

const MAX_ANSWER_LENGTH = 100_000

export type Orders = ReturnType<typeof orders>

/** The calls on certificate orders. Each throws ApiError. */
export function orders(http: Http) {
  return {
    /**
     * Places the order, once: it is never repeated after a byte of it left. On an error, `mayHaveHappened` tells
     * whether it may have been placed.
     */
    create: async (order: OrderRequest, signal?: AbortSignal): Promise<PlacedOrder> =>
      http.send('POST', '/ssl/v2/orders', { read: readPlaced, body: bodyOf(order), signal }),

    /** The exact JSON text that `create` sends. */
    bodyOf,
  }
}

const readPlaced = lenient((body, text, hide): PlacedOrder => {
  const data = body.nested('data')
  const certificate = data?.nested('relationships')?.nested('certificate')?.nested('data')
  return {
    id: data?.text('id'),
    status: data?.nested('attributes')?.text('status'),
    certificateId: certificate?.text('id'),
    answer: hide(text).slice(0, MAX_ANSWER_LENGTH).toWellFormed(),
  }
})
