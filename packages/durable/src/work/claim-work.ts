import { type Kysely, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import type { Scheduled } from './schedule.ts'
import { type Work, workReader } from './work-row.ts'

/** A piece of work that a process has, and its process's last sign of life. */
export interface Lease {
  readonly id: string
  readonly workspaceId: string
  readonly kind: string
  readonly owner: string
  /** ISO text; changes with every sign of life. Empty for a process that gave none, or none for long. */
  readonly seenAt: string
  /** Whether its owner is asked to give it back. */
  readonly wantsStop: boolean
}

/** How the workspaces share what may run in one process. */
export interface Share {
  /** How much of each workspace runs there already. */
  readonly running: ReadonlyMap<string, number>
  /** Whether a workspace that has so many may have one more of those that are free. */
  hasCapacity(workspaceId: string, has: number, free: number): boolean
}

const MOST_WORKSPACES = 500
/** Reads only this many of the due rows: after an outage everything may be due. */
const LOOKED_AT = 1000

/** The workspaces of what has been due for longest, `but` those, and how much of it is theirs. */
export function longestDueQuery(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  kinds: readonly string[],
  but: readonly string[] = [],
) {
  let due = rows
    .selectFrom('work')
    .select(['workspace_id', 'due_at'])
    .where('state', '=', 'waiting')
    .where('due_at', '<=', time())
    .where('kind', 'in', kinds)
  if (but.length > 0) due = due.where('workspace_id', 'not in', but)
  return rows
    .selectFrom(due.orderBy('due_at').limit(LOOKED_AT).as('due'))
    .select(['workspace_id', ({ fn }) => fn.min('due_at').as('since'), ({ fn }) => fn.countAll().as('many')])
    .groupBy('workspace_id')
    .orderBy('since')
    .limit(MOST_WORKSPACES)
}

/** How a process comes to have work: what is due, one piece by its name, or what another process has abandoned. */
export function workClaims(database: Database, time: DatabaseTime, keys: WorkspaceKeys) {
  const { rows } = database
  const workspacesDue = createWorkspacesDue(rows, time)
  const reader = workReader(keys)
  const claimOldest = oldestClaims(database, time, reader)

  return {
    /**
     * Takes up to `limit` due pieces of the named kinds, and gives some as soon as they are taken. Workspaces take turns; those with
     * the fewest running pieces of those kinds come first. Of each it takes no more than its share, where that is said.
     */
    async *claimDue(
      owner: string,
      kinds: readonly string[],
      limit: number,
      share?: Share,
    ): AsyncGenerator<readonly Work[]> {
      const has = new Map(share?.running)
      let left = limit
      const mayHave = (id: string, free = left): boolean =>
        share === undefined || share.hasCapacity(id, has.get(id) ?? 0, free)
      let queue = await workspacesDue(kinds, (id) => mayHave(id))
      // One piece of each workspace, then another one, until there are enough, or all have as many as they may.
      while (left > 0 && queue.length > 0) {
        const asked: string[] = []
        const rest = queue.filter((id) => {
          if (asked.length === left) return true
          if (mayHave(id, left - asked.length)) asked.push(id)
          return false
        })
        const claimed = asked.length > 0 ? await claimOldest(asked, owner, kinds) : []
        if (claimed.length > 0) yield claimed
        left -= claimed.length
        const ids = claimed.map(({ workspaceId }) => workspaceId)
        for (const id of ids) has.set(id, (has.get(id) ?? 0) + 1)
        queue = [...rest, ...ids]
      }
    },

    /** Takes this one piece, when it waits, is due, and no process has it. */
    async claim({ workspaceId, kind, key }: Scheduled, owner: string): Promise<Work | undefined> {
      const row = await rows
        .updateTable('work')
        .set(takenBy(owner, time))
        .where((work) => work.and({ workspace_id: workspaceId, kind, key, state: 'waiting' }))
        .where('due_at', '<=', time())
        .returningAll()
        .executeTakeFirst()
      return row && (await reader.one(rows, row))
    },

    /**
     * Takes an abandoned piece, unless its owner has given a sign of life since or another process was quicker. `isAnew`: what its
     * owner was asked for does not count any more.
     */
    async takeOver(
      { id, owner: before, seenAt }: Lease,
      owner: string,
      isAnew = false,
    ): Promise<Work | undefined> {
      const its = rows.selectFrom('process').select('id').where('id', '=', before)
      const unseen = seenAt === '' ? its : its.where('seen_at', '=', seenAt)
      const row = await rows
        .updateTable('work')
        .set({ ...takenBy(owner, time), ...(isAnew && { wants_stop: 0 }) })
        .where((work) => work.and({ id, state: 'running', owner: before }))
        // This process may take what it once had and could not release.
        .$if(before !== owner, (update) =>
          update.where(({ exists, not }) => {
            const there = exists(database.kind === 'postgres' ? unseen.forUpdate() : unseen)
            return seenAt === '' ? not(there) : there
          }),
        )
        .returningAll()
        .executeTakeFirst()
      return row && (await reader.one(rows, row))
    },
  }
}

/** The oldest piece of each of these workspaces, in one statement; those that another process has just taken are left out. */
function oldestClaims({ kind, rows }: Database, time: DatabaseTime, reader: ReturnType<typeof workReader>) {
  return async (
    workspaceIds: readonly string[],
    owner: string,
    kinds: readonly string[],
  ): Promise<Work[]> => {
    const isPostgres = kind === 'postgres'
    const ids = JSON.stringify(workspaceIds)
    const wanted = isPostgres ? sql`json_array_elements_text(${ids}::json)` : sql`json_each(${ids})`
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
          .select((isPostgres ? oldest.forUpdate().skipLocked() : oldest).as('id'))
      })
      .updateTable('work')
      .set(takenBy(owner, time))
      .where('id', 'in', ({ selectFrom }) => selectFrom('oldest').select('id'))
      // Asked again of the row itself: another process may have been quicker.
      .where('state', '=', 'waiting')
      .returningAll()
      .execute()
    const works = await reader.all(rows, found)
    return works.sort(
      (one, other) => workspaceIds.indexOf(one.workspaceId) - workspaceIds.indexOf(other.workspaceId),
    )
  }
}

