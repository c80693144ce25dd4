import { type Database, type DatabaseTime, isHeld, readTime, type Schema } from '@signalman/durable'
import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { SubjectKey, SubjectState } from '../../../domain/outages/observe.ts'
import { showAgain } from './cards.ts'
import {
  endBlindness,
  endPolls,
  type FailedPoll,
  type PollEnd,
  type QuietEnd,
  recordFailure,
} from './end-polls.ts'
import {
  type DueScopes,
  dueScopes,
  type Holder,
  isAt,
  type Places,
  type PolledScope,
  pollOf,
  type UnderWay,
  watchesIn,
} from './poll-rows.ts'
import { type PollPart, recordPart } from './record-poll.ts'
import type { ScopeOf } from './row.ts'
import { statesOf } from './subject-rows.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'

export interface WatchPolls {
  /** The database's time, which dates polls alike in all processes. */
  time(): Promise<Date>
  /**
   * Scopes of a group that are due and not under way, the longest due first. Scopes whose last poll failed have their own number of
   * places, so that they keep no place from the others.
   */
  due(group: number, places: Places, underWay: UnderWay): Promise<DueScopes>
  /** Makes due now what is due later than any poll puts it off, by `mostMs`: the database's clock was set back since. */
  bringForward(group: number, mostMs: number): Promise<void>
  /** In how many milliseconds the next one of a group is due; undefined when nothing in it is watched. */
  nextDueMs(group: number): Promise<number | undefined>
  /** The state of every subject that is not simply good. */
  states(scope: PolledScope): Promise<ReadonlyMap<SubjectKey, SubjectState>>
  /**
   * Writes a part of a poll in one transaction. False, with nothing written, when another process has taken the scope over or has
   * written newer states.
   */
  record(scope: ScopeOf, by: Holder, part: PollPart): Promise<boolean>
  /** Ends a poll in which something had changed. False as `record`. */
  finish(scope: ScopeOf, by: Holder, end: PollEnd): Promise<boolean>
  /**
   * Ends polls in which nothing had changed, all in one transaction, which a power cut may take back. Returns for each whether it was
   * written: false as `record`.
   */
  finishQuietly(ends: readonly QuietEnd[]): Promise<boolean[]>
  /** What is due of the groups that this owner polls, or nobody: the longest due first, at most 100. */
  overdue(owner: string): Promise<OverdueScope[]>
  /** Has people told that a poll is late, unless it was written or told meanwhile. False when it was. */
  tellLate(scope: OverdueScope): Promise<boolean>
  /** Writes that a poll failed; after a while, or at once with a dead token, people are told that checks cannot be seen. */
  fail(scope: ScopeOf, by: Holder, failed: FailedPoll): Promise<boolean>
}

interface OverdueScope extends ScopeOf {
  /** ISO text. */
  readonly dueAt: string
}

const MOST_OVERDUE = 100

