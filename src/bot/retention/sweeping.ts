import { HOUR_MS } from '../../domain/durations.ts'
import type { Log } from '../../log.ts'
import type { Scheduled, Store } from '../../store/store.ts'
import { ACT } from '../../work/act.ts'
import type { WorkKind } from '../../work/engine.ts'
import { applyRetention } from './audit-retention.ts'
import { ACTS_KEPT_MS, ATTEMPTS_KEPT_MS, JOBS_KEPT_MS, KEYS_KEPT_MS, ORDERS_KEPT_MS } from './kept-for.ts'
import { sweepThreats } from './threat-retention.ts'

const FIRST_AFTER_MS = 60_000
const SWEEP: Scheduled = { workspaceId: '', kind: 'sweep', key: 'hourly' }

/** Deletes old rows from the database every hour; one process does it for all. */
export function sweeping(store: Store, now: () => Date, log: Log): WorkKind {
  return {
    kind: SWEEP.kind,
    lane: 'house',
    // Never given up: a table that is not swept grows for ever.
    mostAttempts: Number.POSITIVE_INFINITY,
    async run({ signal }) {
      await sweep(store, now(), log, signal)
      return { state: 'waiting', dueInMs: HOUR_MS, isAnew: true }
    },
  }
}

/** The first sweep comes soon, so that a process that never lives for an hour sweeps too. */
export const scheduleSweeping = (store: Pick<Store, 'work'>): Promise<void> =>
  store.work.ensure(SWEEP, FIRST_AFTER_MS)

/** Sweeps once, in small batches. */
export async function sweep(store: Store, now: Date, log: Log, signal?: AbortSignal): Promise<void> {
  await store.idempotencyKeys.sweep(KEYS_KEPT_MS)
  await store.ephemeralState.sweep(now)
  await store.work.sweep({ only: ACT }, ACTS_KEPT_MS)
  await store.postAttempts.sweep(ATTEMPTS_KEPT_MS)
  await store.work.sweep({ not: ACT }, JOBS_KEPT_MS)
  await store.watching.sweep()
  await store.orders.sweep(ORDERS_KEPT_MS)
  await sweepThreats(store, now, signal)
  await applyRetention(store, now, log, signal)
  await store.shrink(signal)
}
