import { type Kysely, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import type { WorkKey } from './schedule.ts'
import { createWorkReader, type Work } from './work-row.ts'

/** A piece of work that a process has claimed, and that process's last heartbeat. */
export interface Lease {
  readonly id: string
  readonly workspaceId: string
  readonly kind: string
  readonly owner: string
  /** When the owner last sent a heartbeat, as ISO text. Empty if it never did, or not recently. */
  readonly seenAt: string
  /** Whether the owner was asked to give the work back. */
  readonly wantsStop: boolean
}

/** How workspaces share the capacity of one process. */
export interface Share {
  /** The amount of running work by workspace. */
  readonly running: ReadonlyMap<string, number>
  /** Whether a workspace that already runs `runningCount` pieces may take another of the `freeSlots`. */
  hasCapacity(workspaceId: string, runningCount: number, freeSlots: number): boolean
}

const MAX_WORKSPACES = 500
/** The most due rows to read in one statement. After an outage, everything may be due. */
const MAX_DUE_ROWS = 1000

/** Groups the work that has been due longest by workspace, except for the workspaces in `except`. */
export function selectLongestDue(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  kinds: readonly string[],
  except: readonly string[] = [],
) {
  let due = rows
    .selectFrom('work')
    .select(['workspace_id', 'due_at'])
    .where('state', '=', 'waiting')
    .where('due_at', '<=', time())
    .where('kind', 'in', kinds)
  if (except.length > 0) due = due.where('workspace_id', 'not in', except)
  return rows
    .selectFrom(due.orderBy('due_at').limit(MAX_DUE_ROWS).as('due'))
    .select(({ fn }) => ['workspace_id', fn.min('due_at').as('since'), fn.countAll().as('many')])
    .groupBy('workspace_id')
    .orderBy('since')
    .limit(MAX_WORKSPACES)
}

/** Claims work for a process: due work, one specific piece, or work abandoned by another process. */
export function createWorkClaims(database: Database, time: DatabaseTime, keys: Sealer) {
  const { rows } = database
  const findDueWorkspaces = createDueWorkspaceFinder(rows, time)
  const reader = createWorkReader(keys)
  const claimOldest = createOldestClaimer(database, time, reader)

  return {
    /**
     * Claims up to `limit` due pieces of these kinds and yields them as they're claimed. Workspaces take turns, starting with
     * those that have the fewest running pieces. With `share`, a workspace gets no more than its share.
     */
    async *claimDue(
      owner: string,
      kinds: readonly string[],
      limit: number,
      share?: Share,
    ): AsyncGenerator<readonly Work[]> {
      const runningCounts = new Map(share?.running)
      let remaining = limit
      const hasCapacity = (id: string, free = remaining): boolean =>
        share === undefined || share.hasCapacity(id, runningCounts.get(id) ?? 0, free)
      let queue = await findDueWorkspaces(kinds, (id) => hasCapacity(id))
      // Claim one piece per workspace at a time, until the limit or everyone's share is reached.
      while (remaining > 0 && queue.length > 0) {
        const claimable: string[] = []
        const rest = queue.filter((id) => {
          if (claimable.length === remaining) return true
          if (hasCapacity(id, remaining - claimable.length)) claimable.push(id)
          return false
        })
        const claimed = claimable.length > 0 ? await claimOldest(claimable, owner, kinds) : []
        if (claimed.length > 0) yield claimed
        remaining -= claimed.length
        const ids = claimed.map(({ workspaceId }) => workspaceId)
        for (const id of ids) runningCounts.set(id, (runningCounts.get(id) ?? 0) + 1)
        queue = [...rest, ...ids]
      }
    },

    /** Claims this piece if it's waiting, due, and unclaimed. */
    async claim({ workspaceId, kind, key }: WorkKey, owner: string): Promise<Work | undefined> {
      const row = await rows
        .updateTable('work')
        .set(claimColumns(owner, time))
        .where((work) => work.and({ workspace_id: workspaceId, kind, key, state: 'waiting' }))
        .where('due_at', '<=', time())
        .returningAll()
        .executeTakeFirst()
      return row && reader.readRow(row)
    },

    /**
     * Takes over an abandoned piece, unless its owner has sent a heartbeat since or another process was faster. `clearsStop` also clears
     * a pending request to stop.
     */
    async takeOver(
      { id, owner: previousOwner, seenAt }: Lease,
      owner: string,
      clearsStop = false,
    ): Promise<Work | undefined> {
      const ownerRow = rows.selectFrom('process').select('id').where('id', '=', previousOwner)
      const unchangedOwner = seenAt === '' ? ownerRow : ownerRow.where('seen_at', '=', seenAt)
      const row = await rows
        .updateTable('work')
        .set({ ...claimColumns(owner, time), ...(clearsStop && { wants_stop: 0 }) })
        .where((work) => work.and({ id, state: 'running', owner: previousOwner }))
        // The owner must not have sent a heartbeat since the lease was listed. This doesn't apply to work that this process itself had
        // and couldn't release.
        .$if(previousOwner !== owner, (update) =>
          update.where(({ exists, not }) => {
            const ownerExists = exists(
              database.kind === 'postgres' ? unchangedOwner.forUpdate() : unchangedOwner,
            )
            return seenAt === '' ? not(ownerExists) : ownerExists
          }),
        )
        .returningAll()
        .executeTakeFirst()
      return row && reader.readRow(row)
    },
  }
}

/** Claims the oldest piece of each workspace in one statement, skipping rows that another process is claiming. */
function createOldestClaimer(
  { kind, rows }: Database,
  time: DatabaseTime,
  reader: ReturnType<typeof createWorkReader>,
) {
  return async (
    workspaceIds: readonly string[],
    owner: string,
    kinds: readonly string[],
  ): Promise<Work[]> => {
    const isOnPostgres = kind === 'postgres'
    const ids = JSON.stringify(workspaceIds)
    const wanted = isOnPostgres ? sql`json_array_elements_text(${ids}::json)` : sql`json_each(${ids})`
    const found = await rows
      .with('oldest', (db) => {
        const oldest = db
          .selectFrom('work')
          .select('id')
          .where('state', '=', 'waiting')
          .where('workspace_id', '=', sql<string>`wanted.value`)
          .where('due_at', '<=', time())
          .where('kind', 'in', kinds)
          .orderBy('due_at')
          .limit(1)
        return db
          .selectFrom(wanted.as<'wanted'>(sql`wanted`))
          .select((isOnPostgres ? oldest.forUpdate().skipLocked() : oldest).as('id'))
      })
      .updateTable('work')
      .set(claimColumns(owner, time))
      .where('id', 'in', ({ selectFrom }) => selectFrom('oldest').select('id'))
      // Check the row again, because another process may have been faster.
      .where('state', '=', 'waiting')
      .returningAll()
      .execute()
    const works = reader.readRows(found)
    return works.sort(
      (one, other) => workspaceIds.indexOf(one.workspaceId) - workspaceIds.indexOf(other.workspaceId),
    )
  }
}

/** While a clock is slewed, a timestamp may be slightly in the future. */
export const MAX_SLEW_MS = 1000

/**
 * The due time of work that is written now. If its last write is in the future, the clock was set back, so the work is due
 * immediately.
 */
export const currentDueTime = (time: DatabaseTime) =>
  sql<string>`case when touched_at > ${time(MAX_SLEW_MS)} then ${time()} else due_at end`

const claimColumns = (owner: string, time: DatabaseTime) => ({
  state: 'running' as const,
  owner,
  due_at: currentDueTime(time),
  touched_at: time(),
  attempts: sql<number>`attempts + 1`,
})

function createDueWorkspaceFinder(rows: Kysely<Schema>, time: DatabaseTime) {
  /** The workspaces whose work has been due longest, and whether that covers all due work. */
  async function findLongestDue(kinds: readonly string[], except: readonly string[]) {
    const found = await selectLongestDue(rows, time, kinds, except).execute()
    const dueCount = found.reduce((sum, { many }) => sum + Number(many), 0)
    return { ids: found.map(({ workspace_id }) => workspace_id), coversAllDue: dueCount < MAX_DUE_ROWS }
  }

  /** If a few workspaces fill the whole result, this also looks for other workspaces' work. */
  return async function findDueWorkspaces(
    kinds: readonly string[],
    hasCapacity: (workspaceId: string) => boolean,
  ): Promise<string[]> {
    let { ids, coversAllDue } = await findLongestDue(kinds, [])
    const due = [...ids]
    for (let round = 1; !coversAllDue && (round === 1 || !ids.some(hasCapacity)); round += 1) {
      ;({ ids, coversAllDue } = await findLongestDue(kinds, due))
      due.push(...ids)
    }
    if (due.length < 2) return due
    const running = await countRunning(rows, kinds)
    const count = (id: string): number => running.get(id) ?? 0
    // The sort is stable, so ties stay ordered by waiting time.
    return due.sort((left, right) => count(left) - count(right))
  }
}

/**
 * The number of running pieces of these kinds, by workspace. Only these kinds count, so work that hangs in another lane doesn't
 * affect whose turn it is in this one.
 */
async function countRunning(
  rows: Kysely<Schema>,
  kinds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await rows
    .selectFrom('work')
    .select(['workspace_id', (eb) => eb.fn.countAll().as('count')])
    .where('state', '=', 'running')
    .where('kind', 'in', kinds)
    .groupBy('workspace_id')
    .execute()
  // PostgreSQL's driver returns bigint as text.
  return new Map(found.map(({ workspace_id, count }) => [workspace_id, Number(count)]))
}
