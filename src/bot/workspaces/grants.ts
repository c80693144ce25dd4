import {
  type Database,
  deleteIn,
  type ReadCache,
  type RowProofs,
  rowsIn,
  type Schema,
  StoreError,
  upsertIn,
} from '@signalman/durable'
import type { Transaction } from 'kysely'
import { EVERYONE, type GivenRole, type Grant, type Subject } from '../../domain/roles.ts'
import { ROLE_GRANT, type RoleGrantRow } from './tables.ts'

export type Grants = ReturnType<typeof grantStore>

/** The rows of `role_grant`. Each change is one transaction, on disk before it returns. */
export const grantStore = (
  database: Database,
  { changing }: Pick<ReadCache, 'changing'>,
  proofs: RowProofs,
  now: () => Date,
) => ({ ...grantReads(database, proofs, now), ...grantChanges(database, changing, proofs, now) })

function grantReads({ rows }: Database, proofs: RowProofs, now: () => Date) {
  const isGenuine = (row: RoleGrantRow): boolean => proofs.isGenuine('role_grant', row)
  const ofWorkspace = (workspaceId: string) =>
    rowsIn(rows, 'role_grant', { workspace_id: workspaceId }).where(({ eb, or }) =>
      or([eb('ends_at', 'is', null), eb('ends_at', '>', now().toISOString())]),
    )
  return {
    /** All of the workspace's, by role, then kind, then id of the subject. */
    async list(workspaceId: string): Promise<Grant[]> {
      const all = ofWorkspace(workspaceId).orderBy('role').orderBy('subject_kind').orderBy('subject_id')
      return (await all.execute()).filter(isGenuine).map(grantOf)
    },

    /**
     * The grants that may apply to this person: their own, everyone's, and every group's (the caller knows who is in a group). Read
     * from the database each time, so that a grant that any process removed is gone at once.
     */
    async find(workspaceId: string, userId: string): Promise<Grant[]> {
      const found = await ofWorkspace(workspaceId)
        .where(({ eb, or }) => or([eb('subject_kind', '!=', 'user'), eb('subject_id', '=', userId)]))
        .execute()
      return found.filter(isGenuine).map(grantOf)
    },
  }
}

/** When a role that is given ends. */
interface GrantEnd {
  endsAt?: Date | undefined
  /** Whoever gives it has it until then: nothing becomes longer than that, or than it was. */
  atMost?: Date | undefined
}

function grantChanges(
  { inTurn }: Database,
  changing: ReadCache['changing'],
  proofs: RowProofs,
  now: () => Date,
) {
  const inTurnOf = <T>(workspaceId: string, work: (transaction: Transaction<Schema>) => Promise<T>) =>
    changing(
      workspaceId,
      inTurn(`grants of ${workspaceId}`, async (transaction) => {
        // A grant that has ended would block a new one.
        const ended = transaction.deleteFrom('role_grant').where('workspace_id', '=', workspaceId)
        await ended.where('ends_at', '<=', now().toISOString()).execute()
        return await work(transaction)
      }),
    )

  const give = giveWith(proofs)

  return {
    /**
     * Gives and takes the role where what is wanted differs from what was seen. What ended or was changed by others since then
     * stays as it is now. What is given lasts for `atMost`, where that is said. Throws `noneLeft`, and changes nothing, where that
     * would take the last grant that is no group's and has no end: others may take one at the same time.
     */
    async change(
      workspaceId: string,
      role: GivenRole,
      subjects: { seen: readonly Subject[]; wanted: readonly Subject[] },
      by: string,
      at: Date,
      { atMost, noneLeft }: Pick<GrantEnd, 'atMost'> & { noneLeft?: Error | undefined } = {},
    ): Promise<{ added: Subject[]; removed: Subject[] }> {
      const wanted = new Map(
        subjects.wanted.map((subject) => [subjectName(subject), keyOf(workspaceId, role, subject)]),
      )
      const seen = new Set(subjects.seen.map(subjectName))
      const goes = (name: string) => seen.has(name) && !wanted.has(name)
      return await inTurnOf(workspaceId, async (transaction) => {
        const genuine = async () =>
          (await rowsIn(transaction, 'role_grant', { workspace_id: workspaceId, role }).execute()).filter(
            (row) => proofs.isGenuine('role_grant', row),
          )
        const had = await genuine()
        const removed = had.map(subjectOf).filter((subject) => goes(subjectName(subject)))
        for (const subject of removed) await take(transaction, keyOf(workspaceId, role, subject))
        const added: Subject[] = []
        for (const [name, key] of wanted)
          if (!seen.has(name) && (await give(transaction, key, { by, at, atMost })))
            added.push(subjectOf(key))
        if (noneLeft && had.some(isLasting) && !(await genuine()).some(isLasting)) throw noneLeft
        return { added, removed }
      })
    },

    /**
     * True when the subject did not have the role. A present grant that has an end gets this one, or loses it without `endsAt`; a
     * present grant without an end stays.
     */
    add: (
      workspaceId: string,
      role: GivenRole,
      subject: Subject,
      by: string,
      at: Date,
      end: GrantEnd = {},
    ): Promise<boolean> =>
      inTurnOf(workspaceId, (transaction) =>
        give(transaction, keyOf(workspaceId, role, subject), { by, at, ...end }),
      ),

    /** True when the subject had the role. */
    remove: (workspaceId: string, role: GivenRole, subject: Subject): Promise<boolean> =>
      inTurnOf(workspaceId, (transaction) => take(transaction, keyOf(workspaceId, role, subject))),
  }
}

const isLasting = ({ subject_kind, ends_at }: RoleGrantRow): boolean =>
  subject_kind !== 'group' && ends_at === null

type GrantKey = Pick<RoleGrantRow, 'workspace_id' | 'role' | 'subject_kind' | 'subject_id'>

const take = async (transaction: Transaction<Schema>, key: GrantKey): Promise<boolean> =>
  (await deleteIn(transaction, 'role_grant', key)) > 0

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
  const { subjectKind: kind, subjectId: id, proof: _, ...grant } = ROLE_GRANT.of(row)
  return { ...grant, subject: { kind, id } }
}

/** A row that was forged is written over. */
const giveWith =
  (proofs: RowProofs) =>
  async (
    transaction: Transaction<Schema>,
    key: GrantKey,
    { by, at, endsAt, atMost }: GrantEnd & { by: string; at: Date },
  ): Promise<boolean> => {
    const present = await rowsIn(transaction, 'role_grant', key).executeTakeFirst()
    const held = present && proofs.isGenuine('role_grant', present) ? present : undefined
    if (held?.ends_at === null) return false
    const longest = atMost && [atMost.toISOString(), held?.ends_at ?? ''].toSorted().at(-1)
    const wanted = endsAt?.toISOString()
    const ends_at = [wanted, longest].filter((end) => end !== undefined).toSorted()[0] ?? null
    const given = { granted_by: by, granted_at: at.toISOString(), ends_at }
    const row = proofs.with('role_grant', { ...key, ...given })
    await upsertIn(transaction, 'role_grant', ['workspace_id', 'role', 'subject_kind', 'subject_id'], row)
    return held === undefined
  }
