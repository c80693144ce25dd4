import type { Log } from '../../log.ts'
import { createReference } from '../../slack/receive/reference.ts'
import type { Scheduled, Store } from '../../store/store.ts'
import type { Setting } from '../../store/workspaces/settings.ts'
import { ACT } from '../../work/act.ts'
import type { WorkKind } from '../../work/engine.ts'

const HOUR_MS = 3_600_000
const FIRST_AFTER_MS = 60_000
const DAY_MS = 24 * HOUR_MS
/** Slack repeats an event for minutes, not days; a day leaves room for its own outages. */
const KEYS_KEPT_MS = DAY_MS
/** As long as Slack could repeat what began them, with room to spare. */
const ACTS_KEPT_MS = DAY_MS
/** As long as the buttons that start and stop them. */
const JOBS_KEPT_MS = 7 * DAY_MS

/** For how many days a workspace keeps its audit log; 0: for ever. */
export const AUDIT_KEPT_DAYS: Setting<number> = {
  key: 'audit.kept-days',
  read: (stored) => (typeof stored === 'number' && stored > 0 ? stored : 0),
}

const SWEEP: Scheduled = { workspaceId: '', kind: 'sweep', key: 'hourly' }

/** Removes what has outlived its use, every hour, from the database; one process does it for all. */
export function sweeping(store: Store, now: () => Date, log: Log): WorkKind {
  return {
    kind: SWEEP.kind,
    lane: 'long',
    async run({ signal }) {
      await sweep(store, now(), log, signal)
      return { state: 'waiting', dueInMs: HOUR_MS }
    },
  }
}

/** Soon, so that a process which never lives for an hour sweeps as well. */
export const scheduleSweeping = (store: Pick<Store, 'work'>): Promise<void> =>
  store.work.ensure(SWEEP, FIRST_AFTER_MS)

/** One round of it, in small turns. A workspace whose audit log cannot be shortened costs the others nothing. */
export async function sweep(store: Store, now: Date, log: Log, signal?: AbortSignal): Promise<void> {
  await store.idempotencyKeys.sweep(KEYS_KEPT_MS)
  await store.ephemeralState.sweep(now)
  await store.work.sweep({ only: ACT }, ACTS_KEPT_MS)
  await store.work.sweep({ not: ACT }, JOBS_KEPT_MS)
  for await (const some of store.settings.having(AUDIT_KEPT_DAYS)) {
    signal?.throwIfAborted()
    const oldest = await store.audit.oldest(some.map(({ workspaceId }) => workspaceId))
    for (const { workspaceId, value: days } of some) {
      const olderThan = new Date(now.getTime() - days * DAY_MS)
      const first = oldest.get(workspaceId)
      if (days === 0 || !first || first >= olderThan) continue
      await shortenAudit(store, workspaceId, olderThan, now).catch((error: unknown) =>
        log.error({ workspace: workspaceId, err: error }, 'An audit log could not be shortened.'),
      )
    }
  }
}

/** The removal is itself a row of the log. */
async function shortenAudit(
  { audit }: Store,
  workspaceId: string,
  olderThan: Date,
  now: Date,
): Promise<void> {
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
