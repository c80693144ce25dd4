import {
  type Database,
  type DatabaseTime,
  GONE_AFTER_MS,
  hasLease,
  type Rows,
  readTime,
  updateRows,
} from '@signalman/durable'
import { createShares } from '@signalman/runtime'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { ObservedIncident } from '../../../domain/outages/observe.ts'
import { redrawOldestCards } from './cards.ts'
import { SCOPE } from './columns.ts'
import { readBlindness, readObservedIncidents } from './incidents.ts'
import { readNamedChecks, renameChecks } from './named-checks.ts'
import {
  isCurrentPoll,
  type LeaseHolder,
  listGroupScopes,
  type PolledScope,
  readPoll,
  readScopes,
  scopeKey,
} from './poll-rows.ts'
import type { WatchScope } from './row.ts'
import {
  type FailedPoll,
  type PollBatch,
  type PollToSave,
  type SuccessfulPoll,
  savePollBatch,
  savePollFailure,
  saveSuccessfulPolls,
} from './save-polls.ts'
import { updateChannels } from './update-channels.ts'
import { WATCH_WORK, watchingLock } from './watch-work.ts'

export interface OverdueScope extends WatchScope {
  /** The stored due time as ISO text; undefined for scopes that this process polls. */
  readonly dueAt?: string | undefined
}

const MAX_OVERDUE = 100
/** A thousand polls may finish at the same time. The remaining database connections are for people. */
const MAX_CONCURRENT_WRITES = 5
const NEVER_ABORTED = new AbortController().signal

/** Reads and saves the data of polling (`watch_poll` and `incident`). */
export function createPollStore(database: Database, time: DatabaseTime) {
  const { rows, relaxed, withLock, kind } = database
  const writeSlots = createShares(MAX_CONCURRENT_WRITES)
  /** Returns false, without writing, if another process has taken over the scope or has written newer states. */
  const writeIfLeased = (
    scope: WatchScope,
    { workId, owner }: LeaseHolder,
    expected: Parameters<typeof isCurrentPoll>[2],
    write: (db: Rows) => Promise<void>,
  ): Promise<boolean> =>
    // Without shares, all writes wait in one queue.
    writeSlots.run([], NEVER_ABORTED, () =>
      withLock(watchingLock(scope.workspaceId), async (transaction) => {
        const isCurrent =
          (await hasLease(transaction, workId, owner)) && (await isCurrentPoll(transaction, scope, expected))
        if (isCurrent) await write(transaction)
        return isCurrent
      }),
    )

  return {
    ...createOverduePolls(database, time),
    /** The database's time, so that all processes use one clock. */
    readTime: () => readTime(rows, time),

    /** Lists the groups that the owner still leases, by work ID. The values are versions that change when a group does. */
    async listLeasedGroups(owner: string, workIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const found = await rows
        .selectFrom('work')
        .select(['id', 'touched_at'])
        .where('id', 'in', workIds)
        .where((work) => work.and({ owner, state: 'running' }))
        .execute()
      return new Map(found.map(({ id, touched_at }) => [id, touched_at]))
    },

    /** All scopes of a group, most overdue first. */
    listGroup: (group: number) => listGroupScopes(rows, time, group),

    /** Reads scopes with their watches. Leaves out scopes without watches. */
    readScopes: (scopes: readonly WatchScope[]) => readScopes(rows, time, scopes),

    /** The UUIDs, in lower case, of the checks that watches and silences refer to. */
    listNamedChecks: (scope: WatchScope) => readNamedChecks(rows, scope),

    /** The open incidents, by UUID. */
    readStates: createStateReader(rows),

    /** Saves a batch of a poll in one transaction. Returns false like `writeIfLeased`. */
    saveBatch: (scope: WatchScope, leaseHolder: LeaseHolder, batch: PollBatch) =>
      writeIfLeased(scope, leaseHolder, batch, (transaction) => savePollBatch(transaction, scope, batch)),

    /** Saves a poll that changed something, with the last batch of its changes. Returns false like `writeIfLeased`. */
    saveResult: (
      scope: WatchScope,
      leaseHolder: LeaseHolder,
      { result, since }: Pick<PollToSave, 'result' | 'since'>,
      last?: PollBatch,
    ) =>
      writeIfLeased(scope, leaseHolder, last ?? { poll: result.poll }, async (transaction) => {
        if (last) await savePollBatch(transaction, scope, last)
        if (result.isFull) await updateAfterListing(transaction, time, scope, result)
        const [isSaved] = await saveSuccessfulPolls(transaction, kind, [
          { scope, leaseHolder, result, since },
        ])
        // The lease was lost: roll back this transaction.
        if (!isSaved) throw new Error('Another process has saved a poll in the meantime.')
        await updateChannels(transaction, time, scope)
      }),

    /**
     * Saves the times of polls that changed nothing, in one transaction and without waiting for the disk. Returns for each whether
     * it was saved: false as in `writeIfLeased`, or if a failure was saved in the meantime.
     */
    saveUnchanged: (polls: readonly PollToSave[]) =>
      relaxed((db) =>
        db
          .transaction()
          .execute((transaction) => saveSuccessfulPolls(transaction, kind, polls, { isUnchanged: true })),
      ),

    /** Saves that a poll failed. Notifies channels if polls keep failing, or immediately if the token was rejected. */
    saveFailure: (scope: WatchScope, leaseHolder: LeaseHolder, failed: FailedPoll) =>
      writeIfLeased(scope, leaseHolder, {}, (transaction) =>
        savePollFailure(transaction, time, scope, failed),
      ),
  }
}

