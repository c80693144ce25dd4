import type { Kysely } from 'kysely'
import type { CheckTotals } from '../../domain/watching/outage.ts'
import type { Watch, WatchedStatus } from '../../domain/watching/watch.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchPollRow } from '../database/watch-rows.ts'
import type { ScopeOf } from './channel-view.ts'
import { dateOf, watchOf } from './row.ts'

/** All that is known of a scope before it is polled. */
export interface PolledScope extends ScopeOf {
  /** The number that the next successful poll has. */
  readonly poll: number
  readonly watches: readonly Watch[]
  /** Of what is known of its subjects: another one once that has changed. */
  readonly mark: string | null
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

/** Whether the poll is the next one; with a mark, whether nobody has written states since they were read, too. */
export async function isAt(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  { poll, mark }: { poll?: number; mark?: string | null },
): Promise<boolean> {
  const row = await rows
    .selectFrom('watch_poll')
    .select(['polls', 'states_mark'])
    .where((eb) => eb.and(scopeRow(scope)))
    .executeTakeFirst()
  return (
    row !== undefined &&
    (poll === undefined || row.polls === poll - 1) &&
    (mark === undefined || row.states_mark === mark)
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
  mark: row.states_mark,
  // Written by this program alone.
  statuses: JSON.parse(row.statuses) as WatchedStatus[],
  fullAt: dateOf(row.full_at),
  totals: row.totals === null ? undefined : (JSON.parse(row.totals) as CheckTotals),
  isFailing: row.failing_since !== null,
  isBlind: row.is_blind === 1,
})

/** Under which lease of the engine a poll is written down. */
export interface Holder {
  readonly workId: string
  readonly owner: string
}
