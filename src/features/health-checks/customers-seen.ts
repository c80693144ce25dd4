import { ApiError } from '../../api/errors.ts'
import type { Api } from '../../api/service.ts'

/** As many as a page of the listing gives. */
const LOOKED_AT = 500
const MOST = 90

/** The customers of the first health checks, smallest first: what is offered where a customer is asked for. Reads only. */
export async function customersSeen({ healthChecks }: Api): Promise<number[]> {
  try {
    const { results } = await healthChecks.list({ limit: LOOKED_AT })
    const ids = results.flatMap(({ customerId }) => (customerId === undefined ? [] : [customerId]))
    return [...new Set(ids)].sort((left, right) => left - right).slice(0, MOST)
  } catch (error) {
    // It is an offer: without it the number is typed.
    if (error instanceof ApiError) return []
    throw error
  }
}
