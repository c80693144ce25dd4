import {
  type Database,
  type DecisionTransaction,
  deleteRows,
  StoreError,
  selectRows,
  upsertRow,
} from '@signalman/durable'
import { EVERYONE, type Grant, type GrantableRole, type Subject } from '../../domain/roles.ts'
import { ROLE_GRANT, type RoleGrantRow } from './tables.ts'

export type Grants = ReturnType<typeof grantStore>

/** The store of the `role_grant` table. */
export const grantStore = (database: Database, now: () => Date) => ({
  ...grantReads(database, now),
  /** Creates the functions that change grants in a transaction, under its audit row. */
  within: (decisions: DecisionTransaction) => grantChanges(decisions, now),
})

function grantReads({ rows }: Database, now: () => Date) {
  const selectUnexpired = (workspaceId: string) =>
    selectRows(rows, 'role_grant', { workspace_id: workspaceId }).where(({ eb, or }) =>
      or([eb('ends_at', 'is', null), eb('ends_at', '>', now().toISOString())]),
    )
  return {
    /** All grants of the workspace, by role, then kind, then ID of the subject. */
    async list(workspaceId: string): Promise<Grant[]> {
      const query = selectUnexpired(workspaceId).orderBy('role').orderBy('subject_kind').orderBy('subject_id')
      return (await query.execute()).map(readGrant)
    },

    /**
     * The grants that may apply to this person: their own, everyone's, and all groups' (the caller knows who is in a group).
     * Always read from the database, so that a revoked grant stops working immediately.
     */
    async find(workspaceId: string, userId: string): Promise<Grant[]> {
      const query = selectUnexpired(workspaceId).where(({ eb, or }) =>
        or([eb('subject_kind', '!=', 'user'), eb('subject_id', '=', userId)]),
      )
      return (await query.execute()).map(readGrant)
    },
  }
}

/** When a grant ends. */
interface GrantEnd {
  endsAt?: Date | undefined
  /** The end of the granter's own role. A grant can't be extended beyond it. */
  maxEnd?: Date | undefined
}

/** A grant that was saved. The dates are ISO 8601. */
export interface SavedGrant {
  /** Without an end, it's permanent. */
  readonly endsAt: string | undefined
  /** When the subject's role ended before; null if it was permanent, and undefined if they didn't have it. */
  readonly previousEnd: string | null | undefined
}

/** Creates the functions that change grants under one audit row. Other changes of the workspace's roles wait for its transaction. */
function grantChanges({ transaction, workspaceId }: DecisionTransaction, now: () => Date) {
  /** Finds the current grants of a role. Deletes expired ones, which would block new ones. */
  async function findCurrent(role: GrantableRole): Promise<RoleGrantRow[]> {
    const all = await selectRows(transaction, 'role_grant', { workspace_id: workspaceId, role }).execute()
    const hasExpired = ({ ends_at }: RoleGrantRow) => ends_at !== null && ends_at <= now().toISOString()
    for (const row of all.filter(hasExpired)) await deleteGrant(row)
    return all.filter((row) => !hasExpired(row))
  }

  async function deleteGrant({ role, subject_kind, subject_id }: GrantKey): Promise<void> {
    const key = { workspace_id: workspaceId, role, subject_kind, subject_id }
    await deleteRows(transaction, 'role_grant', key)
  }

  /** Saves a grant. Returns when it now ends. */
  async function saveGrant(
    key: GrantKey,
    existing: RoleGrantRow | undefined,
    { by, at, endsAt, maxEnd }: GrantEnd & { by: string; at: Date },
  ): Promise<string | null> {
    if (existing?.ends_at === null) return null
    // A grant can't end after the granter's own role, except if it already does.
    const latestEnd = maxEnd && [maxEnd.toISOString(), existing?.ends_at ?? ''].toSorted().at(-1)
    const requestedEnd = endsAt?.toISOString()
    const ends_at = [requestedEnd, latestEnd].filter((end) => end !== undefined).toSorted()[0] ?? null
    const row = { ...key, granted_by: by, granted_at: at.toISOString(), ends_at }
    await upsertRow(transaction, 'role_grant', ['workspace_id', 'role', 'subject_kind', 'subject_id'], row)
    return ends_at
  }

  /**
   * Grants the role. An existing grant gets the new end, or becomes permanent without one; a permanent grant isn't shortened. Returns when
   * the grant now ends, and what it replaced.
   */
  async function extend(
    role: GrantableRole,
    subject: Subject,
    by: string,
    at: Date,
    end: GrantEnd = {},
  ): Promise<SavedGrant> {
    const key = grantKey(workspaceId, role, subject)
    const existing = (await findCurrent(role)).find((row) => isSameSubject(row, subject))
    const ends_at = await saveGrant(key, existing, { by, at, ...end })
    return { endsAt: ends_at ?? undefined, previousEnd: existing?.ends_at }
  }

  return {
    /**
     * Revokes the role. Throws `missingError` if it isn't given, and `lastGrantError` if no permanent grant to a person or everyone would
     * be left, even if someone else revokes another one at the same time. Then it changes nothing. Returns when the role would have
     * ended, ISO 8601; null if it was permanent.
     */
    async revoke(
      role: GrantableRole,
      subject: Subject,
      { missingError, lastGrantError }: { missingError: Error; lastGrantError?: Error | undefined },
    ): Promise<string | null> {
      const before = await findCurrent(role)
      const row = before.find((other) => isSameSubject(other, subject))
      if (!row) throw missingError
      if (lastGrantError && isPermanent(row) && !before.some((other) => other !== row && isPermanent(other)))
        throw lastGrantError
      await deleteGrant(row)
      return row.ends_at
    },

    extend,
  }
}

const isPermanent = ({ subject_kind, ends_at }: Pick<RoleGrantRow, 'subject_kind' | 'ends_at'>): boolean =>
  subject_kind !== 'group' && ends_at === null

const isSameSubject = (row: GrantKey, subject: Subject): boolean =>
  subjectName(readSubject(row)) === subjectName(subject)

type GrantKey = Pick<RoleGrantRow, 'workspace_id' | 'role' | 'subject_kind' | 'subject_id'>

function grantKey(workspaceId: string, role: GrantableRole, { kind, id }: Subject): GrantKey {
  if (kind !== 'everyone' && !SUBJECT_ID.test(id)) {
    throw new StoreError('bad-value', `This isn’t the Slack ID of a ${kind}, so it can’t have a role.`)
  }
  return {
    workspace_id: workspaceId,
    role,
    subject_kind: kind,
    subject_id: kind === 'everyone' ? EVERYONE.id : id,
  }
}

const SUBJECT_ID = /^[A-Za-z0-9]{1,64}$/

function readSubject(row: GrantKey): Subject {
  return { kind: row.subject_kind, id: row.subject_id }
}

function subjectName({ kind, id }: Subject): string {
  return kind === 'everyone' ? kind : `${kind} ${id}`
}

function readGrant(row: RoleGrantRow): Grant {
  const { subjectKind: kind, subjectId: id, ...grant } = ROLE_GRANT.parse(row)
  return { ...grant, subject: { kind, id } }
}
