import type { Kysely } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isHeld } from '../work/recorded-steps.ts'
import { endBlindness, type FailedPoll, recordFailure } from './blindness.ts'
import type { ScopeOf } from './channel-view.ts'
import {
  activeWatches,
  advance,
  type Holder,
  isAt,
  observed,
  type PollEnd,
  type PolledScope,
  readScope,
} from './poll-rows.ts'
import { type PollPart, recordPart } from './record-poll.ts'
import { createStateCache } from './state-cache.ts'
import { turnOf } from './watch-work.ts'

export interface WatchPolls {
  /** The time by which polls are dated: the database's, which is one for all processes. */
  time(): Promise<Date>
  /** Scopes of a group that are due, the one that waits for longest first; at most `limit`. */
  due(group: number, limit: number): Promise<ScopeOf[]>
  /** In how many milliseconds the next one of a group is due; undefined when nothing in it is watched. */
  nextDueMs(group: number): Promise<number | undefined>
  /** Undefined when nothing in it is watched any more. */
  scope(scope: ScopeOf): Promise<PolledScope | undefined>
  /**
   * Writes a part of a poll in one transaction. False, with nothing written, when another process has taken the scope over, or
   * another poll has written what is known by now.
   */
  record(scope: ScopeOf, by: Holder, part: PollPart): Promise<boolean>
  /** Ends a poll. `isQuiet`: nothing had changed, and a power cut may take back that it was polled. False as `record`. */
  finish(scope: ScopeOf, by: Holder, end: PollEnd, isQuiet: boolean): Promise<boolean>
  /** Writes that a poll failed; after a while, or at once where the token is dead, people are told that nothing is seen. */
  fail(scope: ScopeOf, by: Holder, failed: FailedPoll): Promise<boolean>
}

/** The rows of `watch_poll`, `watch_state` and what follows from them. */
export function watchPolls(database: Database, time: DatabaseTime): WatchPolls {
  const { rows, relaxed, inTurn } = database
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

    async due(group, limit) {
      const found = await rows
        .selectFrom('watch_poll')
        .select(['workspace_id', 'environment'])
        .where('poll_group', '=', group)
        .where('due_at', '<=', time())
        .orderBy('due_at')
        .limit(limit)
        .execute()
      return found.map((row) => ({ workspaceId: row.workspace_id, environment: row.environment }))
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

    scope: (scope) => readScope(rows, scope, cache),

    record: (scope, by, part) =>
      inScope(scope, by, part, async (transaction) => {
        await recordPart(transaction, time, scope, await activeWatches(transaction, scope), part)
      }),

    async finish(scope, by, end, isQuiet) {
      const update = async (db: Kysely<Schema>): Promise<boolean> => {
        if (!(await advance(db, scope, by, end))) return false
        await observed(db, scope, end)
        cache.polled(scope, end.poll)
        return true
      }
      if (isQuiet) return relaxed(update)
      return inScope(scope, by, { poll: end.poll }, async (transaction) => {
        await endBlindness(transaction, time, scope, end)
        for (const [id, matched] of end.matched ?? [])
          await transaction.updateTable('watch').set({ matched }).where('id', '=', id).execute()
        // A quiet poll takes no turn: one that came in between takes back what was written here.
        if (!(await update(transaction))) throw new Error('Another process has written a poll meanwhile.')
      })
    },

    fail: (scope, by, failed) =>
      inScope(scope, by, {}, async (transaction) => {
        await recordFailure(transaction, time, scope, await activeWatches(transaction, scope), failed)
      }),
  }
}
