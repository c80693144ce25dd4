import type { Kysely } from 'kysely'
import type { SubjectKey, SubjectState } from '../../domain/watching/observe.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isHeld } from '../work/recorded-steps.ts'
import { endBlindness, type FailedPoll, recordFailure } from './blindness.ts'
import type { ScopeOf } from './channel-view.ts'
import { dueScopes } from './due-scopes.ts'
import { endPolls, type PollEnd, type QuietEnd } from './end-polls.ts'
import { activeWatches, type Holder, isAt, type PolledScope } from './poll-rows.ts'
import { type PollPart, recordPart } from './record-poll.ts'
import { createStateCache } from './state-cache.ts'
import { turnOf } from './watch-work.ts'

export interface WatchPolls {
  /** The time by which polls are dated: the database's, which is one for all processes. */
  time(): Promise<Date>
  /**
   * Scopes of a group that are due, the one that waits for longest first, without those under way. At most so many whose last
   * poll was answered, and so many whose was not: these never take the places of those.
   */
  due(group: number, places: Places, underWay: UnderWay): Promise<DueScopes>
  /** In how many milliseconds the next one of a group is due; undefined when nothing in it is watched. */
  nextDueMs(group: number): Promise<number | undefined>
  /** What is known of every subject that is not simply good. */
  states(scope: PolledScope): Promise<ReadonlyMap<SubjectKey, SubjectState>>
  /**
   * Writes a part of a poll in one transaction. False, with nothing written, when another process has taken the scope over, or
   * another poll has written what is known by now.
   */
  record(scope: ScopeOf, by: Holder, part: PollPart): Promise<boolean>
  /** Ends a poll in which something had changed. False as `record`. */
  finish(scope: ScopeOf, by: Holder, end: PollEnd): Promise<boolean>
  /**
   * Ends polls in which nothing had changed, all in one transaction; a power cut may take back that they were polled. Of each
   * whether it was written: false as `record`.
   */
  finishQuietly(ends: readonly QuietEnd[]): Promise<boolean[]>
  /** Writes that a poll failed; after a while, or at once where the token is dead, people are told that nothing is seen. */
  fail(scope: ScopeOf, by: Holder, failed: FailedPoll): Promise<boolean>
}

/** Scopes that may be begun, by whether their last poll was answered. */
export interface Places {
  readonly answered: number
  readonly failing: number
}

/** Names of scopes, as `scopeName` has them. */
export type UnderWay = ReadonlySet<string>

export interface DueScopes {
  /** The time by which their polls are dated: the database's, which is one for all processes. */
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
        // A quiet poll takes no turn: one that came in between takes back what was written here.
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
