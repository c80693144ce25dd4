import type { Transaction } from 'kysely'
import { EVERYONE, type GivenRole, type Grant, type Subject } from '../../domain/roles.ts'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { ReadCache } from '../database/read-cache.ts'
import type { RoleGrantRow, Schema } from '../database/schema.ts'

export interface Grants {
  /** All of the workspace's, by role, then kind, then id of the subject. */
  list(workspaceId: string): Promise<Grant[]>
  /**
   * The grants that may apply to this person: their own, everyone's, and every group's (the caller knows who is in a group). Read from
   * the database each time, so that a grant that any process removed is gone at once.
   */
  find(workspaceId: string, userId: string): Promise<Grant[]>
  /**
   * Gives and takes the role where what is wanted differs from what was seen. What ended or was changed by others since then
   * stays as it is now.
   */
  change(
    workspaceId: string,
    role: GivenRole,
    subjects: { seen: readonly Subject[]; wanted: readonly Subject[] },
    by: string,
    now: Date,
  ): Promise<{ added: Subject[]; removed: Subject[] }>
  /**
   * True when the subject did not have the role. A present grant that has an end gets this one, or loses it without `endsAt`; a
   * present grant without an end stays.
   */
  add(
    workspaceId: string,
    role: GivenRole,
    subject: Subject,
    by: string,
    now: Date,
    endsAt?: Date,
  ): Promise<boolean>
  /** True when the subject had the role. */
  remove(workspaceId: string, role: GivenRole, subject: Subject): Promise<boolean>
}

/** The rows of `role_grant`. Each change is one transaction, on disk before it returns. */
export function grantStore(
  { rows, inTurn }: Database,
  { changing }: Pick<ReadCache, 'changing'>,
  now: () => Date,
): Grants {
  const inTurnOf = <T>(workspaceId: string, work: (transaction: Transaction<Schema>) => Promise<T>) =>
    changing(
      workspaceId,
      inTurn(`grants of ${workspaceId}`, async (transaction) => {
        // A grant that has ended would block a new one.
        await transaction
          .deleteFrom('role_grant')
          .where('workspace_id', '=', workspaceId)
          .where('ends_at', '<=', now().toISOString())
          .execute()
        return await work(transaction)
      }),
    )
  const ofWorkspace = (workspaceId: string) =>
    rows
      .selectFrom('role_grant')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where(({ eb, or }) => or([eb('ends_at', 'is', null), eb('ends_at', '>', now().toISOString())]))
  return {
    async list(workspaceId) {
      const found = await ofWorkspace(workspaceId)
        .orderBy('role')
        .orderBy('subject_kind')
        .orderBy('subject_id')
        .execute()
      return found.map(grantOf)
    },

    async find(workspaceId, userId) {
      const found = await ofWorkspace(workspaceId)
        .where(({ eb, or }) => or([eb('subject_kind', '!=', 'user'), eb('subject_id', '=', userId)]))
        .execute()
      return found.map(grantOf)
    },

    async change(workspaceId, role, subjects, by, at) {
      const seen = new Set(subjects.seen.map(nameOf))
      const wanted = new Map(
        subjects.wanted.map((subject) => [nameOf(subject), keyOf(workspaceId, role, subject)]),
      )
      return await inTurnOf(workspaceId, async (transaction) => {
        const had = await transaction
          .selectFrom('role_grant')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('role', '=', role)
          .execute()
        const removed = had.filter((row) => {
          const name = nameOf(subjectOf(row))
          return seen.has(name) && !wanted.has(name)
        })
        for (const row of removed) await take(transaction, row)
        const added: Subject[] = []
        for (const [name, key] of wanted)
          if (!seen.has(name) && (await give(transaction, key, by, at))) added.push(subjectOf(key))
        return { added, removed: removed.map(subjectOf) }
      })
    },

    add: (workspaceId, role, subject, by, at, endsAt) =>
      inTurnOf(workspaceId, (transaction) =>
        give(transaction, keyOf(workspaceId, role, subject), by, at, endsAt),
      ),

    remove: (workspaceId, role, subject) =>
      inTurnOf(workspaceId, (transaction) => take(transaction, keyOf(workspaceId, role, subject))),
  }
}

type GrantKey = Omit<RoleGrantRow, 'granted_by' | 'granted_at' | 'ends_at'>

async function give(
  transaction: Transaction<Schema>,
  key: GrantKey,
  by: string,
  now: Date,
  endsAt?: Date,
): Promise<boolean> {
  const ends_at = endsAt?.toISOString() ?? null
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('role_grant')
    .values({ ...key, granted_by: by, granted_at: now.toISOString(), ends_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 1n) return true
  await transaction
    .updateTable('role_grant')
    .set({ ends_at, granted_by: by, granted_at: now.toISOString() })
    .where('workspace_id', '=', key.workspace_id)
    .where('role', '=', key.role)
    .where('subject_kind', '=', key.subject_kind)
    .where('subject_id', '=', key.subject_id)
    .where('ends_at', 'is not', null)
    .execute()
  return false
}

async function take(transaction: Transaction<Schema>, key: GrantKey): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('role_grant')
    .where('workspace_id', '=', key.workspace_id)
    .where('role', '=', key.role)
    .where('subject_kind', '=', key.subject_kind)
    .where('subject_id', '=', key.subject_id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

function keyOf(workspaceId: string, role: GivenRole, { kind, id }: Subject): GrantKey {
  if (kind !== 'everyone' && !SUBJECT_ID.test(id)) {
    throw new StoreError('bad-value', `A role goes to a ${kind} by its Slack id, which this is not.`)
  }
  return {
    workspace_id: workspaceId,
    role,
    subject_kind: kind,
    subject_id: kind === 'everyone' ? EVERYONE.id : id,
  }
}

const SUBJECT_ID = /^[A-Za-z0-9]{1,64}$/

function subjectOf(row: GrantKey): Subject {
  return { kind: row.subject_kind, id: row.subject_id }
}

function nameOf({ kind, id }: Subject): string {
  return kind === 'everyone' ? kind : `${kind} ${id}`
}

function grantOf(row: RoleGrantRow): Grant {
  return {
    workspaceId: row.workspace_id,
    subject: subjectOf(row),
    role: row.role,
    grantedBy: row.granted_by,
    grantedAt: new Date(row.granted_at),
    ...(row.ends_at !== null && { endsAt: new Date(row.ends_at) }),
  }
}
