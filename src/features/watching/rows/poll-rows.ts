import type { DatabaseTime, Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { WatchedStatus } from '../../../domain/outages/outage.ts'
import type { Watch } from '../rules/watch.ts'
import { POLL, type WatchPollRow } from './columns.ts'
import { type ScopeOf, scopeColumns, watchOf } from './row.ts'

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

/** How many scopes may begin, by whether their last poll was answered. */
export interface Places {
  readonly answered: number
  readonly failing: number
}

/** Names of scopes, as `scopeName` has them. */
export type UnderWay = ReadonlySet<string>

export interface DueScopes {
  /** The database's time, which dates their polls alike in all processes. */
  readonly at: Date
  readonly scopes: readonly PolledScope[]
  /** Whether more may be due than there were places for. */
  readonly isMore: boolean
}

type DueRow = WatchPollRow & { readonly now: string }

/** See `WatchPolls.due`. */
export async function dueScopes(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  group: number,
  { places, underWay }: { places: Places; underWay: UnderWay },
): Promise<DueScopes> {
  const dueOf = (isFailing: boolean, most: number): Promise<DueRow[]> =>
    rows
      .selectFrom('watch_poll')
      .selectAll()
      .select(time().as('now'))
      .where('poll_group', '=', group)
      .where('due_at', '<=', time())
      .where('failing_since', isFailing ? 'is not' : 'is', null)
      .orderBy('due_at')
      // A poll that is under way stays due until it has ended.
      .limit(most + underWay.size)
      .execute()
  const due: DueRow[] = []
  let isMore = false
  for (const [isFailing, most] of [
    [false, places.answered],
    [true, places.failing],
  ] as const) {
    const found = await dueOf(isFailing, most)
    const others = found.filter((row) => !underWay.has(nameOf(row)))
    due.push(...others.slice(0, Math.max(0, most)))
    isMore ||= found.length === most + underWay.size || others.length > most
  }
  const watches = await watchesOf(rows, [...new Set(due.map((row) => row.workspace_id))])
  return {
    at: new Date(due[0]?.now ?? 0),
    scopes: due.map((row) => scopeOfRow(row, watches.get(nameOf(row)) ?? [])),
    isMore,
  }
}

const nameOf = (row: Pick<WatchPollRow, 'workspace_id' | 'environment'>): string =>
  scopeName({ workspaceId: row.workspace_id, environment: row.environment })

/** By the name of their scope. Paused ones too: what is down by then is told when they are resumed. */
async function watchesOf(rows: Kysely<Schema>, workspaceIds: readonly string[]) {
  if (workspaceIds.length === 0) return new Map()
  const found = await rows
    .selectFrom('watch')
    .selectAll()
    .where('workspace_id', 'in', padded(workspaceIds))
    .execute()
  return Map.groupBy(found.map(watchOf), scopeName)
}

/** Pads the list to one of a few lengths, so that a few prepared statements are enough. */
function padded(values: readonly string[]): string[] {
  const length = 4 ** Math.ceil(Math.log2(values.length) / 2)
  return Array.from({ length }, (_, index) => values[index] ?? values[0] ?? '')
}
