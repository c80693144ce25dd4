import { type DatabaseTime, deleteIn, type Rows, rowsIn, updateIn } from '@signalman/durable'
import type { Span, WatchedStatus } from '../../../domain/outages/outage.ts'
import type { Watch } from '../rules/watch.ts'
import type { WatchClock } from '../rules/watch-clock.ts'
import { POLL, SCOPE, type WatchPollRow } from './columns.ts'
import { firstOf, type ScopeOf, scopeColumns, watchOf } from './row.ts'
import { HELD_MS, pollGroupOf, schedulePolls } from './watch-work.ts'

/** A scope as it is before its next poll. */
export interface PolledScope extends ScopeOf {
  /** The number that the next successful poll has. */
  readonly poll: number
  /** Paused ones too. */
  readonly watches: readonly Watch[]
  /** The version of its subjects' states: it changes whenever one of them does. */
  readonly statesVersion: string | null
  /** Statuses whose baseline is known. */
  readonly statuses: readonly WatchedStatus[]
  readonly fullAt: Date | undefined
  /** How many checks the last poll found; 0 before the first. */
  readonly total: number
  /** The watch clock as of the last poll that was written. */
  readonly clock: WatchClock
  /** A poll was cut off before channels heard about what it had seen. */
  readonly isUndecided: boolean
  readonly isFailing: boolean
  readonly isBlind: boolean
}

/** Names a scope within this process. */
export const scopeName = ({ workspaceId, environment }: ScopeOf): string => `${workspaceId} ${environment}`

export type Poll = ReturnType<typeof POLL.of>

/** Undefined while nothing in it is watched. */
export const pollOf = (rows: Rows, scope: ScopeOf): Promise<Poll | undefined> =>
  firstOf(rowsIn(rows, 'watch_poll', scopeColumns(scope)), POLL.of)

/** While polls fail, `dueAt` says nothing about how often it is looked at. */
export const clockOf = ({ seen, seenAt, lastOkAt, dueAt, failingSince }: Poll): WatchClock => ({
  seen,
  seenAt,
  lastOkAt,
  intervalMs: lastOkAt && !failingSince ? Math.max(0, dueAt.getTime() - lastOkAt.getTime()) : 0,
})

/** Whether the poll is the next one; with a version, also whether the states are unchanged since they were read. */
export async function isAt(
  rows: Rows,
  scope: ScopeOf,
  { poll, statesVersion }: { poll?: number; statesVersion?: string | null },
): Promise<boolean> {
  const now = await pollOf(rows, scope)
  return (
    now !== undefined &&
    (poll === undefined || now.polls === poll - 1) &&
    (statesVersion === undefined || (now.statesMark ?? null) === statesVersion)
  )
}

/** Paused ones too: what their channels miss is told when they can be told again. */
export const watchesIn = async (rows: Rows, scope: ScopeOf): Promise<Watch[]> =>
  (await rowsIn(rows, 'watch', scopeColumns(scope)).execute()).map(watchOf)

function scopeOfRow(row: WatchPollRow, watches: readonly Watch[]): PolledScope {
  const poll = POLL.of(row)
  const { polls, total = 0, statesMark = null, failingSince, ...rest } = poll
  const clock = clockOf(poll)
  return {
    ...rest,
    watches,
    clock,
    poll: polls + 1,
    total,
    statesVersion: statesMark,
    isFailing: !!failingSince,
  }
}

/** The lease under which a poll is written: the work, and its owner. */
export interface Holder {
  readonly workId: string
  readonly owner: string
}

/** The intervals of polling that reach into a stretch of time, oldest first, not cut to it. */
export async function observedIn(rows: Rows, scope: ScopeOf, { from, to }: Span): Promise<Span[]> {
  const poll = await pollOf(rows, scope)
  const lastAt = lastSeenAt(poll, to)
  const since = from.toISOString()
  const found = await rowsIn(rows, 'watch_observed', scopeColumns(scope))
    .where('from_at', '<', to.toISOString())
    .where('to_at', '>=', lastAt !== undefined && lastAt < since ? lastAt : since)
    .orderBy('from_at')
    .execute()
  const isOn = ({ to_at }: { to_at: string }): boolean => to_at === lastAt && to_at < to.toISOString()
  return found.map((row) => ({
    from: new Date(row.from_at),
    to: isOn(row) ? to : new Date(row.to_at),
  }))
}

