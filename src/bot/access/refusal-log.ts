import type { AuditEvent } from '@signalman/durable'
import { type Log, lruOptions, MINUTE_MS } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

/** How many refusals of one person get a row in a minute. */
const ROWS_PER_MINUTE = 100
/** How many people are remembered. */
const MAX_PEOPLE = 10_000

export type RefusalLog = ReturnType<typeof createRefusalLog>

/** Records refusals in the audit log, and limits their rows so that nobody can flood it. */
export function createRefusalLog(deps: {
  append: (refusal: AuditEvent) => Promise<unknown>
  log: Pick<Log, 'warn'>
  stopwatch?: () => number
}) {
  const { append, log, stopwatch = () => performance.now() } = deps
  /** The refusals of each person since their first one in this minute. */
  const counts = new LRUCache<string, number>({
    ...lruOptions(MAX_PEOPLE),
    ttl: MINUTE_MS,
    ttlResolution: 0,
    noUpdateTTL: true,
    perf: { now: stopwatch },
  })
  return {
    async write(refusal: AuditEvent): Promise<void> {
      const { workspaceId, actor, reference } = refusal
      const key = `${workspaceId} ${actor.userId}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (count <= ROWS_PER_MINUTE) await append(refusal)
      else if (count === ROWS_PER_MINUTE + 1)
        log.warn(
          { reference, workspace: workspaceId },
          'One person was refused so often that the audit log gets no more of it in this minute.',
        )
    },
  }
}
