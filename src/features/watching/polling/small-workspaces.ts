import { HOUR_MS } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { Api } from '../../../service/service.ts'
import { createTally, fetchMissing, type PollQuery, type PollResult } from './poll-service.ts'

/**
 * A workspace with up to this many checks is polled in one request. At 64 KB, that costs less than the four requests of a normal
 * poll (see `npm run bench`, watching).
 */
export const MAX_CHECKS_OF_SMALL_WORKSPACE = 200
/** The size limit of the cache, in bad checks of about 300 bytes. */
const MAX_CACHED_BAD_CHECKS = 100_000
/** Responses of scopes that are no longer polled expire after this. */
const EXPIRES_AFTER_MS = HOUR_MS

interface CachedResponse {
  readonly digest: string
  readonly bad: ReadonlyMap<string, CheckFacts>
  readonly total: number
}

export type PollSmallWorkspace = ReturnType<typeof createSmallWorkspacePoll>

/**
 * Polls small workspaces in one request. Caches the result by the response's digest, so that an unchanged response isn't
 * parsed again.
 */
export function createSmallWorkspacePoll() {
  const cache = new LRUCache<string, CachedResponse>({
    maxSize: MAX_CACHED_BAD_CHECKS,
    ttl: EXPIRES_AFTER_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    // An entry takes about 500 bytes in addition to its bad checks. To be safe, that counts as five bad checks.
    sizeCalculation: ({ bad }) => bad.size + 5,
  })

  /** Undefined if the checks don't fit into one response. */
  return async function pollSmallWorkspace(
    key: string,
    { healthChecks }: Api,
    query: PollQuery,
  ): Promise<PollResult | undefined> {
    const { known, signal, isFull } = query
    const cached = cache.get(key)
    const isReusable =
      !isFull && cached !== undefined && [...known.keys()].every((uuid) => cached.bad.has(uuid))
    const digest = isReusable ? cached.digest : undefined
    const tally = createTally(query, isFull ? query.watches : [])
    const response = await healthChecks.listIfChanged(MAX_CHECKS_OF_SMALL_WORKSPACE, tally.isNeeded, {
      digest,
      signal,
    })
    if (response.value === undefined && cached) {
      const { bad, total } = cached
      const none: ReadonlySet<string> = new Set()
      return { bad, good: none, installing: none, deleted: none, total, isFull: false }
    }
    if (!response.value?.isComplete) return undefined
    for (const check of response.value.results) tally.count(check)
    const { total } = response.value
    // A copy, because checks missing from the listing may be added to `bad`.
    cache.set(key, { digest: response.digest, bad: new Map(tally.bad), total })
    const sorted = await fetchMissing(healthChecks, tally, query)
    return { ...sorted, total, isFull, ...(isFull && { matched: tally.matched, names: tally.names }) }
  }
}
