import { HOUR_MS } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'
import type { SubjectKey } from '../../../domain/outages/observe.ts'
import type { Api } from '../../../service/service.ts'
import { askForMissing, type BadSubjects, createTally, type Look, type PollQuestion } from './look.ts'

/**
 * Up to this many checks are listed in one request: at 64 KB that costs less than the four requests of a short look (`npm
 * run bench`, watching).
 */
export const SMALL_WORKSPACE = 200
/** About 500 bytes per cached response, plus 300 per bad check. */
const MOST_BAD_KEPT = 100_000
/** Responses of scopes that are no longer polled expire after this. */
const KEPT_MS = HOUR_MS

interface CachedAnswer {
  readonly digest: string
  readonly bad: BadSubjects
  readonly total: number
}

export type LookAtSmall = ReturnType<typeof createSmallLook>

/**
 * Polls small workspaces in one request. Caches the result by the response's digest, so that an unchanged response isn't
 * parsed again.
 */
export function createSmallLook() {
  const cache = new LRUCache<string, CachedAnswer>({
    maxSize: MOST_BAD_KEPT,
    ttl: KEPT_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    // A cached response without bad checks weighs about as much as five of them.
    sizeCalculation: ({ bad }) => bad.size + 5,
  })

  /** Undefined if the checks don't fit into one response. */
  return async function lookAtSmall(
    name: string,
    { healthChecks }: Api,
    question: PollQuestion,
  ): Promise<Look | undefined> {
    const { known, signal, isFull } = question
    const before = cache.get(name)
    const isReusable =
      !isFull && before !== undefined && [...known.keys()].every((key) => before.bad.has(key))
    const digest = isReusable ? before.digest : undefined
    const census = createTally(question, isFull ? question.watches : [])
    const answer = await healthChecks.listIfChanged(SMALL_WORKSPACE, census.wants, { digest, signal })
    if (answer.value === undefined && before) {
      const { bad, total } = before
      const none: ReadonlySet<SubjectKey> = new Set()
      return { bad, good: none, installing: none, deleted: none, total, isFull: false }
    }
    if (!answer.value?.isComplete) return undefined
    for (const check of answer.value.results) census.count(check)
    const { total } = answer.value
    // A copy, because subjects missing from the listing may be added to `bad`.
    cache.set(name, { digest: answer.digest, bad: new Map(census.bad), total })
    const sorted = await askForMissing(healthChecks, census, question)
    return { ...sorted, total, isFull, ...(isFull && { matched: census.matched, names: census.names }) }
  }
}
