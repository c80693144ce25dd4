import { fetchOnce } from '@signalman/runtime'
import type { Sandbox } from '@signalman/sandbox/src/index.ts'

/** Sends a request to the sandbox. Throws if the sandbox refuses it, or doesn't respond within 5 s. */
export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

export const createCall =
  ({ productionUrl, token }: Sandbox): Call =>
  async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetchOnce(`${productionUrl}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(!path.startsWith('/_sandbox') && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5000),
    })
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}.`)
    // The sandbox's tests verify the format of its responses.
    return (await response.json()) as T
  }

export interface Check {
  uuid: string
  name: string
}

/** The health checks matching a filter such as `status=HEALTHY`. */
export async function listChecks(call: Call, query: string): Promise<Check[]> {
  const { data } = await call<{ data: { results: Check[] } }>('GET', `/healthcheck/v1/healthchecks?${query}`)
  return data.results
}
