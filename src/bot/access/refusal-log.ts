import type { AuditEvent } from '@signalman/durable'
import { type Log, lruOptions, UserError } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

/** How many refusals per person and verb get a row of their own. Later ones share one row a minute, with their count. */
const OWN_ROWS = 20
const ROW_INTERVAL_MS = 60_000
/** How many pairs of person and verb are remembered. The least recently refused pair is forgotten first. */
const MAX_REMEMBERED = 10_000

/** The refusals of one person and verb that share a row. */
interface Batch {
  readonly first: AuditEvent
  count: number
}

interface Refusals {
  /** How many more refusals get a row of their own. Grows by one a minute. */
  rowsLeft: number
  /** When `rowsLeft` was last updated. */
  updatedAt: number
  /** Refusals that aren't in a row yet. */
  batch: Batch | undefined
}

export type RefusalLog = ReturnType<typeof createRefusalLog>

/** How long writing the remaining counts may take at shutdown. */
const FINISH_TIMEOUT_MS = 2000

/**
 * Records refusals in the audit log, and limits their rows so that nobody can flood it. Disposing writes the remaining counts. If
 * that fails, logs how many refusals have no row.
 */
export function createRefusalLog(deps: {
  append: (refusal: AuditEvent) => Promise<unknown>
  /** Throws UserError if the app was removed from the workspace. */
  throwUnlessInstalled: (workspaceId: string) => Promise<unknown>
  log: Pick<Log, 'warn'>
  stopwatch?: () => number
  /** Runs the work after this many milliseconds, without keeping the process alive. */
  setTimer?: (work: () => void, ms: number) => void
}) {
  const {
    append,
    throwUnlessInstalled,
    log,
    stopwatch = () => performance.now(),
    setTimer = setBackgroundTimer,
  } = deps
  const findRefusals = rememberRefusals(stopwatch)
  const waiting = new Map<Batch, Refusals>()
  let isDisposed = false

  /** Ends the current batch, so the next refusal starts a new one. */
  function endBatch(refusals: Refusals): Batch | undefined {
    const { batch } = refusals
    refusals.batch = undefined
    if (batch) waiting.delete(batch)
    return batch
  }

  /** Writes one row for all refusals of the batch. Returns false if it failed and will be retried. */
  async function writeBatch(batch: Batch): Promise<boolean> {
    const refusals = waiting.get(batch)
    if (!refusals) return true
    endBatch(refusals)
    refusals.rowsLeft -= 1
    const { first, count } = batch
    const furtherCount = count - 1
    try {
      await throwUnlessInstalled(first.workspaceId)
      await append({ ...first, ...(furtherCount > 0 && { after: { refusedAgainWithoutRow: furtherCount } }) })
      return true
    } catch (error) {
      // An erased workspace has no log.
      if (error instanceof UserError) return true
      // The database is down. Nobody is waiting for this row, so it is written later.
      const newCount = endBatch(refusals)?.count ?? 0
      writeLater(refusals, { first, count: count + newCount })
      return false
    }
  }

  function writeLater(refusals: Refusals, batch: Batch): void {
    refusals.batch = batch
    waiting.set(batch, refusals)
    if (!isDisposed) setTimer(() => void writeBatch(batch), ROW_INTERVAL_MS)
  }

  return {
    /** Writes a row, or adds the refusal to this minute's row. */
    async write(refusal: AuditEvent): Promise<void> {
      const refusals = findRefusals(refusal)
      if (refusals.batch) refusals.batch.count += 1
      else if (refusals.rowsLeft < 1) writeLater(refusals, { first: refusal, count: 1 })
      else {
        refusals.rowsLeft -= 1
        await append(refusal)
      }
    },

    async [Symbol.asyncDispose](): Promise<void> {
      isDisposed = true
      const deadline = stopwatch() + FINISH_TIMEOUT_MS
      for (const batch of [...waiting.keys()]) if (stopwatch() > deadline || !(await writeBatch(batch))) break
      const count = [...waiting.keys()].reduce((sum, batch) => sum + batch.count, 0)
      if (count > 0) log.warn({ count }, 'Some counted refusals have no row in the audit log.')
    },
  }
}

/** Remembers the recent refusals of each person and verb. */
function rememberRefusals(stopwatch: () => number) {
  const refusalsByKey = new LRUCache<string, Refusals>(lruOptions(MAX_REMEMBERED))
  return ({ workspaceId, actor, verb }: AuditEvent): Refusals => {
    const key = JSON.stringify([workspaceId, actor.userId, verb])
    const at = stopwatch()
    const refusals = refusalsByKey.get(key) ?? { rowsLeft: OWN_ROWS, updatedAt: at, batch: undefined }
    refusals.rowsLeft = Math.min(OWN_ROWS, refusals.rowsLeft + (at - refusals.updatedAt) / ROW_INTERVAL_MS)
    refusals.updatedAt = at
    refusalsByKey.set(key, refusals)
    return refusals
  }
}

function setBackgroundTimer(work: () => void, ms: number): void {
  setTimeout(work, ms).unref()
}
