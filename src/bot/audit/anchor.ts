import type { Scheduled, WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { MINUTE_MS } from '@signalman/runtime'
import type { Stored } from '../stored.ts'
import type { PutRecord } from './anchor-targets.ts'

const ANCHOR: Scheduled = { workspaceId: '', kind: 'audit.anchor', key: 'all' }

/** Puts the signed ends of the audit log outside of the database, for all processes. */
export interface ScheduledAnchoring {
  /** Does so each minute. */
  readonly kind: WorkKind
  /** The last time in this process, for the rows since then; a process that goes on without it is left to do it. */
  finish(withinMs?: number): Promise<void>
}

/** Longer than any target takes. */
const LEASE_MS = MINUTE_MS
/** For how long a process that ends waits for the target. */
const LAST_WITHIN_MS = 5000

export function createAnchoring(parts: {
  store: Pick<Stored, 'anchoring' | 'work'>
  put: PutRecord
  now: () => Date
  log: Log
}): ScheduledAnchoring {
  const { store, put, now, log } = parts
  const { anchoring, work } = store

  /** Says loudly when an end goes back. */
  async function anchor(): Promise<void> {
    const { heads, wentBack } = await anchoring.unanchored()
    for (const { head, anchored } of wentBack)
      log.error(
        { workspace: head.workspaceId, row: head.sequence, anchoredRow: anchored.sequence },
        'The audit log goes back behind what was anchored: it was cut, rolled back or written anew. Run signalman audit verify --anchor.',
      )
    if (heads.length > 0 || (await anchoring.isOfFormerKey())) await anchoring.anchor(heads, now(), put)
    await anchoring.sawAll(now())
  }

  async function last(): Promise<void> {
    const owner = 'the end'
    await work.schedule(ANCHOR)
    const claimed = await work.claim(ANCHOR, owner, LEASE_MS)
    // Another process does it, and once more after that.
    if (!claimed) return
    try {
      await anchor()
    } finally {
      await work.release(claimed.id, owner, { state: 'waiting', dueInMs: MINUTE_MS, isAnew: true })
    }
  }

  return {
    kind: {
      kind: ANCHOR.kind,
      lane: 'house',
      // It is never given up: what is unanchored grows until it can be put out.
      mostAttempts: Number.POSITIVE_INFINITY,
      async run() {
        await anchor()
        return { state: 'waiting', dueInMs: MINUTE_MS, isAnew: true }
      },
    },
    async finish(withinMs = LAST_WITHIN_MS) {
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(() => late.reject(new Error('It takes too long.')), withinMs)
      await Promise.race([last(), late.promise])
        .catch((error: unknown) =>
          log.warn({ err: error }, 'The last rows of the audit log were not anchored.'),
        )
        .finally(() => clearTimeout(timer))
    },
  }
}

export const scheduleAnchoring = (store: Pick<Stored, 'work'>): Promise<void> => store.work.ensure(ANCHOR, 0)
