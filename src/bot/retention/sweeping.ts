// This folder deletes expired rows.

import { ACT, type WorkKey, type WorkKind } from '@signalman/durable'
import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import type { Stored } from '../stored.ts'

const FIRST_SWEEP_MS = 60_000
const SWEEP: WorkKey = { workspaceId: '', kind: 'sweep', key: 'hourly' }

/** Deletes old rows from the database every hour, in one process for all. */
export function createSweepWork(store: Stored, retentionDays: number | undefined): WorkKind {
  return {
    kind: SWEEP.kind,
    lane: 'maintenance',
    // Retried forever, because tables would grow indefinitely without it.
    maxAttempts: Number.POSITIVE_INFINITY,
    async run() {
      await sweep(store, retentionDays)
      return { state: 'waiting', dueInMs: HOUR_MS, isSuccess: true }
    },
  }
}

/** The first sweep runs soon, so that even a process that runs for less than an hour sweeps. */
export const scheduleSweeping = (store: Pick<Stored, 'work'>): Promise<void> =>
  store.work.ensure(SWEEP, FIRST_SWEEP_MS)

/** Sweeps once, in small batches. Without `retentionDays`, the audit log is kept. */
export async function sweep(store: Stored, retentionDays?: number): Promise<void> {
  await store.work.sweep({ kind: ACT }, ACTS_KEPT_MS)
  await store.work.sweep({ states: ['prepared'] }, PREVIEWS_KEPT_MS)
  await store.work.sweep({ exceptKind: ACT }, JOBS_KEPT_MS)
  await store.sweepRows()
  if (retentionDays !== undefined) await store.audit.removeOlderThan(retentionDays)
}

/** Slack redelivers a request for less time than this. */
const ACTS_KEPT_MS = DAY_MS
/** How long the button of a preview works. */
const PREVIEWS_KEPT_MS = HOUR_MS
/** How long jobs are kept after they end. */
const JOBS_KEPT_MS = 7 * DAY_MS
