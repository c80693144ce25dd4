import { HOUR_MS } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'
import type { SubjectKey } from '../../../domain/outages/observe.ts'
import type { Api } from '../../../service/service.ts'
import { type BadSubjects, type Look, lookForMissing, type PollQuestion, takeCensus } from './look.ts'

/**
 * A workspace with no more checks than this is asked for all of them: one request and 64 KB take less of both sides than the
 * four requests of a short look (`npm run bench`, watching).
 */
export const MOST_AT_A_GLANCE = 200
/** Some 500 bytes for each remembered answer, and some 300 more for each check in it that is bad. */
const MOST_BAD_KEPT = 100_000
/** Answers of scopes that are not polled any more are forgotten after this. */
const KEPT_MS = HOUR_MS

interface Kept {
  readonly digest: string
  readonly bad: BadSubjects
  readonly total: number
}

export type Glance = ReturnType<typeof createGlances>

/**
 * Looks at small workspaces. What an answer came to is remembered by its digest: as long as the service says the very same,
 * nothing of it is read again.
 */
export function createGlances() {
  const kept = new LRUCache<string, Kept>({
    maxSize: MOST_BAD_KEPT,
    ttl: KEPT_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    // What is kept of a workspace beside its bad ones is as much as some of them.
    sizeCalculation: ({ bad }) => bad.size + 5,
  })

  /** Undefined when the checks do not fit into one answer. */
  return async function glance(
    name: string,
    { healthChecks }: Api,
    question: PollQuestion,
  ): Promise<Look | undefined> {
    const { known, signal, isFull } = question
    const before = kept.get(name)
    const isOfUse = !isFull && before !== undefined && [...known.keys()].every((key) => before.bad.has(key))
    const digest = isOfUse ? before.digest : undefined
    const census = takeCensus(question, isFull ? question.watches : [])
    const answer = await healthChecks.listIfChanged(MOST_AT_A_GLANCE, census.wants, { digest, signal })
    if (answer.value === undefined && before) {
      const { bad, total } = before
      const none: ReadonlySet<SubjectKey> = new Set()
      return { bad, good: none, installing: none, deleted: none, total, isFull: false }
    }
    if (!answer.value?.isWhole) return undefined
    for (const check of answer.value.results) census.count(check)
    const { total } = answer.value
    // A copy: subjects that the listing lacks may be added to `bad`.
    kept.set(name, { digest: answer.digest, bad: new Map(census.bad), total })
    const said = await lookForMissing(healthChecks, census, question)
    return { ...said, total, isFull, ...(isFull && { matched: census.matched, names: census.names }) }
  }
}
