import { type Kysely, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import type { Leases, Share } from './leases.ts'
import { type Work, workReader } from './work-row.ts'

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
export function workClaims(
  database: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
): Pick<Leases, 'claimDue' | 'claim' | 'takeOver'> {
  const { rows } = database
  const workspacesDue = createWorkspacesDue(rows, time)
  const taken = takenBy(time)
  const reader = workReader(keys)

  async function claimOldest(
    workspaceId: string,
    owner: string,
    kinds: readonly string[],
  ): Promise<Work | undefined> {
    const oldest = rows
      .selectFrom('work')
      .select('id')
      .where('state', '=', 'waiting')
      .where('workspace_id', '=', workspaceId)
      .where('due_at', '<=', time())
      .where('kind', 'in', kinds)
      .orderBy('due_at')
      .limit(1)
    const row = await rows
      .updateTable('work')
      .set(taken(owner))
      .where('id', '=', database.kind === 'postgres' ? oldest.forUpdate().skipLocked() : oldest)
      // Asked again of the row itself: another process may have been quicker.
      .where('state', '=', 'waiting')
      .returningAll()
      .executeTakeFirst()
    return row && (await reader.one(rows, row))
  }

  return {
    claimDue: (owner, kinds, limit, share) =>
      claimInTurns({
        limit,
        share,
        due: (mayHave) => workspacesDue(kinds, mayHave),
        claimOldest: (workspaceId) => claimOldest(workspaceId, owner, kinds),
      }),

    async claim({ workspaceId, kind, key }, owner) {
      const row = await rows
        .updateTable('work')
        .set(taken(owner))
        .where('workspace_id', '=', workspaceId)
        .where('kind', '=', kind)
        .where('key', '=', key)
        .where('state', '=', 'waiting')
        .where('due_at', '<=', time())
        .returningAll()
        .executeTakeFirst()
      return row && (await reader.one(rows, row))
    },

    async takeOver({ id, owner: before, seenAt }, owner, isAnew = false) {
      const its = rows.selectFrom('process').select('id').where('id', '=', before)
      const unseen = seenAt === '' ? its : its.where('seen_at', '=', seenAt)
      const row = await rows
        .updateTable('work')
        .set({ ...taken(owner), ...(isAnew && { wants_stop: 0 }) })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .where('owner', '=', before)
        // What this process had and could not let go of is its own to take.
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

/** One piece of each workspace, then another one, until there are enough, or all have as many as they may. */
async function* claimInTurns(parts: {
  limit: number
  share: Share | undefined
  due: (mayHave: (workspaceId: string) => boolean) => Promise<string[]>
  claimOldest: (workspaceId: string) => Promise<Work | undefined>
}): AsyncGenerator<Work> {
  const { limit, share, claimOldest } = parts
  let claimed = 0
  const has = new Map(share?.running)
  const countOf = (id: string): number => has.get(id) ?? 0
  const mayHave = (id: string): boolean =>
    share === undefined || share.mayHaveMore(id, countOf(id), limit - claimed)
  let workspaces = await parts.due(mayHave)
  while (claimed < limit && workspaces.length > 0) {
    const left: string[] = []
    for (const workspaceId of workspaces) {
      if (claimed === limit) break
      const work = mayHave(workspaceId) && (await claimOldest(workspaceId))
      if (!work) continue
      yield work
      claimed += 1
      has.set(workspaceId, countOf(workspaceId) + 1)
      left.push(workspaceId)
    }
    workspaces = left
  }
}

/** A clock that is slewed may be a little behind itself. */
export const SLEWED_MS = 1000

/** When work is due, that is touched anew: what was touched at a time that is still to come, by a clock that was set back since, is due now. */
export const dueAtTouch = (time: DatabaseTime) =>
  sql<string>`case when touched_at > ${time(SLEWED_MS)} then ${time()} else due_at end`

const takenBy = (time: DatabaseTime) => (owner: string) => ({
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

/** How many pieces of these kinds run, by workspace: what hangs of another lane says nothing of whose turn it is in this one. */
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