/** The rows of `watch_poll`, `watch_state` and what follows from them. */
export function watchPolls(database: Database, time: DatabaseTime): WatchPolls {
  const { rows, relaxed, inTurn, kind } = database
  const cache = createStateCache()
  const inScope = (
    scope: ScopeOf,
    by: Holder,
    at: Parameters<typeof isAt>[2],
    work: (db: Kysely<Schema>) => Promise<void>,
  ) =>
    inTurn(turnOf(scope.workspaceId), async (transaction) => {
      if (!(await isHeld(transaction, by.workId, by.owner))) return false
      if (!(await isAt(transaction, scope, at))) return false
      await work(transaction)
      return true
    })

  return {
    ...latePolls(database, time),

    time: () => readTime(rows, time),

    due: (group, places, underWay) => dueScopes(rows, time, group, { places, underWay }),

    async bringForward(group, mostMs) {
      await rows
        .updateTable('watch_poll')
        .set({ due_at: time() })
        .where('poll_group', '=', group)
        .where('due_at', '>', time(mostMs))
        .execute()
    },

    async nextDueMs(group) {
      const row = await rows
        .selectFrom('watch_poll')
        .select(['due_at', time().as('now')])
        .where('poll_group', '=', group)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst()
      return row && Math.max(0, new Date(row.due_at).getTime() - new Date(row.now).getTime())
    },

    states: (scope) => cache.read(rows, scope, { version: scope.statesVersion, polls: scope.poll - 1 }),

    record: (scope, by, part) =>
      inScope(scope, by, part, async (transaction) => {
        await recordPart(transaction, time, scope, await watchesIn(transaction, scope), part)
      }),

    finish: (scope, by, end) =>
      inScope(scope, by, { poll: end.poll }, async (transaction) => {
        await endBlindness(transaction, time, scope, end.meanwhile)
        if (end.isFull) await showAgain(transaction, time, scope, end.at)
        for (const [id, matched] of end.matched ?? [])
          await transaction.updateTable('watch').set({ matched }).where('id', '=', id).execute()
        const [isWritten] = await endPolls(transaction, kind, [{ scope, by, end }])
        // A quiet poll takes no turn: where one came in between, this transaction is rolled back.
        if (!isWritten) throw new Error('Another process has written a poll meanwhile.')
        cache.polled(scope, end.poll)
      }),

    async finishQuietly(ends) {
      const written = await relaxed((db) =>
        db.transaction().execute((transaction) => endPolls(transaction, kind, ends)),
      )
      for (const [index, { scope, end }] of ends.entries()) if (written[index]) cache.polled(scope, end.poll)
      return written
    },

    fail: (scope, by, failed) =>
      inScope(scope, by, {}, async (transaction) => {
        await recordFailure(transaction, time, scope, await watchesIn(transaction, scope), failed)
      }),
  }
}

function latePolls({ rows, inTurn }: Database, time: DatabaseTime): Pick<WatchPolls, 'overdue' | 'tellLate'> {
  return {
    async overdue(owner) {
      const found = await rows
        .selectFrom('watch_poll')
        .select(['workspace_id', 'environment', 'due_at'])
        .where('due_at', '<=', time())
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('work')
                .select('work.id')
                .where('work.workspace_id', '=', '')
                .where('work.kind', '=', WATCH_WORK.poll)
                .where('work.key', '=', sql<string>`cast(watch_poll.poll_group as text)`)
                .where('work.state', '=', 'running')
                .where('work.owner', '<>', owner),
            ),
          ),
        )
        .orderBy('due_at')
        .limit(MOST_OVERDUE)
        .execute()
      return found.map((row) => ({
        workspaceId: row.workspace_id,
        environment: row.environment,
        dueAt: row.due_at,
      }))
    },

    tellLate: (scope) =>
      inTurn(turnOf(scope.workspaceId), async (transaction) => {
        const row = await pollOf(transaction, scope)
        if (row?.due_at !== scope.dueAt || row.is_blind === 1) return false
        const failed = { failure: 'late', at: await readTime(transaction, time), retryMs: undefined } as const
        await recordFailure(transaction, time, scope, await watchesIn(transaction, scope), failed)
        return true
      }),
  }
}

type States = ReadonlyMap<SubjectKey, SubjectState>

/** A process keeps this many states of all scopes together; some 300 bytes each. */
const MOST_STATES = 100_000

/**
 * The states of scopes as they were read last. They are current as long as the row of the poll has the same version and no other
 * process has polled since.
 */
function createStateCache() {
  const kept = new LRUCache<string, { version: string | null; polls: number; states: States }>({
    maxSize: MOST_STATES,
    sizeCalculation: ({ states }) => states.size + 1,
  })
  const keyOf = ({ workspaceId, environment }: ScopeOf): string => `${workspaceId} ${environment}`
  return {
    /** A poll of this process has ended. */
    polled(scope: ScopeOf, polls: number): void {
      const known = kept.get(keyOf(scope))
      if (known?.polls === polls - 1) known.polls = polls
    },
    /** Read the poll's row first: newer states are then read once more than needed, and older ones are never kept. */
    async read(
      rows: Kysely<Schema>,
      scope: ScopeOf,
      { version, polls }: { version: string | null; polls: number },
    ): Promise<States> {
      const known = kept.get(keyOf(scope))
      if (known && known.version === version && known.polls === polls) return known.states
      const states = await statesOf(rows, scope)
      kept.set(keyOf(scope), { version, polls, states })
      return states
    },
  }
}
