import { type DatabaseTime, deleteRows, type Rows, selectRows } from '@signalman/durable'
import {
  closeIncident,
  type IncidentChange,
  type ObservedIncident,
  type ObservedTime,
} from '../../../domain/outages/observe.ts'
import type { Span } from '../../../domain/outages/outage.ts'
import type { Watch } from '../rules/watch.ts'
import { readWatchClock, type WatchClock } from '../rules/watch-clock.ts'
import { POLL, SCOPE, type WatchPollRow } from './columns.ts'
import { readOpenIncidents, saveIncidentChanges } from './incidents.ts'
import { readFirst, scopeColumns, toWatch, type WatchScope } from './row.ts'
import { hashToPollGroup, MAX_UNSAVED_MS, schedulePolls } from './watch-work.ts'

/** The stored state of a scope before its next poll. */
export interface PolledScope extends WatchScope {
  /** The number of the next successful poll. */
  readonly poll: number
  /** Includes paused watches. */
  readonly watches: readonly Watch[]
  /** Changes whenever polls write incidents. */
  readonly statesVersion: string | null
  readonly fullAt: Date | undefined
  /** How many checks the last poll found; 0 before the first. */
  readonly total: number
  /** The watch clock as of the last saved poll. */
  readonly clock: WatchClock
  /** A poll saved incidents, but was interrupted before it updated channels. */
  readonly isUndecided: boolean
  readonly isFailing: boolean
}

/** The key of a scope in maps. */
export const scopeKey = ({ workspaceId, environment }: WatchScope): string => `${workspaceId} ${environment}`

export type Poll = ReturnType<typeof POLL.parse>

/** Reads the polling state. Undefined if nothing in the scope is watched. */
export const readPoll = (rows: Rows, scope: WatchScope): Promise<Poll | undefined> =>
  readFirst(selectRows(rows, 'watch_poll', scopeColumns(scope)), POLL.parse)

/** While polls fail, `dueAt` is the time of a retry, so the interval is unknown and set to 0. */
export const toWatchClock = ({ clockMs, clockSavedAt, lastOkAt, dueAt, failingSince }: Poll): WatchClock => ({
  clockMs,
  savedAt: clockSavedAt,
  lastOkAt,
  failingSince,
  intervalMs: lastOkAt && !failingSince ? Math.max(0, dueAt.getTime() - lastOkAt.getTime()) : 0,
})

/** Whether `poll` is still the next poll, and the states still have this version. Checks only what is given. */
export async function isCurrentPoll(
  rows: Rows,
  scope: WatchScope,
  { poll, statesVersion }: { poll?: number; statesVersion?: string | null },
): Promise<boolean> {
  const current = await readPoll(rows, scope)
  return (
    current !== undefined &&
    (poll === undefined || current.polls === poll - 1) &&
    (statesVersion === undefined || (current.statesVersion ?? null) === statesVersion)
  )
}

/** Includes paused watches: their channels catch up when they resume. */
export const readWatches = async (rows: Rows, scope: WatchScope): Promise<Watch[]> =>
  (await selectRows(rows, 'watch', scopeColumns(scope)).execute()).map(toWatch)

function toPolledScope(row: WatchPollRow, watches: readonly Watch[]): PolledScope {
  const poll = POLL.parse(row)
  const { polls, total = 0, statesVersion = null, failingSince, ...rest } = poll
  const clock = toWatchClock(poll)
  return {
    ...rest,
    watches,
    clock,
    poll: polls + 1,
    total,
    statesVersion,
    isFailing: !!failingSince,
  }
}

/** Identifies the lease under which a poll is saved: the work item and the process that leased it. */
export interface LeaseHolder {
  readonly workId: string
  readonly owner: string
}

/** The observed intervals that overlap a period, oldest first. */
export async function readObserved(rows: Rows, scope: WatchScope, { from, to }: Span): Promise<Span[]> {
  const poll = await readPoll(rows, scope)
  const lastAt = getLastPollAt(poll, to)
  const since = from.toISOString()
  const found = await selectRows(rows, 'watch_observed', scopeColumns(scope))
    .where('from_at', '<', to.toISOString())
    .where('to_at', '>=', lastAt !== undefined && lastAt < since ? lastAt : since)
    .orderBy('from_at')
    .execute()
  // The interval with the latest saved poll continues until now: later polls may not be saved yet.
  const isOngoing = ({ to_at }: { to_at: string }): boolean => to_at === lastAt && to_at < to.toISOString()
  return found.map((row) => ({
    from: new Date(row.from_at),
    to: isOngoing(row) ? to : new Date(row.to_at),
  }))
}

