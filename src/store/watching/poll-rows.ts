import type { Kysely } from 'kysely'
import type { CheckTotals } from '../../domain/watching/outage.ts'
import type { Watch, WatchedStatus } from '../../domain/watching/watch.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchPollRow } from '../database/watch-rows.ts'
import type { ScopeOf } from './channel-view.ts'
import { dateOf, watchOf } from './row.ts'

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
  readonly totals: CheckTotals | undefined
  readonly isFailing: boolean
  readonly isBlind: boolean
}

/** Names a scope within this process. */
export const scopeName = ({ workspaceId, environment }: ScopeOf): string => `${workspaceId} ${environment}`

const scopeRow = ({ workspaceId, environment }: ScopeOf) => ({ workspace_id: workspaceId, environment })

/** Whether the poll is the next one; with a version, also whether the states are unchanged since they were read. */
export async function isAt(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  { poll, statesVersion }: { poll?: number; statesVersion?: string | null },
): Promise<boolean> {
  const row = await rows
    .selectFrom('watch_poll')
    .select(['polls', 'states_mark'])
    .where((eb) => eb.and(scopeRow(scope)))
    .executeTakeFirst()
  return (
    row !== undefined &&
    (poll === undefined || row.polls === poll - 1) &&
    (statesVersion === undefined || row.states_mark === statesVersion)
  )
}

export async function activeWatches(rows: Kysely<Schema>, scope: ScopeOf): Promise<Watch[]> {
  const found = await rows
    .selectFrom('watch')
    .selectAll()
    .where((eb) => eb.and(scopeRow(scope)))
    .where('paused_at', 'is', null)
    .execute()
  return found.map(watchOf)
}

export const scopeOfRow = (row: WatchPollRow, watches: readonly Watch[]): PolledScope => ({
  workspaceId: row.workspace_id,
  environment: row.environment,
  poll: row.polls + 1,
  watches,
  statesVersion: row.states_mark,
  // Written by this program alone.
  statuses: JSON.parse(row.statuses) as WatchedStatus[],
  fullAt: dateOf(row.full_at),
  totals: row.totals === null ? undefined : (JSON.parse(row.totals) as CheckTotals),
  isFailing: row.failing_since !== null,
  isBlind: row.is_blind === 1,
})

/** The lease under which a poll is written: the work, and its owner. */
export interface Holder {
  readonly workId: string
  readonly owner: string
}
