import { UserError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { AuditEvent } from '../../store/store.ts'

/** A person's refusals of one verb that have a row each; after these one has a row each minute, which counts the rest. */
const WRITTEN = 20
const ROW_EVERY_MS = 60_000
/** So many persons and verbs are remembered, those who were refused last. */
const REMEMBERED = 10_000

/** Refusals that have one row together, or none yet. */
interface Batch {
  readonly first: AuditEvent
  count: number
}

interface Refusals {
  left: number
  at: number
  /** Those that have no row yet. */
  batch: Batch | undefined
}

export interface RefusalLog extends AsyncDisposable {
  /** Writes a row, or counts the refusal for the row that is written within a minute. */
  write(refusal: AuditEvent): Promise<void>
}

/** When the process ends, so long is taken to write what is still counted. */
const LAST_ROWS_MS = 2000

/**
 * Puts refusals into the audit log, in rows that somebody who is refused again and again cannot make as many as they like. What
 * is still counted is written when it is disposed of; of what cannot be, the process's own log has the number.
 */
export function createRefusalLog(parts: {
  append: (refusal: AuditEvent) => Promise<unknown>
  /** Throws UserError when the app has left the workspace since: nothing is written of it any more. */
  enter: (workspaceId: string) => Promise<unknown>
  log: Pick<Log, 'warn'>
  stopwatch?: () => number
  /** Runs the work after so many milliseconds; keeps no process from ending. */
  later?: (work: () => void, ms: number) => void
}): RefusalLog {
  const { append, enter, log, stopwatch = () => performance.now(), later = unhurried } = parts
  const refusalsOf = remembering(stopwatch)
  const waiting = new Map<Batch, Refusals>()
  let isOver = false

  /** From now on the next refusal begins another. */
  function takeBatch(refusals: Refusals): Batch | undefined {
    const { batch } = refusals
    refusals.batch = undefined
    if (batch) waiting.delete(batch)
    return batch
  }

  /** One row for all that were counted. False when it could not be written: it is then still waiting. */
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
      // The workspace that is gone has no log to be written into.
      if (error instanceof UserError) return true
      // The database is away; nobody waits for this row, so it is written with the next.
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
    async write(refusal) {
      const refusals = refusalsOf(refusal)
      if (refusals.batch) refusals.batch.count += 1
      else if (refusals.left < 1) writeLater(refusals, { first: refusal, count: 1 })
      else {
        refusals.left -= 1
        await append(refusal)
      }
    },

    async [Symbol.asyncDispose]() {
      isOver = true
      const until = stopwatch() + LAST_ROWS_MS
      for (const batch of [...waiting.keys()]) if (stopwatch() > until || !(await writeBatch(batch))) break
      const count = [...waiting.keys()].reduce((sum, batch) => sum + batch.count, 0)
      if (count > 0) log.warn({ count }, 'Refusals were counted for which the audit log has no row.')
    },
  }
}

/** What is known of a person's refusals of one verb. */
function remembering(stopwatch: () => number) {
  const known = new Map<string, Refusals>()
  return ({ workspaceId, actor, verb }: AuditEvent): Refusals => {
    const key = JSON.stringify([workspaceId, actor.userId, verb])
    const at = stopwatch()
    const found = known.get(key) ?? { left: WRITTEN, at, batch: undefined }
    found.left = Math.min(WRITTEN, found.left + (at - found.at) / ROW_EVERY_MS)
    found.at = at
    known.delete(key)
    known.set(key, found)
    if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? '')
    return found
  }
}

function unhurried(work: () => void, ms: number): void {
  setTimeout(work, ms).unref()
}