/** A clock that is slewed may be a little behind itself. */
export const SLEWED_MS = 1000

/** When work is due that is touched now. Work whose last touch lies in the future is due at once: the clock was set back since. */
export const dueAtTouch = (time: DatabaseTime) =>
  sql<string>`case when touched_at > ${time(SLEWED_MS)} then ${time()} else due_at end`

const takenBy = (owner: string, time: DatabaseTime) => ({
  state: 'running' as const,
  owner,
  due_at: dueAtTouch(time),
  touched_at: time(),
  attempts: sql<number>`attempts + 1`,
})

function createWorkspacesDue(rows: Kysely<Schema>, time: DatabaseTime) {
  /** The workspaces of what has been due for longest, and whether that is all that is due. */
  async function longestDue(kinds: readonly string[], but: readonly string[]) {
    const found = await longestDueQuery(rows, time, kinds, but).execute()
    const all = found.reduce((sum, { many }) => sum + Number(many), 0)
    return { ids: found.map(({ workspace_id }) => workspace_id), isAll: all < LOOKED_AT }
  }

  /** Where a few workspaces have more than is looked at, the others' work is looked for beside it. */
  return async function workspacesDue(
    kinds: readonly string[],
    mayHave: (workspaceId: string) => boolean,
  ): Promise<string[]> {
    let { ids, isAll } = await longestDue(kinds, [])
    const due = [...ids]
    for (let looks = 1; !isAll && (looks === 1 || !ids.some(mayHave)); looks += 1) {
      ;({ ids, isAll } = await longestDue(kinds, due))
      due.push(...ids)
    }
    if (due.length < 2) return due
    const running = await runningBy(rows, kinds)
    const count = (id: string): number => running.get(id) ?? 0
    // The sort is stable: of two alike the one that has waited for longer comes first.
    return due.sort((left, right) => count(left) - count(right))
  }
}

/** How many pieces of these kinds run, by workspace: work that hangs in another lane does not decide whose turn it is in this one. */
async function runningBy(
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
  // PostgreSQL's driver gives a bigint as text.
  return new Map(found.map(({ workspace_id, count }) => [workspace_id, Number(count)]))
}
