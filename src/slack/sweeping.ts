import type { Log } from '../log.ts'
import type { Setting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { createReference } from './reference.ts'

const HOUR_MS = 3_600_000
const FIRST_AFTER_MS = 60_000
const DAY_MS = 24 * HOUR_MS
/** Slack repeats an event for minutes, not days; a day leaves room for its own outages. */
const CLAIMS_KEPT_MS = DAY_MS
/** As long as the buttons that start and stop them. */
const JOBS_KEPT_MS = 7 * DAY_MS

/** For how many days a workspace keeps its audit log; 0: for ever. */
export const AUDIT_KEPT_DAYS: Setting<number> = {
  key: 'audit.kept-days',
  read: (stored) => (typeof stored === 'number' && stored > 0 ? stored : 0),
}

/** Removes what has outlived its use, every hour, from the database. */
export function startSweeping(store: Store, now: () => Date, log: Log): Disposable {
  const round = () =>
    void sweep(store, now(), log).catch((error: unknown) =>
      log.warn({ err: error }, 'Sweeping failed; it is tried again.'),
    )
  // The first soon, so that a process which never lives for an hour sweeps as well.
  const timers = [setTimeout(round, FIRST_AFTER_MS), setInterval(round, HOUR_MS)]
  for (const timer of timers) timer.unref()
  return { [Symbol.dispose]: () => timers.forEach((timer) => void clearTimeout(timer)) }
}

/** One round of it. A workspace whose audit log cannot be shortened costs the others nothing. */
export async function sweep(store: Store, now: Date, log: Log): Promise<void> {
  await store.claims.sweep(new Date(now.getTime() - CLAIMS_KEPT_MS))
  await store.ephemeralState.sweep(now)
  await store.jobs.sweep(new Date(now.getTime() - JOBS_KEPT_MS))
  for (const workspaceId of await store.audit.workspaces()) {
    await shortenAudit(store, workspaceId, now).catch((error: unknown) =>
      log.error({ workspace: workspaceId, err: error }, 'An audit log could not be shortened.'),
    )
  }
}

/** The removal is itself a row of the log. */
async function shortenAudit({ audit, settings }: Store, workspaceId: string, now: Date): Promise<void> {
  const days = await settings.get(workspaceId, AUDIT_KEPT_DAYS)
  if (days === 0) return
  const olderThan = new Date(now.getTime() - days * DAY_MS)
  const removed = await audit.retain(workspaceId, olderThan)
  if (removed === 0) return
  await audit.append({
    workspaceId,
    at: now,
    actor: { userId: 'system' },
    verb: 'audit.retention',
    object: 'audit log',
    after: { removed, olderThan: olderThan.toISOString() },
    outcome: 'done',
    reference: createReference(),
  })
}
