import type { AuditEvent } from '../../store/store.ts'

/** A person's refusals of one verb that have a row each; after these one has a row each minute, which counts the rest. */
const WRITTEN = 20
const ROW_EVERY_MS = 60_000
/** So many persons and verbs are remembered, those who were refused last. */
const REMEMBERED = 10_000

interface Refusals {
  left: number
  at: number
  /** Those that have no row yet. */
  unwritten: number
}

export interface RefusalLog {
  /** Writes a row, or counts the refusal for the row that is written within a minute. */
  write(refusal: AuditEvent): Promise<void>
}

/**
 * Puts refusals into the audit log, in rows that somebody who is refused again and again cannot make as many as they like. What
 * is still counted when the process ends is in its own log alone.
 */
export function createRefusalLog(parts: {
  append: (refusal: AuditEvent) => Promise<unknown>
  /** Throws when the app has left the workspace since: nothing is written of it any more. */
  enter: (workspaceId: string) => Promise<unknown>
  stopwatch?: () => number
  /** Runs the work after so many milliseconds; keeps no process from ending. */
  later?: (work: () => void, ms: number) => void
}): RefusalLog {
  const { append, enter, stopwatch = () => performance.now(), later = unhurried } = parts
  const known = new Map<string, Refusals>()

  function refusalsOf({ workspaceId, actor, verb }: AuditEvent): Refusals {
    const key = JSON.stringify([workspaceId, actor.userId, verb])
    const at = stopwatch()
    const found = known.get(key) ?? { left: WRITTEN, at, unwritten: 0 }
    found.left = Math.min(WRITTEN, found.left + (at - found.at) / ROW_EVERY_MS)
    found.at = at
    known.delete(key)
    known.set(key, found)
    if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? '')
    return found
  }

  /** One row for all that were counted, of which this was the first. */
  async function writeCounted(refusals: Refusals, first: AuditEvent): Promise<void> {
    const counted = refusals.unwritten
    if (counted === 0) return
    refusals.unwritten = 0
    refusals.left -= 1
    await enter(first.workspaceId)
    const more = counted - 1
    try {
      await append({ ...first, ...(more > 0 && { after: { refusedAgainWithoutRow: more } }) })
    } catch {
      // The database is away; nobody waits for this row, so it is written with the next.
      refusals.unwritten += counted
      writeLater(refusals, first)
    }
  }

  function writeLater(refusals: Refusals, first: AuditEvent): void {
    later(() => {
      // The workspace that is gone has no log to be written into.
      writeCounted(refusals, first).catch(() => undefined)
    }, ROW_EVERY_MS)
  }

  return {
    async write(refusal) {
      const refusals = refusalsOf(refusal)
      if (refusals.unwritten === 0 && refusals.left >= 1) {
        refusals.left -= 1
        await append(refusal)
        return
      }
      refusals.unwritten += 1
      if (refusals.unwritten === 1) writeLater(refusals, refusal)
    },
  }
}

function unhurried(work: () => void, ms: number): void {
  setTimeout(work, ms).unref()
}