/** Since when polls have had no gap. Undefined if nothing is watched. */
export async function readObservedSince(rows: Rows, scope: WatchScope): Promise<Date | undefined> {
  const last = selectRows(rows, 'watch_observed', scopeColumns(scope)).orderBy('from_at', 'desc').limit(1)
  const isPolled = (await readPoll(rows, scope)) !== undefined
  return isPolled ? await readFirst(last, (row) => new Date(row.from_at)) : undefined
}

/**
 * When the last saved poll ran, if polling still works. Polls that changed nothing are saved minutes later, failures
 * immediately.
 */
function getLastPollAt(poll: Poll | undefined, at: Date): string | undefined {
  if (!poll?.lastOkAt || poll.failingSince) return undefined
  return at.getTime() <= poll.dueAt.getTime() + MAX_UNSAVED_MS ? poll.lastOkAt.toISOString() : undefined
}

/** A scope of a group, with its due time. */
export type ListedScope = Awaited<ReturnType<typeof listGroupScopes>>[number]

/** All scopes of a group, most overdue first. */
export async function listGroupScopes(rows: Rows, time: DatabaseTime, group: number) {
  const found = await selectRows(rows, 'watch_poll', { poll_group: group }).select(time().as('now')).execute()
  return found
    .map((row) => ({
      ...SCOPE.parse(row),
      dueInMs: Date.parse(row.due_at) - Date.parse(row.now),
      /** False before its first poll. */
      isPolled: row.polls > 0,
      isFailing: row.failing_since !== null,
    }))
    .sort((left, right) => left.dueInMs - right.dueInMs)
}

export type ReadScopesResult = Awaited<ReturnType<typeof readScopes>>

/** Scopes with their watches. */
export async function readScopes(rows: Rows, time: DatabaseTime, scopes: readonly WatchScope[]) {
  const ids = padList([...new Set(scopes.map(({ workspaceId }) => workspaceId))])
  const found = await rows
    .selectFrom('watch_poll')
    .selectAll()
    .select(time().as('now'))
    .where('workspace_id', 'in', ids)
    .execute()
  // Includes paused watches: their channels catch up when they resume.
  const watches = await rows.selectFrom('watch').selectAll().where('workspace_id', 'in', ids).execute()
  const byScope = Map.groupBy(watches.map(toWatch), scopeKey)
  return {
    /** The database's time, so that all processes use one clock. */
    at: new Date(found[0]?.now ?? 0),
    /** By `scopeKey`. Scopes without watches are missing. */
    scopes: new Map(
      found.map((row) => {
        const key = scopeKey(SCOPE.parse(row))
        return [key, toPolledScope(row, byScope.get(key) ?? [])]
      }),
    ),
  }
}

/** Repeats a value until the list has one of a few lengths, to limit the number of prepared statements. */
function padList(values: readonly string[]): string[] {
  const length = 4 ** Math.ceil(Math.log2(values.length) / 2)
  return Array.from({ length }, (_, index) => values[index] ?? values[0] ?? '')
}

/** Starts polling a scope, unless it is already polled. */
export async function startPolling(rows: Rows, time: DatabaseTime, scope: WatchScope): Promise<void> {
  const { workspaceId, environment } = scope
  const group = hashToPollGroup(workspaceId)
  const inserted = await rows
    .insertInto('watch_poll')
    .values({
      ...POLL.toRow({
        workspaceId,
        environment,
        pollGroup: group,
        polls: 0,
        clockMs: 0,
        isUndecided: false,
        failedPolls: 0,
        dueAt: new Date(0),
      }),
      due_at: time(),
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment']).doNothing())
    .executeTakeFirst()
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) > 0n) await schedulePolls(rows, time, group)
}

/**
 * Stops polling an environment if it has no watches left. Paused watches count, because their channels catch up when they
 * resume.
 */
export async function stopUnwatchedPolling(rows: Rows, scope: WatchScope, now: Date): Promise<void> {
  const poll = await readPoll(rows, scope)
  if (!poll || (await readWatches(rows, scope)).length > 0) return
  const inScope = scopeColumns(scope)
  await deleteRows(rows, 'watch_poll', inScope)
  const time = { at: now, clockMs: readWatchClock(toWatchClock(poll), now) }
  const changes = (await readOpenIncidents(rows, scope)).map((incident) => closeUnwatched(incident, time))
  await saveIncidentChanges(rows, scope, changes, time)
}

/** Closes an incident because nobody watches the check anymore. One that was up keeps that as its ending. */
function closeUnwatched(incident: ObservedIncident, time: ObservedTime): IncidentChange {
  const { up, isDown, countedPoll } = incident
  const change = closeIncident(incident, { ...time, poll: countedPoll }, 'unseen')
  const { closed } = change.incident
  if (isDown || !closed) return change
  const ending = up?.isInstalling ? 'installing' : 'recovered'
  return { ...change, incident: { ...change.incident, closed: { ...closed, ending } } }
}