/** Updates what depends on a full listing of the checks. */
async function updateAfterListing(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  { at, matched = new Map(), names = new Map() }: SuccessfulPoll,
): Promise<void> {
  await redrawOldestCards(rows, time, scope, at)
  for (const [id, count] of matched) await updateRows(rows, 'watch', { id }, { matched: count })
  if (names.size > 0) await renameChecks(rows, scope, names)
}

function createOverduePolls({ rows, withLock }: Database, time: DatabaseTime) {
  return {
    /** Overdue scopes whose group no living process polls: most overdue first, at most 100. */
    async listOverdue(): Promise<OverdueScope[]> {
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
        .limit(MAX_OVERDUE)
        .execute()
      return found.map((row) => ({ ...SCOPE.parse(row), dueAt: row.due_at }))
    },

    /** Reports that a poll is late. False if that was already reported, or if the poll has run in the meantime. */
    reportLate: (scope: OverdueScope) =>
      withLock(watchingLock(scope.workspaceId), async (transaction) => {
        const poll = await readPoll(transaction, scope)
        if (!poll || (await readBlindness(transaction, scope))?.isDown) return false
        if (scope.dueAt !== undefined && poll.dueAt.toISOString() !== scope.dueAt) return false
        const now = await readTime(transaction, time)
        // Not seen since the poll was due, which may be long before that was noticed.
        const at = poll.dueAt < now ? poll.dueAt : now
        const failed = { failure: 'late', at, retryMs: undefined } as const
        await savePollFailure(transaction, time, scope, failed)
        return true
      }),
  }
}

type States = ReadonlyMap<string, ObservedIncident>

/** How many incidents a process caches for all scopes, at about 300 bytes each. */
const MAX_CACHED_STATES = 100_000

/** Caches the open incidents of scopes. An entry is valid while the poll's row has the same version. */
function createStateReader(rows: Rows) {
  const cache = new LRUCache<string, { version: string | null; states: States }>({
    maxSize: MAX_CACHED_STATES,
    sizeCalculation: ({ states }) => states.size + 1,
  })
  // Callers read the poll's row before the incidents, which are therefore never older than the version they are cached under.
  return async (scope: PolledScope): Promise<States> => {
    const { statesVersion: version } = scope
    const cached = cache.get(scopeKey(scope))
    if (cached?.version === version) return cached.states
    const states = await readObservedIncidents(rows, scope)
    cache.set(scopeKey(scope), { version, states })
    return states
  }
}
