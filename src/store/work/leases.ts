import { type Kysely, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import type { Scheduled } from './schedule.ts'
import { type Work, workOf } from './work-row.ts'

/** A piece of work that a process has, and until when, by its last sign of life. */
export interface Lease {
  readonly id: string
  readonly owner: string
  /** ISO text; changes with every sign of life. */
  readonly heldUntil: string
  /** True when the lease is over by the database's clock. */
  readonly isOver: boolean
}

/** How a process releases a piece of work. Waiting: any process may begin it again after `dueInMs`. */
export type WorkEnd =
  | { state: 'waiting'; dueInMs: number }
  /** `isEmptied`: the body is of no use any more and is not kept. */
  | { state: 'stopped' | 'done'; isEmptied?: boolean }

/** Which process has which work, by the database's clock, so that processes need not agree about the time. */
export interface Leases {
  /**
   * Takes up to `limit` due pieces of the named kinds for `leaseMs`. Workspaces take turns; those with the fewest running
   * pieces come first.
   */
  claimDue(owner: string, leaseMs: number, kinds: readonly string[], limit: number): Promise<Work[]>
  /** Takes this one piece, when it waits, is due, and no process has it. */
  claim(what: Scheduled, owner: string, leaseMs: number): Promise<Work | undefined>
  /** Renews the owner's leases. Returns id → whether somebody has asked it to stop; an id that is missing is lost. */
  renew(ids: Iterable<string>, owner: string, leaseMs: number): Promise<ReadonlyMap<string, boolean>>
  /** All work that any process has. */
  leases(): Promise<Lease[]>
  /** Waits until the database would take a write. Throws when it does not. */
  proveWritable(): Promise<void>
  /** Takes an abandoned piece, unless its owner has renewed the lease since or another process was quicker. */
  takeOver(held: Lease, owner: string, leaseMs: number): Promise<Work | undefined>
  /** Deletes the row, unless another process has it by now; when it was wanted again, it waits instead. */
  discard(id: string, owner: string): Promise<void>
  /** Asks that running work is done once more. False when it is over already, or deleted. */
  again(id: string): Promise<boolean>
  /** Releases the work, which waits once more when it was wanted again. Does nothing when another process has it by now. */
  release(id: string, owner: string, end: WorkEnd): Promise<void>
}

const MOST_WORKSPACES = 500
/** Of all that is due, which after an outage may be everything that there is. */
const LOOKED_AT = 1000
/** Values of one statement. */
const AT_ONCE = 500

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

export function workLeases({ rows, kind: database }: Database, time: DatabaseTime, sealer: Sealer): Leases {
  const taken = (owner: string, leaseMs: number) => ({
    state: 'running' as const,
    owner,
    held_until: time(leaseMs),
    touched_at: time(),
    attempts: sql<number>`attempts + 1`,
  })

  /** The workspaces of what has been due for longest, and whether that is all that is due. */
  async function longestDue(kinds: readonly string[], but: readonly string[]) {
    const found = await longestDueQuery(rows, time, kinds, but).execute()
    const all = found.reduce((sum, { many }) => sum + Number(many), 0)
    return { ids: found.map(({ workspace_id }) => workspace_id), isAll: all < LOOKED_AT }
  }

  /** Where a few workspaces have more than is looked at, the others' work is looked for beside it. */
  async function workspacesDue(kinds: readonly string[]): Promise<string[]> {
    const { ids, isAll } = await longestDue(kinds, [])
    const due = isAll ? ids : [...ids, ...(await longestDue(kinds, ids)).ids]
    if (due.length < 2) return due
    const running = await runningBy(rows, time)
    const count = (id: string): number => running.get(id) ?? 0
    // The sort is stable: of two alike the one that has waited for longer comes first.
    return due.sort((left, right) => count(left) - count(right))
  }

  async function claimOldest(
    workspaceId: string,
    owner: string,
    leaseMs: number,
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
      .set(taken(owner, leaseMs))
      .where('id', '=', database === 'postgres' ? oldest.forUpdate().skipLocked() : oldest)
      // Asked again of the row itself: another process may have been quicker.
      .where('state', '=', 'waiting')
      .returningAll()
      .executeTakeFirst()
    return row && workOf(sealer, row)
  }

  return {
    async claimDue(owner, leaseMs, kinds, limit) {
      const claimed: Work[] = []
      let workspaces = await workspacesDue(kinds)
      while (claimed.length < limit && workspaces.length > 0) {
        const left: string[] = []
        for (const workspaceId of workspaces.slice(0, limit - claimed.length)) {
          const work = await claimOldest(workspaceId, owner, leaseMs, kinds)
          if (work) claimed.push(work)
          if (work) left.push(workspaceId)
        }
        workspaces = left
      }
      return claimed
    },

    async claim({ workspaceId, kind, key }, owner, leaseMs) {
      const row = await rows
        .updateTable('work')
        .set(taken(owner, leaseMs))
        .where('workspace_id', '=', workspaceId)
        .where('kind', '=', kind)
        .where('key', '=', key)
        .where('state', '=', 'waiting')
        .where('due_at', '<=', time())
        .returningAll()
        .executeTakeFirst()
      return row && workOf(sealer, row)
    },

    async renew(ids, owner, leaseMs) {
      const held = new Map<string, boolean>()
      const all = [...ids]
      for (let start = 0; start < all.length; start += AT_ONCE) {
        const found = await rows
          .updateTable('work')
          .set({ held_until: time(leaseMs) })
          .where('id', 'in', all.slice(start, start + AT_ONCE))
          .where('state', '=', 'running')
          .where('owner', '=', owner)
          .returning(['id', 'wants_stop'])
          .execute()
        for (const { id, wants_stop } of found) held.set(id, wants_stop === 1)
      }
      return held
    },

    async leases() {
      const held = await rows
        .selectFrom('work')
        .select(['id', 'owner', 'held_until'])
        .select((eb) => eb('held_until', '<', time()).as('is_over'))
        .where('state', '=', 'running')
        .execute()
      return held.map((row) => ({
        id: row.id,
        owner: row.owner ?? '',
        heldUntil: row.held_until ?? '',
        isOver: Boolean(row.is_over),
      }))
    },

    async proveWritable() {
      // Takes the write lock, and changes no row.
      await rows.updateTable('work').set({ wanted_again: 0 }).where('id', '=', '').execute()
    },

    async takeOver({ id, owner: before, heldUntil }, owner, leaseMs) {
      const row = await rows
        .updateTable('work')
        .set(taken(owner, leaseMs))
        .where('id', '=', id)
        .where('state', '=', 'running')
        .where('owner', '=', before)
        .where('held_until', '=', heldUntil)
        .returningAll()
        .executeTakeFirst()
      return row && workOf(sealer, row)
    },

    async discard(id, owner) {
      await rows
        .updateTable('work')
        .set({ state: 'waiting', due_at: time(), wanted_again: 0, owner: null, held_until: null })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('wanted_again', '=', 1)
        .execute()
      await rows
        .deleteFrom('work')
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('wanted_again', '=', 0)
        .execute()
    },

    async again(id) {
      const { numUpdatedRows } = await rows
        .updateTable('work')
        .set({ wanted_again: sql<number>`case when state = 'running' then 1 else wanted_again end` })
        .where('id', '=', id)
        .where('state', 'in', ['waiting', 'running'])
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    async release(id, owner, end) {
      const due = end.state === 'waiting' ? { due_at: time(end.dueInMs) } : {}
      const again = sql<number>`wanted_again = 1`
      await rows
        .updateTable('work')
        .set({
          state:
            end.state === 'waiting'
              ? 'waiting'
              : sql`case when ${again} then 'waiting' else ${end.state} end`,
          ...(end.state === 'waiting' && {
            due_at: sql<string>`case when ${again} then due_at else ${due.due_at} end`,
          }),
          ...(end.state !== 'waiting' &&
            end.isEmptied && { sealed_body: sql`case when ${again} then sealed_body else null end` }),
          wanted_again: 0,
          owner: null,
          held_until: null,
          touched_at: time(),
        })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('state', '=', 'running')
        .execute()
    },
  }
}

/** How many pieces of work run, by workspace. */
async function runningBy(rows: Kysely<Schema>, time: DatabaseTime): Promise<ReadonlyMap<string, number>> {
  const found = await rows
    .selectFrom('work')
    .select(['workspace_id', (eb) => eb.fn.countAll().as('count')])
    .where('state', '=', 'running')
    .where('held_until', '>=', time())
    .groupBy('workspace_id')
    .execute()
  // PostgreSQL's driver gives a bigint as text.
  return new Map(found.map(({ workspace_id, count }) => [workspace_id, Number(count)]))
}
