import { newId } from '@signalman/runtime'
import type { Kysely, Selectable } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { isPostgres } from '../database/make-tables.ts'
import type { Schema } from '../database/schema.ts'
import { whileOwned } from './step-ledger.ts'

// Work that reads an object of another system and then writes to it holds the object meanwhile, so that no two writers overlap, in
// any process and any workspace. No transaction is open during the requests: a hold is a row of its own.

/** The right to write to an object until it's released or taken over. */
export interface Hold {
  /** Identifies the object among those of all workspaces. */
  readonly key: string
  /** Random. Identifies this hold among those that the key has had. */
  readonly mark: string
}

type HoldRow = Selectable<Schema['hold']>

export type Holds = ReturnType<typeof createHolds>

export function createHolds(
  { relaxed }: Pick<Database, 'relaxed'>,
  time: DatabaseTime,
  stopwatch: () => number = () => performance.now(),
) {
  const isAbandoned = createAbandonedCheck(stopwatch)

  /** Takes the holds of this work again, and those that were abandoned. */
  async function takeOver(
    transaction: Kysely<Schema>,
    workId: string,
    settleMs: number,
    keys: readonly string[],
  ): Promise<Hold[]> {
    const taken: Hold[] = []
    const found = transaction.selectFrom('hold').selectAll().where('key', 'in', keys)
    // A hold that a transaction is changing isn't abandoned. Waiting for one could end in a deadlock.
    const unlocked = isPostgres(transaction) ? found.forUpdate().skipLocked() : found
    for (const row of await unlocked.execute()) {
      const { key, mark, holder } = row
      const isOwn = holder === workId
      if (!isOwn && !isAbandoned(row, settleMs)) continue
      const hold = { key, mark: isOwn ? mark : newId() }
      const taking = { mark: hold.mark, holder: workId, renewed_at: time() }
      await transaction.updateTable('hold').set(taking).where('key', '=', key).execute()
      taken.push(hold)
    }
    return taken
  }

  return {
    /**
     * Takes the holds that are free, this work's own, or abandoned: not renewed for `settleMs`, so that nothing their holder has sent
     * can still be running. Leaves out the others, and all of them if the owner no longer has the work. A power failure may lose a
     * hold, but also ends its holder.
     */
    async takeHolds(
      { workId, owner, settleMs }: { workId: string; owner: string; settleMs: number },
      keys: readonly string[],
    ): Promise<ReadonlyMap<string, Hold>> {
      // Sorted, so that two processes never wait for each other's rows.
      const wanted = [...new Set(keys)].sort()
      if (wanted.length === 0) return new Map()
      const taken = await relaxed((relaxedRows) =>
        whileOwned(relaxedRows, workId, owner, async (transaction) => {
          const rows = wanted.map((key) => ({ key, mark: newId(), holder: workId, renewed_at: time() }))
          const free: Hold[] = await transaction
            .insertInto('hold')
            .values(rows)
            .onConflict((conflict) => conflict.doNothing())
            .returning(['key', 'mark'])
            .execute()
          const missing = wanted.filter((key) => !free.some((hold) => hold.key === key))
          if (missing.length === 0) return free
          return [...free, ...(await takeOver(transaction, workId, settleMs, missing))]
        }),
      )
      return new Map((taken ?? []).map((hold) => [hold.key, hold]))
    },

    /** Releases holds, unless they were taken over. */
    async releaseHolds(holds: readonly Hold[]): Promise<void> {
      if (holds.length === 0) return
      await relaxed((relaxedRows) => matchHolds(relaxedRows.deleteFrom('hold'), holds).execute())
    },

    /** Releases everything that this work holds, because it has ended and nothing that it sent is still running. */
    async releaseAllHolds(workId: string): Promise<void> {
      await relaxed((relaxedRows) => relaxedRows.deleteFrom('hold').where('holder', '=', workId).execute())
    },
  }
}

/** Renews holds in the transaction that begins steps under them. Returns the marks of those that weren't taken over. */
export async function renewHolds(
  transaction: Kysely<Schema>,
  time: DatabaseTime,
  holds: readonly Hold[],
): Promise<ReadonlySet<string>> {
  if (holds.length === 0) return new Set()
  const renewed = await matchHolds(transaction.updateTable('hold').set({ renewed_at: time() }), holds)
    .returning('mark')
    .execute()
  return new Set(renewed.map(({ mark }) => mark))
}

/** Marks are random, so a key never matches another hold's mark. */
const matchHolds = <Query extends { where(column: 'key' | 'mark', is: 'in', values: string[]): Query }>(
  query: Query,
  holds: readonly Hold[],
): Query =>
  query
    .where(
      'key',
      'in',
      holds.map(({ key }) => key),
    )
    .where(
      'mark',
      'in',
      holds.map(({ mark }) => mark),
    )

/** How many holds of others this process remembers. Beyond that, the oldest counts as new again, which only delays others. */
const MAX_REMEMBERED = 10_000

/** Measures by this process's stopwatch, because the database's clock may be changed. */
function createAbandonedCheck(stopwatch: () => number) {
  const firstSeen = new Map<string, { version: string; since: number }>()
  return ({ key, mark, renewed_at }: HoldRow, settleMs: number): boolean => {
    const version = `${mark} ${renewed_at}`
    const seen = firstSeen.get(key)
    if (seen?.version === version) return stopwatch() - seen.since > settleMs
    firstSeen.delete(key)
    firstSeen.set(key, { version, since: stopwatch() })
    const [oldest] = firstSeen.keys()
    if (oldest !== undefined && firstSeen.size > MAX_REMEMBERED) firstSeen.delete(oldest)
    return false
  }
}
