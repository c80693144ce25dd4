import { createShortCache } from '@signalman/runtime'
import {
  type CheckNames,
  type HealthCheckQuery,
  listings,
  type NamedCheck,
  type NamedChecks,
} from './health-checks.ts'
import type { Http } from './http.ts'
import { SERVICE_LIMITS } from './limits.ts'

const MAX_CHECKS = 10_000
const MAX_LISTINGS = 20
/** How many pages may be asked for at the same time. */
const CONCURRENCY = SERVICE_LIMITS.searchConnectionsPerCaller

/** Creates what keeps the names of all accounts. */
export function createCheckNames(keptMs: number) {
  const kept = createShortCache<NamedChecks | undefined>({
    freshMs: keptMs,
    maxEntries: MAX_LISTINGS,
    now: () => new Date(),
  })
  return (account: () => string, openSearch: () => Pick<Http, 'get'>): CheckNames => {
    const toKey = (query: HealthCheckQuery) => `${account()} ${JSON.stringify(query)}`
    return {
      async list(query = {}, { signal, maxAgeMs = keptMs } = {}) {
        signal?.throwIfAborted()
        const load = () => readNames(openSearch(), query)
        const listed = kept.get(toKey(query), load, Math.min(maxAgeMs, keptMs))
        return signal ? Promise.race([listed, rejectOnAbort(signal)]) : listed
      },
      async forgetAfter(write) {
        try {
          return await write
        } finally {
          kept.dropAll(`${account()} `)
        }
      },
    }
  }
}

async function readNames(http: Pick<Http, 'get'>, query: HealthCheckQuery): Promise<NamedChecks | undefined> {
  const at = new Date()
  const checks: NamedCheck[] = []
  let [total, unreadable] = [0, 0]
  for await (const page of listings(http).listAll(query, { concurrency: CONCURRENCY })) {
    for (const { uuid, name, status, protocol, target, port } of page.results)
      checks.push({ uuid, name, status, protocol, target, port })
    total = page.total
    unreadable += page.unreadable
    if (Math.max(total, checks.length) > MAX_CHECKS) return undefined
  }
  // A listing ends at an empty page, which may not be the last one.
  return { checks, unreadable: Math.max(unreadable, total - checks.length), at }
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
