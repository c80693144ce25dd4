import type { Kysely } from 'kysely'
import type { SubjectKey, SubjectState } from '../../domain/watching/observe.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isHeld } from '../work/act-steps.ts'
import { endBlindness, type FailedPoll, recordFailure } from './blindness.ts'
import type { ScopeOf } from './channel-view.ts'
import { dueScopes } from './due-scopes.ts'
import { endPolls, type PollEnd, type QuietEnd } from './end-polls.ts'
import { activeWatches, type Holder, isAt, type PolledScope } from './poll-rows.ts'
import { type PollPart, recordPart } from './record-poll.ts'
import { createStateCache } from './state-cache.ts'
import { turnOf } from './watch-work.ts'

export interface WatchPolls {
  /** The database's time, which dates polls alike in all processes. */
  time(): Promise<Date>
  /**
   * Scopes of a group that are due and not under way, the longest due first. Scopes whose last poll failed have their own number of
   * places, so that they keep no place from the others.
   */
  due(group: number, places: Places, underWay: UnderWay): Promise<DueScopes>
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
  /** Writes that a poll failed; after a while, or at once with a dead token, people are told that checks cannot be seen. */
  fail(scope: ScopeOf, by: Holder, failed: FailedPoll): Promise<boolean>
}

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
    async time() {
      const { now } = await rows.selectNoFrom(time().as('now')).executeTakeFirstOrThrow()
      return new Date(now)
    },

    due: (group, places, underWay) => dueScopes(rows, time, group, { places, underWay }),

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
        await recordPart(transaction, time, scope, await activeWatches(transaction, scope), part)
      }),

    finish: (scope, by, end) =>
      inScope(scope, by, { poll: end.poll }, async (transaction) => {
        await endBlindness(transaction, time, scope, end)
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
        await recordFailure(transaction, time, scope, await activeWatches(transaction, scope), failed)
      }),
  }
}
