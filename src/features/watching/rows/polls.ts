import {
  type Database,
  type DatabaseTime,
  GONE_AFTER_MS,
  hasLease,
  type Rows,
  readTime,
  updateIn,
} from '@signalman/durable'
import { createShares } from '@signalman/runtime'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { SubjectKey, SubjectState } from '../../../domain/outages/observe.ts'
import { showAgain } from './cards.ts'
import { namedChecks, renameChecks } from './carry-checks.ts'
import { SCOPE } from './columns.ts'
import { endPolls, type FailedPoll, type PollEnd, recordFailure, type UnchangedPoll } from './end-polls.ts'
import { endBlindness } from './notices.ts'
import {
  type Holder,
  isAt,
  type PolledScope,
  pollOf,
  readScopes,
  scopeName,
  scopesOfGroup,
} from './poll-rows.ts'
import { type PollPart, recordPart } from './record-poll.ts'
import type { ScopeOf } from './row.ts'
import { statesOf } from './subject-rows.ts'
import { updateChannels } from './update-channels.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'

export interface OverdueScope extends ScopeOf {
  /** ISO text of its row; undefined of what this process holds, which knows better. */
  readonly dueAt?: string | undefined
}

const MOST_OVERDUE = 100
/** Polls that are written at once: a thousand may end together, and half of the database's connections are for whoever asks something. */
const MOST_WRITTEN = 5
const NEVER = new AbortController().signal

/** The rows of `watch_poll`, `watch_state` and what follows from them. */
export function watchPolls(database: Database, time: DatabaseTime) {
  const { rows, relaxed, inTurn, kind } = database
  const readStates = createStateCache()
  const writing = createShares(MOST_WRITTEN)
  /** False, with nothing written, when another process has taken the scope over or has written newer states. */
  const inScope = (
    scope: ScopeOf,
    { workId, owner }: Holder,
    at: Parameters<typeof isAt>[2],
    work: (db: Rows) => Promise<void>,
  ): Promise<boolean> =>
    writing.run([], NEVER, () =>
      inTurn(turnOf(scope.workspaceId), async (transaction) => {
        const isOurs = (await hasLease(transaction, workId, owner)) && (await isAt(transaction, scope, at))
        if (isOurs) await work(transaction)
        return isOurs
      }),
    )

  return {
    ...latePolls(database, time),
    /** The database's time, which dates polls alike in all processes. */
    time: () => readTime(rows, time),

    /** Which of these groups the owner has still, by the ids of their work; the mark changes when something in a group is new. */
    async held(owner: string, workIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const found = await rows
        .selectFrom('work')
        .select(['id', 'touched_at'])
        .where('id', 'in', workIds)
        .where((work) => work.and({ owner, state: 'running' }))
        .execute()
      return new Map(found.map(({ id, touched_at }) => [id, touched_at]))
    },

    /** All scopes of a group, the longest due first, as their rows say. */
    list: (group: number) => scopesOfGroup(rows, time, group),

    /** Scopes as they are now; those that nobody watches any more are missing. */
    read: (scopes: readonly ScopeOf[]) => readScopes(rows, time, scopes),

    /** Which checks something in a scope names by their UUIDs, which are in lower case. */
    named: (scope: ScopeOf) => namedChecks(rows, scope),

    /** The state of every subject that is not simply good. */
    states: (scope: PolledScope): Promise<States> => readStates(rows, scope),

    /** Writes a part of a poll in one transaction. False as `inScope`. */
    record: (scope: ScopeOf, by: Holder, part: PollPart) =>
      inScope(scope, by, part, (transaction) => recordPart(transaction, scope, part)),

    /** Ends a poll in which something had changed, with the last part of what had. False as `inScope`. */
    finish: (
      scope: ScopeOf,
      by: Holder,
      { end, since }: Pick<UnchangedPoll, 'end' | 'since'>,
      last?: PollPart,
    ) =>
      inScope(scope, by, last ?? { poll: end.poll }, async (transaction) => {
        if (last) await recordPart(transaction, scope, last)
        if (end.isFull) await afterListing(transaction, time, scope, end)
        const [isWritten] = await endPolls(transaction, kind, [{ scope, by, end, since }])
        // The lease was lost meanwhile: this transaction is rolled back.
        if (!isWritten) throw new Error('Another process has written a poll meanwhile.')
        await endBlindness(transaction, time, scope, end.meanwhile)
        await updateChannels(transaction, time, scope)
      }),

    /**
     * Writes when scopes were looked at last, and are due, of which nothing else has changed: all in one transaction, which a power cut
     * may take back. False as `inScope`, and where something was told of the scope meanwhile.
     */
    keep: (ends: readonly UnchangedPoll[]) =>
      relaxed((db) => db.transaction().execute((transaction) => endPolls(transaction, kind, ends, true))),

    /** Writes that a poll failed; after a while, or at once with a dead token, people are told that checks cannot be seen. */
    fail: (scope: ScopeOf, by: Holder, failed: FailedPoll) =>
      inScope(scope, by, {}, (transaction) => recordFailure(transaction, time, scope, failed)),
  }
}

