import { type Kysely, sql } from 'kysely'
import type { Meanwhile } from '../../domain/watching/card.ts'
import type { SubjectKey, SubjectState } from '../../domain/watching/observe.ts'
import type { CheckTotals } from '../../domain/watching/outage.ts'
import type { Watch, WatchedStatus } from '../../domain/watching/watch.ts'
import type { Schema } from '../database/schema.ts'
import type { ScopeOf } from './channel-view.ts'
import { dateOf, watchOf } from './row.ts'
import type { StateCache } from './state-cache.ts'

/** All that is known of a scope before it is polled. */
export interface PolledScope extends ScopeOf {
  /** The number that the next successful poll has. */
  readonly poll: number
  readonly watches: readonly Watch[]
  readonly states: ReadonlyMap<SubjectKey, SubjectState>
  /** Of these states: another one once they have changed. */
  readonly mark: string | null
  /** Statuses whose baseline is known. */
  readonly statuses: readonly WatchedStatus[]
  readonly fullAt: Date | undefined
  readonly totals: CheckTotals | undefined
  readonly isFailing: boolean
  readonly isBlind: boolean
}

/** How a successful poll ended. */
export interface PollEnd {
  readonly poll: number
  readonly at: Date
  readonly intervalMs: number
  readonly statuses: readonly WatchedStatus[]
  readonly totals: CheckTotals
  readonly isFull: boolean
  /** How many checks fit each watch; set after a full listing. */
  readonly matched?: ReadonlyMap<string, number> | undefined
  readonly meanwhile: Meanwhile
}

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

export async function readScope(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  cache: StateCache,
): Promise<PolledScope | undefined> {
  const row = await rows
    .selectFrom('watch_poll')
    .selectAll()
    .where((eb) => eb.and(scopeRow(scope)))
    .executeTakeFirst()
  if (!row) return undefined
  return {
    ...scope,
    poll: row.polls + 1,
    watches: await activeWatches(rows, scope),
    states: await cache.read(rows, scope, { mark: row.states_mark, polls: row.polls }),
    mark: row.states_mark,
    // Written by this program alone.
    statuses: JSON.parse(row.statuses) as WatchedStatus[],
    fullAt: dateOf(row.full_at),
    totals: row.totals === null ? undefined : (JSON.parse(row.totals) as CheckTotals),
    isFailing: row.failing_since !== null,
    isBlind: row.is_blind === 1,
  }
}

/** Under which lease of the engine a poll is written down. */
export interface Holder {
  readonly workId: string
  readonly owner: string
}

/**
 * Writes that a poll has ended. False, with nothing written, when it is not the next one or its work is not held any more: the
 * statement itself asks, as a process may have stood still since whatever it asked before.
 */
export async function advance(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  by: Holder,
  end: PollEnd,
): Promise<boolean> {
  const at = end.at.toISOString()
  const { numUpdatedRows } = await rows
    .updateTable('watch_poll')
    .set({
      polls: end.poll,
      due_at: new Date(end.at.getTime() + end.intervalMs).toISOString(),
      statuses: JSON.stringify(end.statuses),
      totals: JSON.stringify(end.totals),
      last_ok_at: at,
      failing_since: null,
      failure: null,
      is_blind: 0,
      ...(end.isFull && { full_at: at }),
    })
    .where((eb) => eb.and(scopeRow(scope)))
    .where('polls', '=', end.poll - 1)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('work')
          .select('work.id')
          .where('work.id', '=', by.workId)
          .where('work.owner', '=', by.owner)
          .where('work.state', '=', 'running'),
      ),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Polls that failed for longer than this leave a gap in what was observed. */
const MOST_MISSED = 3

/** Makes the last interval longer, or begins another where nobody looked for a while. */
export async function observed(
  rows: Kysely<Schema>,
  scope: ScopeOf,
  { at, intervalMs }: PollEnd,
): Promise<void> {
  const oldest = new Date(at.getTime() - MOST_MISSED * intervalMs).toISOString()
  const { numUpdatedRows } = await rows
    .updateTable('watch_observed')
    .set({ to_at: at.toISOString() })
    .where((eb) => eb.and(scopeRow(scope)))
    .where('to_at', '>=', oldest)
    .where(
      'from_at',
      '=',
      rows
        .selectFrom('watch_observed as latest')
        .select(sql<string>`max(latest.from_at)`.as('from_at'))
        .where('latest.workspace_id', '=', scope.workspaceId)
        .where('latest.environment', '=', scope.environment),
    )
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return
  await rows
    .insertInto('watch_observed')
    .values({ ...scopeRow(scope), from_at: at.toISOString(), to_at: at.toISOString() })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment', 'from_at']).doNothing())
    .execute()
}