/** The last good poll, while it says how it still is: polls that change nothing are written some minutes later, those that fail at once. */
function lastSeenAt(poll: Poll | undefined, at: Date): string | undefined {
  if (!poll?.lastOkAt || poll.isBlind || poll.failingSince) return undefined
  return at.getTime() <= poll.dueAt.getTime() + HELD_MS ? poll.lastOkAt.toISOString() : undefined
}

/** A scope of a group, and when its row says that it is due. */
export type ListedScope = Awaited<ReturnType<typeof scopesOfGroup>>[number]

/** All scopes of a group, the longest due first. */
export async function scopesOfGroup(rows: Rows, time: DatabaseTime, group: number) {
  const found = await rowsIn(rows, 'watch_poll', { poll_group: group }).select(time().as('now')).execute()
  return found
    .map((row) => ({
      ...SCOPE.of(row),
      dueInMs: Date.parse(row.due_at) - Date.parse(row.now),
      /** False before its first poll. */
      isPolled: row.polls > 0,
      isFailing: row.failing_since !== null,
    }))
    .sort((one, other) => one.dueInMs - other.dueInMs)
}

export type ReadScopes = Awaited<ReturnType<typeof readScopes>>

/** Scopes as they are now, with their watches. */
export async function readScopes(rows: Rows, time: DatabaseTime, scopes: readonly ScopeOf[]) {
  const ids = padded([...new Set(scopes.map(({ workspaceId }) => workspaceId))])
  const found = await rows
    .selectFrom('watch_poll')
    .selectAll()
    .select(time().as('now'))
    .where('workspace_id', 'in', ids)
    .execute()
  // Paused ones too: what is down by then is told when they are resumed.
  const watches = await rows.selectFrom('watch').selectAll().where('workspace_id', 'in', ids).execute()
  const byScope = Map.groupBy(watches.map(watchOf), scopeName)
  return {
    /** The database's time, which dates their polls alike in all processes. */
    at: new Date(found[0]?.now ?? 0),
    /** By name; what is not watched any more is missing. */
    scopes: new Map(
      found.map((row) => {
        const name = scopeName(SCOPE.of(row))
        return [name, scopeOfRow(row, byScope.get(name) ?? [])]
      }),
    ),
  }
}

/** Pads the list to one of a few lengths, so that a few prepared statements are enough. */
function padded(values: readonly string[]): string[] {
  const length = 4 ** Math.ceil(Math.log2(values.length) / 2)
  return Array.from({ length }, (_, index) => values[index] ?? values[0] ?? '')
}

/** Polls that run already go on unchanged. */
export async function startPolling(rows: Rows, time: DatabaseTime, scope: ScopeOf): Promise<void> {
  const { workspaceId, environment } = scope
  const group = pollGroupOf(workspaceId)
  const begun = await rows
    .insertInto('watch_poll')
    .values({
      ...POLL.row({
        workspaceId,
        environment,
        pollGroup: group,
        polls: 0,
        seen: 0,
        isUndecided: false,
        statuses: [],
        isBlind: false,
        dueAt: new Date(0),
      }),
      due_at: time(),
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment']).doNothing())
    .executeTakeFirst()
  if ((begun.numInsertedOrUpdatedRows ?? 0n) > 0n) await schedulePolls(rows, time, group)
}

/**
 * Ends the polling of an environment without watches; the next watch begins with a baseline. Paused watches are still polled, so that
 * their channels can be told what is down when they resume.
 */
export async function settlePolling(rows: Rows, scope: ScopeOf, now: Date): Promise<void> {
  if (!(await pollOf(rows, scope)) || (await watchesIn(rows, scope)).length > 0) return
  const ofScope = scopeColumns(scope)
  await deleteIn(rows, 'watch_poll', ofScope)
  const ended = { ended_at: now.toISOString(), ending: 'unseen', phase: null } as const
  await updateIn(rows, 'watch_outage', { ...ofScope, ended_at: null }, ended)
}
