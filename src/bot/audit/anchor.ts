import { MINUTE_MS } from '../../domain/durations.ts'
import type { Log } from '../../log.ts'
import type { Scheduled, Store } from '../../store/store.ts'
import type { WorkKind } from '../../work/engine.ts'
import type { PutRecord } from './anchor-targets.ts'

const ANCHOR: Scheduled = { workspaceId: '', kind: 'audit.anchor', key: 'all' }

/** How much of the log may be unknown outside of the database before its end is put there: so many rows, or so long. */
export interface AnchorTimes {
  rows: number
  afterMs: number
  lookMs: number
}

const TIMES: AnchorTimes = { rows: 100, afterMs: 10 * MINUTE_MS, lookMs: MINUTE_MS }

/** Puts the signed ends of the audit log outside of the database, for all processes; says loudly when one goes back. */
export function anchorWork(parts: {
  store: Pick<Store, 'anchoring'>
  put: PutRecord
  now: () => Date
  log: Log
  times?: Partial<AnchorTimes> | undefined
}): WorkKind {
  const { store, put, now, log } = parts
  const { rows: mostRows, afterMs, lookMs } = { ...TIMES, ...parts.times }
  return {
    kind: ANCHOR.kind,
    lane: 'house',
    // It is never given up: what is unanchored grows until it can be put out.
    mostAttempts: Number.POSITIVE_INFINITY,
    async run() {
      const { anchoring } = store
      const { heads, rows, wentBack } = await anchoring.unanchored()
      for (const { head, anchored } of wentBack)
        log.error(
          { workspace: head.workspaceId, row: head.sequence, anchoredRow: anchored.sequence },
          'The audit log goes back behind what was anchored: it was cut, rolled back or written anew. Run signalman audit verify --anchor.',
        )
      const last = await anchoring.state()
      const isOld = !last || now().getTime() - Date.parse(last.at) >= afterMs
      const isDue = heads.length > 0 && (isOld || rows >= mostRows)
      if (isDue || (await anchoring.isOfFormerKey())) await anchoring.anchor(heads, now(), put)
      return { state: 'waiting', dueInMs: lookMs, isAnew: true }
    },
  }
}

export const scheduleAnchoring = (store: Pick<Store, 'work'>): Promise<void> => store.work.ensure(ANCHOR, 0)
