import type { DatabaseTime, Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import { BLIND_AFTER_MS, type ObservedInterval, type WatchedStatus } from '../../../domain/outages/outage.ts'
import type { Looked } from '../rules/sum-history.ts'
import type { Watch } from '../rules/watch.ts'
import { POLL, type WatchPollRow } from './columns.ts'
import { type ScopeOf, scopeColumns, watchOf } from './row.ts'
import { HELD_MS } from './watch-work.ts'

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
  readonly isFailing: boolean
  readonly isBlind: boolean
}

/** Names a scope within this process. */
export const scopeName = ({ workspaceId, environment }: ScopeOf): string => `${workspaceId} ${environment}`

/** Whether the poll is the next one; with a version, also whether the states are unchanged since they were read. */
export async function isAt(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  { poll, statesVersion }: { poll?: number; statesVersion?: string | null },
): Promise<boolean> {
  const row = await rows
    .selectFrom('watch_poll')
    .select(['polls', 'states_mark'])
    .where((row) => row.and(scopeColumns(scope)))
    .executeTakeFirst()
  return (
    row !== undefined &&
    (poll === undefined || row.polls === poll - 1) &&
    (statesVersion === undefined || row.states_mark === statesVersion)
  )
}

/** Paused ones too: what their channels miss is told when they can be told again. */
export async function watchesIn(rows: Kysely<Schema>, scope: ScopeOf): Promise<Watch[]> {
  const found = await rows
    .selectFrom('watch')
    .selectAll()
    .where((row) => row.and(scopeColumns(scope)))
    .execute()
  return found.map(watchOf)
}

function scopeOfRow(row: WatchPollRow, watches: readonly Watch[]): PolledScope {
  const { polls, total = 0, statesMark = null, failingSince, ...poll } = POLL.of(row)
  return { ...poll, watches, poll: polls + 1, total, statesVersion: statesMark, isFailing: !!failingSince }
}

/** The lease under which a poll is written: the work, and its owner. */
export interface Holder {
  readonly workId: string
  readonly owner: string
}

/** Undefined while nothing in it is watched. */
export const pollOf = (rows: Kysely<Schema>, scope: ScopeOf): Promise<WatchPollRow | undefined> =>
  rows
    .selectFrom('watch_poll')
    .selectAll()
    .where((row) => row.and(scopeColumns(scope)))
    .executeTakeFirst()

/** Whether what is known of a scope is recent: polls that change nothing are written some minutes later, those that fail at once. */
function isSeen(row: WatchPollRow | undefined, at: Date): boolean {
  if (!row?.last_ok_at || row.is_blind === 1) return false
  const isFailing = row.failing_since !== null
  const until = isFailing ? Date.parse(row.last_ok_at) + BLIND_AFTER_MS : Date.parse(row.due_at) + HELD_MS
  return at.getTime() <= until
}

export async function lookedAt(
  rows: Kysely<Schema>,
  { workspaceId, environment }: ScopeOf,
  { from, to }: ObservedInterval,
): Promise<Looked> {
  const scope = { workspaceId, environment }
  const poll = await pollOf(rows, scope)
  const isRecent = isSeen(poll, to)
  const lastAt = isRecent && poll?.failing_since === null ? poll.last_ok_at : null
  const since = from.toISOString()
  const found = await rows
    .selectFrom('watch_observed')
    .select(['from_at', 'to_at'])
    .where((row) => row.and(scopeColumns(scope)))
    .where('from_at', '<', to.toISOString())
    .where('to_at', '>=', lastAt !== null && lastAt < since ? lastAt : since)
    .orderBy('from_at')
    .execute()
  const isOn = ({ to_at }: { to_at: string }): boolean => to_at === lastAt && to_at < to.toISOString()
  const observed = found.map((row) => ({
    from: new Date(row.from_at),
    to: isOn(row) ? to : new Date(row.to_at),
  }))
  return { observed, isSeen: isRecent }
}

/** A scope of a group, and when its row says that it is due. */
export interface ListedScope extends ScopeOf {
  readonly dueInMs: number
  /** False before its first poll. */
  readonly isPolled: boolean
  readonly isFailing: boolean
}

/** All scopes of a group, the longest due first. */
export async function scopesOfGroup(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  group: number,
): Promise<ListedScope[]> {
  const found = await rows
    .selectFrom('watch_poll')
    .select(['workspace_id', 'environment', 'due_at', 'polls', 'failing_since', time().as('now')])
    .where('poll_group', '=', group)
    .execute()
  return found
    .map((row) => ({
      workspaceId: row.workspace_id,
      environment: row.environment,
      dueInMs: Date.parse(row.due_at) - Date.parse(row.now),
      isPolled: row.polls > 0,
      isFailing: row.failing_since !== null,
    }))
    .sort((one, other) => one.dueInMs - other.dueInMs)
}

export interface ReadScopes {
  /** The database's time, which dates their polls alike in all processes. */
  readonly at: Date
  /** By name; what is not watched any more is missing. */
  readonly scopes: ReadonlyMap<string, PolledScope>
}

/** Scopes as they are now, with their watches. */
export async function readScopes(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  scopes: readonly ScopeOf[],
): Promise<ReadScopes> {
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
    at: new Date(found[0]?.now ?? 0),
    scopes: new Map(
      found.map((row) => {
        const name = scopeName({ workspaceId: row.workspace_id, environment: row.environment })
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
