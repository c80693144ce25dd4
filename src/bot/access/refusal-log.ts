import type { AuditEvent } from '@signalman/durable'
import { type Log, lruOptions, UserError } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

/** How many refusals per person and verb get a row each. Later ones share one row a minute, with their count. */
const WRITTEN = 20
const ROW_EVERY_MS = 60_000
/** How many pairs of person and verb are remembered, most recently refused first. */
const REMEMBERED = 10_000

/** The refusals of one person and verb that share a row. */
interface Batch {
  readonly first: AuditEvent
  count: number
}

interface Refusals {
  left: number
  at: number
  /** How many of them aren't in a row yet. */
  batch: Batch | undefined
}

export type RefusalLog = ReturnType<typeof createRefusalLog>

/** How long a stopping process may take to write the counts. */
const LAST_ROWS_MS = 2000

/**
 * Records refusals in the audit log without letting anyone flood it. Disposing writes the remaining counts; if that fails,
 * the process's own log has the number.
 */
export function createRefusalLog(parts: {
  append: (refusal: AuditEvent) => Promise<unknown>
  /** Throws UserError once the app was removed from the workspace. */
  enter: (workspaceId: string) => Promise<unknown>
  log: Pick<Log, 'warn'>
  stopwatch?: () => number
  /** Runs the work after this many milliseconds, without keeping the process alive. */
  later?: (work: () => void, ms: number) => void
}) {
  const { append, enter, log, stopwatch = () => performance.now(), later = unhurried } = parts
  const findRefusals = remembering(stopwatch)
  const waiting = new Map<Batch, Refusals>()
  let isOver = false

  /** The next refusal starts a new count. */
  function takeBatch(refusals: Refusals): Batch | undefined {
    const { batch } = refusals
    refusals.batch = undefined
    if (batch) waiting.delete(batch)
    return batch
  }

  /** Writes one row for all counted refusals. False if that failed; it is retried. */
  async function writeBatch(batch: Batch): Promise<boolean> {
    const refusals = waiting.get(batch)
    if (!refusals) return true
    takeBatch(refusals)
    refusals.left -= 1
    const { first, count } = batch
    const more = count - 1
    try {
      await enter(first.workspaceId)
      await append({ ...first, ...(more > 0 && { after: { refusedAgainWithoutRow: more } }) })
      return true
    } catch (error) {
      // An erased workspace has no log.
      if (error instanceof UserError) return true
      // The database is down. Nobody waits for this row, so it is written with the next one.
      const since = takeBatch(refusals)?.count ?? 0
      writeLater(refusals, { first, count: count + since })
      return false
    }
  }

  function writeLater(refusals: Refusals, batch: Batch): void {
    refusals.batch = batch
    waiting.set(batch, refusals)
    if (!isOver) later(() => void writeBatch(batch), ROW_EVERY_MS)
  }

  return {
    /** Writes a row, or counts the refusal into the row of this minute. */
    async write(refusal: AuditEvent): Promise<void> {
      const refusals = findRefusals(refusal)
      if (refusals.batch) refusals.batch.count += 1
      else if (refusals.left < 1) writeLater(refusals, { first: refusal, count: 1 })
      else {
        refusals.left -= 1
        await append(refusal)
      }
    },

    async [Symbol.asyncDispose](): Promise<void> {
      isOver = true
      const until = stopwatch() + LAST_ROWS_MS
      for (const batch of [...waiting.keys()]) if (stopwatch() > until || !(await writeBatch(batch))) break
      const count = [...waiting.keys()].reduce((sum, batch) => sum + batch.count, 0)
      if (count > 0) log.warn({ count }, 'Some counted refusals have no row in the audit log.')
    },
  }
}

/** The recent refusals of one person and verb. */
function remembering(stopwatch: () => number) {
  const known = new LRUCache<string, Refusals>(lruOptions(REMEMBERED))
  return ({ workspaceId, actor, verb }: AuditEvent): Refusals => {
    const key = JSON.stringify([workspaceId, actor.userId, verb])
    const at = stopwatch()
    const found = known.get(key) ?? { left: WRITTEN, at, batch: undefined }
    found.left = Math.min(WRITTEN, found.left + (at - found.at) / ROW_EVERY_MS)
    found.at = at
    known.set(key, found)
    return found
  }
}

function unhurried(work: () => void, ms: number): void {
  setTimeout(work, ms).unref()
}
