import { AUDIT_RETENTION_DAYS, ownSetting } from '@signalman/durable'
import { createReference, HOUR_MS, type Log } from '@signalman/runtime'
import type { Stored } from '../stored.ts'

/** How many days that have rows may go at once, and how long the app runs between two removals. */
const DAYS_AT_ONCE = 2
const RUNNING_BETWEEN_MS = 20 * HOUR_MS
/** A sweep runs every hour, so no more than this has passed since the last one. */
const MAX_BETWEEN_SWEEPS_MS = 1.1 * HOUR_MS
/** The database as a whole. */
const ALL = ''

/** How long the app has run, in milliseconds, counted by a clock that nobody can set. */
const RUNNING_MS = ownSetting<number>('audit.running-ms')
/** How long the app had run when rows were last removed at the usual pace. */
const REMOVED_AT_MS = ownSetting<number>('audit.removed-at-ms')
/** The last row whose removal an admin agreed to by shortening the retention period. */
export const APPROVED_UP_TO = ownSetting<number>('audit.approved-up-to')

/** How many rows were past the retention period after the last removal. */
export const ROWS_LEFT = ownSetting<number>('audit.rows-left')
/** The work that notifies a workspace's admins of these rows. */
export const ROWS_LEFT_WORK = 'audit.rows-left'

type RetentionStore = Pick<Stored, 'audit' | 'settings' | 'work'>

/** Counts how long this process has run since it asked last. */
export function createRunningTime(clock: () => number = () => performance.now()) {
  let last = 0
  return (): number => {
    const passed = clock() - last
    last = clock()
    return Math.max(0, Math.min(passed, MAX_BETWEEN_SWEEPS_MS))
  }
}

/**
 * Deletes audit rows older than their workspace's retention period, by the database's clock. That clock may be wrong, so rows of two
 * days at most go per twenty hours in which the app runs, besides those that an admin agreed to. Ignores a setting that was changed
 * outside of the app. If one log fails, logs the error and continues with the others.
 */
export async function applyRetention(
  store: RetentionStore,
  log: Log,
  measureRunning: () => number,
  signal?: AbortSignal,
): Promise<void> {
  const { settings } = store
  const runningMs = ((await settings.get(ALL, RUNNING_MS)) ?? 0) + measureRunning()
  await settings.set(ALL, RUNNING_MS, runningMs)
  for await (const batch of settings.listStored(AUDIT_RETENTION_DAYS))
    for (const { workspaceId, value: days } of batch) {
      signal?.throwIfAborted()
      if (days === 0) continue
      const removing = removeAtPace(store, log, { workspaceId, days, runningMs })
      await removing.catch((error: unknown) =>
        log.error({ workspace: workspaceId, err: error }, "Couldn't delete the old rows of an audit log."),
      )
    }
}

async function removeAtPace(
  { audit, settings, work }: RetentionStore,
  log: Log,
  { workspaceId, days, runningMs }: { workspaceId: string; days: number; runningMs: number },
): Promise<void> {
  const removedAtMs = await settings.get(workspaceId, REMOVED_AT_MS)
  const approvedUpTo = (await settings.get(workspaceId, APPROVED_UP_TO)) ?? 0
  const isDue = removedAtMs === undefined || runningMs - removedAtMs >= RUNNING_BETWEEN_MS
  const reference = createReference()
  // Before the removal, so that a process that dies during it doesn't repeat it.
  if (isDue && (await audit.findOlderThan(workspaceId, days)).rows > 0)
    await settings.set(workspaceId, REMOVED_AT_MS, runningMs)
  await audit.removeOlderThan(
    workspaceId,
    days,
    (at) => ({
      workspaceId,
      at,
      actor: { userId: 'system' },
      verb: 'audit.retention',
      object: 'audit log',
      after: { days },
      outcome: 'done',
      reference,
    }),
    { approvedUpTo, days: isDue ? DAYS_AT_ONCE : 0 },
  )
  const leftBefore = (await settings.get(workspaceId, ROWS_LEFT)) ?? 0
  // Between two removals, rows become due that the next one deletes.
  if (!isDue && leftBefore === 0) return
  const { rows: left } = await audit.findOlderThan(workspaceId, days)
  // Before it is stored, so that a process that dies here doesn't forget to notify anyone.
  if (left > 0 && leftBefore === 0) await work.schedule({ workspaceId, kind: ROWS_LEFT_WORK, key: 'all' })
  if (left !== leftBefore) await settings.set(workspaceId, ROWS_LEFT, left)
  if (isDue && left > 0) log.warn({ workspace: workspaceId, left }, MORE_DUE)
}

const MORE_DUE =
  'More rows of an audit log are past its retention period than are deleted at once. Check the clock of the database. If it is right, they go two days of rows at a time.'
