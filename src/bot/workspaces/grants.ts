import { type Database, type ReadCache, type RowProofs, type Schema, StoreError } from '@signalman/durable'
import type { Transaction } from 'kysely'
import { EVERYONE, type GivenRole, type Grant, type Subject } from '../../domain/roles.ts'
import type { RoleGrantRow } from './tables.ts'

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
   * stays as it is now. What is given lasts for `atMost`, where that is said.
   */
  change(
    workspaceId: string,
    role: GivenRole,
    subjects: { seen: readonly Subject[]; wanted: readonly Subject[] },
    by: string,
    now: Date,
    atMost?: Date,
  ): Promise<{ added: Subject[]; removed: Subject[] }>
  /**
   * True when the subject did not have the role. A present grant that has an end gets this one, or loses it without `endsAt`; a
   * present grant without an end stays. Whoever gives it may give it for `atMost`: nothing becomes longer than that, or than it was.
   */
  add(
    workspaceId: string,
    role: GivenRole,
    subject: Subject,
    by: string,
    now: Date,
    endsAt?: Date,
    atMost?: Date,
  ): Promise<boolean>
  /** True when the subject had the role. */
  remove(workspaceId: string, role: GivenRole, subject: Subject): Promise<boolean>
}

/** The rows of `role_grant`. Each change is one transaction, on disk before it returns. */
export function grantStore(
  { rows, inTurn }: Database,
  { changing }: Pick<ReadCache, 'changing'>,
  proofs: RowProofs,
  now: () => Date,
): Grants {
  const isGenuine = (row: RoleGrantRow): boolean => proofs.isGenuine('role_grant', row)
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
      return found.filter(isGenuine).map(grantOf)
    },

    async find(workspaceId, userId) {
      const found = await ofWorkspace(workspaceId)
        .where(({ eb, or }) => or([eb('subject_kind', '!=', 'user'), eb('subject_id', '=', userId)]))
        .execute()
      return found.filter(isGenuine).map(grantOf)
    },

    async change(workspaceId, role, subjects, by, at, atMost) {
      const seen = new Set(subjects.seen.map(subjectName))
      const wanted = new Map(
        subjects.wanted.map((subject) => [subjectName(subject), keyOf(workspaceId, role, subject)]),
      )
      return await inTurnOf(workspaceId, async (transaction) => {
        const had = await transaction
          .selectFrom('role_grant')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('role', '=', role)
          .execute()
        const removed = had.filter(isGenuine).filter((row) => {
          const name = subjectName(subjectOf(row))
          return seen.has(name) && !wanted.has(name)
        })
        for (const row of removed) await take(transaction, keyOf(workspaceId, role, subjectOf(row)))
        const added: Subject[] = []
        for (const [name, key] of wanted)
          if (!seen.has(name) && (await give(proofs, transaction, key, by, at, { atMost })))
            added.push(subjectOf(key))
        return { added, removed: removed.map(subjectOf) }
      })
    },

    add: (workspaceId, role, subject, by, at, endsAt, atMost) =>
      inTurnOf(workspaceId, (transaction) =>
        give(proofs, transaction, keyOf(workspaceId, role, subject), by, at, { endsAt, atMost }),
      ),

    remove: (workspaceId, role, subject) =>
      inTurnOf(workspaceId, (transaction) => take(transaction, keyOf(workspaceId, role, subject))),
  }
}

type GrantKey = Pick<RoleGrantRow, 'workspace_id' | 'role' | 'subject_kind' | 'subject_id'>

async function take(transaction: Transaction<Schema>, key: GrantKey): Promise<boolean> {
  const deleting = transaction.deleteFrom('role_grant').where((row) => row.and(key))
  return (await deleting.executeTakeFirstOrThrow()).numDeletedRows > 0n
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

function subjectName({ kind, id }: Subject): string {
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

/** A row that was forged is written over. */
async function give(
  proofs: RowProofs,
  transaction: Transaction<Schema>,
  key: GrantKey,
  by: string,
  at: Date,
  { endsAt, atMost }: { endsAt?: Date | undefined; atMost?: Date | undefined },
): Promise<boolean> {
  const present = await transaction
    .selectFrom('role_grant')
    .selectAll()
    .where((row) => row.and(key))
    .executeTakeFirst()
  const held = present && proofs.isGenuine('role_grant', present) ? present : undefined
  if (held?.ends_at === null) return false
  const longest = atMost && [atMost.toISOString(), held?.ends_at ?? ''].toSorted().at(-1)
  const wanted = endsAt?.toISOString()
  const ends_at = [wanted, longest].filter((end) => end !== undefined).toSorted()[0] ?? null
  const given = { granted_by: by, granted_at: at.toISOString(), ends_at }
  const row = proofs.with('role_grant', { ...key, ...given })
  await transaction
    .insertInto('role_grant')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'role', 'subject_kind', 'subject_id']).doUpdateSet(row),
    )
    .execute()
  return held === undefined
}
