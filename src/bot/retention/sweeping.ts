import { DAY_MS, HOUR_MS } from '../../domain/durations.ts'
import type { Log } from '../../log.ts'
import type { Scheduled, Store } from '../../store/store.ts'
import { ACT } from '../../work/act.ts'
import type { WorkKind } from '../../work/engine.ts'
import { applyRetention } from './audit-retention.ts'
import { sweepThreats } from './threat-retention.ts'

const FIRST_AFTER_MS = 60_000
/** Slack repeats an event for minutes, not days; a day leaves room for its own outages. */
const KEYS_KEPT_MS = DAY_MS
/** As long as Slack could repeat what began them, with room to spare. */
const ACTS_KEPT_MS = DAY_MS
/** A post of unknown outcome that nobody has looked for since then is not posted: its news was told otherwise. */
const ATTEMPTS_KEPT_MS = DAY_MS
/** As long as the buttons that start and stop them work. */
const JOBS_KEPT_MS = 7 * DAY_MS
/** Far longer than any certificate is good for, and than anybody asks who ordered it. */
const ORDERS_KEPT_MS = 3650 * DAY_MS

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