export type WatchPolls = ReturnType<typeof watchPolls>

/** What only a listing of all checks tells. */
async function afterListing(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  { at, matched = new Map(), names = new Map() }: PollEnd,
): Promise<void> {
  await showAgain(rows, time, scope, at)
  for (const [id, count] of matched) await updateIn(rows, 'watch', { id }, { matched: count })
  if (names.size > 0) await renameChecks(rows, scope, names)
}

function latePolls({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** What is due of the groups that no living process has: the longest due first, at most 100. */
    async overdue(): Promise<OverdueScope[]> {
      const found = await rows
        .selectFrom('watch_poll')
        .select(['workspace_id', 'environment', 'due_at'])
        .where('due_at', '<=', time())
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('work')
                .innerJoin('process', 'process.id', 'work.owner')
                .select('work.id')
                .where((work) => work.and({ workspace_id: '', kind: WATCH_WORK.poll, state: 'running' }))
                .where('work.key', '=', sql<string>`cast(watch_poll.poll_group as text)`)
                .where('process.seen_at', '>', time(-GONE_AFTER_MS)),
            ),
          ),
        )
        .orderBy('due_at')
        .limit(MOST_OVERDUE)
        .execute()
      return found.map((row) => ({ ...SCOPE.of(row), dueAt: row.due_at }))
    },

    /** Has people told that a poll is late, unless that was told, or another due time was written meanwhile. False when it was. */
    tellLate: (scope: OverdueScope) =>
      inTurn(turnOf(scope.workspaceId), async (transaction) => {
        const poll = await pollOf(transaction, scope)
        if (!poll || poll.isBlind) return false
        if (scope.dueAt !== undefined && poll.dueAt.toISOString() !== scope.dueAt) return false
        const failed = { failure: 'late', at: await readTime(transaction, time), retryMs: undefined } as const
        await recordFailure(transaction, time, scope, failed)
        return true
      }),
  }
}

type States = ReadonlyMap<SubjectKey, SubjectState>

/** A process keeps this many states of all scopes together; some 300 bytes each. */
const MOST_STATES = 100_000

/** The states of scopes as they were read last. They are current as long as the row of the poll has the same version. */
function createStateCache() {
  const kept = new LRUCache<string, { version: string | null; states: States }>({
    maxSize: MOST_STATES,
    sizeCalculation: ({ states }) => states.size + 1,
  })
  /** Read the poll's row first: newer states are then read once more than needed, and older ones are never kept. */
  return async (rows: Rows, scope: PolledScope): Promise<States> => {
    const { statesVersion: version } = scope
    const known = kept.get(scopeName(scope))
    if (known?.version === version) return known.states
    const states = await statesOf(rows, scope)
    kept.set(scopeName(scope), { version, states })
    return states
  }
}
