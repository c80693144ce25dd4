import {
  type Audit,
  type Database,
  type Decisions,
  decisionKey,
  deleteRows,
  type RowProofs,
  StoreError,
  selectRows,
  upsertRow,
} from '@signalman/durable'
import { createReference } from '@signalman/runtime'
import { EVERYONE, type Grant, type GrantableRole, type Subject } from '../../domain/roles.ts'
import { ROLE_GRANT, type RoleGrantRow } from './tables.ts'

export type Grants = ReturnType<typeof grantStore>

const ROLE = { decides: 'role', key: ['workspace_id', 'role', 'subject_kind', 'subject_id'] } as const

/** The store of the `role_grant` table. Each change and its audit row are one transaction, on disk before it returns. */
export const grantStore = (
  database: Database,
  audit: Pick<Audit, 'chains' | 'decide'>,
  proofs: RowProofs,
  now: () => Date,
) => {
  /** Creates the functions that change grants in an act's transaction, under its audit row. */
  const within = (decisions: Decisions) => grantChanges(decisions, proofs, now)
  /** Runs a change outside of an act. Its audit row names only the changed object. */
  async function outsideAct<T>(
    workspaceId: string,
    by: string,
    object: string,
    work: (changes: ReturnType<typeof within>) => Promise<T>,
  ): Promise<T> {
    return await audit.decide(workspaceId, async (decisions) => ({
      outcome: await work(within(decisions)),
      auditEvent: {
        workspaceId,
        at: now(),
        actor: { userId: by },
        verb: 'role.save',
        object,
        outcome: 'done',
        reference: createReference(),
      },
    }))
  }
  return {
    ...grantReads(database, audit.chains, proofs, now),
    within,
    /** Grants a role outside of an act; see `within`. */
    add: (
      workspaceId: string,
      role: GrantableRole,
      subject: Subject,
      by: string,
      at: Date,
      end: GrantEnd = {},
    ): Promise<boolean> =>
      outsideAct(workspaceId, by, `role ${role} of ${subjectName(subject)}`, (changes) =>
        changes.add(role, subject, by, at, end),
      ),
    /** Revokes a role outside of an act; see `within`. */
    remove: (workspaceId: string, role: GrantableRole, subject: Subject): Promise<boolean> =>
      outsideAct(workspaceId, 'system', `role ${role} of ${subjectName(subject)}`, (changes) =>
        changes.remove(role, subject),
      ),
  }
}

function grantReads(
  { rows }: Database,
  { findCurrentDecisions }: Pick<Audit['chains'], 'findCurrentDecisions'>,
  proofs: RowProofs,
  now: () => Date,
) {
  /** Filters out grants that the app didn't write, and those that a later decision replaced. */
  async function filterCurrent(workspaceId: string, grantRows: readonly RoleGrantRow[]): Promise<Grant[]> {
    if (grantRows.length === 0) return []
    const decided = await findCurrentDecisions(rows, workspaceId)
    return grantRows
      .filter(
        (row) =>
          decided?.get(decisionKey(ROLE, row)) === row.decided_by && proofs.isGenuine('role_grant', row),
      )
      .map(readGrant)
  }
  const selectUnexpired = (workspaceId: string) =>
    selectRows(rows, 'role_grant', { workspace_id: workspaceId }).where(({ eb, or }) =>
      or([eb('ends_at', 'is', null), eb('ends_at', '>', now().toISOString())]),
    )
  return {
    /** All grants of the workspace, by role, then kind, then ID of the subject. */
    async list(workspaceId: string): Promise<Grant[]> {
      const query = selectUnexpired(workspaceId).orderBy('role').orderBy('subject_kind').orderBy('subject_id')
      return await filterCurrent(workspaceId, await query.execute())
    },

    /**
     * The grants that may apply to this person: their own, everyone's, and all groups' (the caller knows who is in a group).
     * Always read from the database, so that a revoked grant stops working immediately.
     */
    async find(workspaceId: string, userId: string): Promise<Grant[]> {
      const query = selectUnexpired(workspaceId).where(({ eb, or }) =>
        or([eb('subject_kind', '!=', 'user'), eb('subject_id', '=', userId)]),
      )
      return await filterCurrent(workspaceId, await query.execute())
    },
  }
}

/** When a grant ends. */
interface GrantEnd {
  endsAt?: Date | undefined
  /** The end of the granter's own role. A grant can't be extended beyond it. */
  maxEnd?: Date | undefined
}

/** Creates the functions that change grants under one audit row. Other changes of the workspace's roles wait for its transaction. */
function grantChanges(decisions: Decisions, proofs: RowProofs, now: () => Date) {
  const { transaction, workspaceId } = decisions
  /** A forged or restored row counts as absent, and is overwritten. */
  const isCurrent = (row: RoleGrantRow): boolean =>
    decisions.isCurrent(decisionKey(ROLE, row), row.decided_by) && proofs.isGenuine('role_grant', row)

  /** Finds the current grants of a role. Deletes expired ones, which would block new ones. */
  async function findCurrent(role: GrantableRole): Promise<RoleGrantRow[]> {
    const all = await selectRows(transaction, 'role_grant', { workspace_id: workspaceId, role }).execute()
    const hasExpired = ({ ends_at }: RoleGrantRow) => ends_at !== null && ends_at <= now().toISOString()
    for (const row of all.filter(hasExpired)) await deleteGrant(row)
    return all.filter((row) => !hasExpired(row) && isCurrent(row))
  }

  async function deleteGrant({ role, subject_kind, subject_id }: GrantKey): Promise<void> {
    const key = { workspace_id: workspaceId, role, subject_kind, subject_id }
    await deleteRows(transaction, 'role_grant', key)
    decisions.drop(decisionKey(ROLE, key))
  }

  /** Saves a grant. Returns when it now ends, and whether the subject had none before. */
  function saveGrant(
    key: GrantKey,
    existing: RoleGrantRow | undefined,
    { by, at, endsAt, maxEnd }: GrantEnd & { by: string; at: Date },
  ): { isNew: boolean; ends_at: string | null } {
    if (existing?.ends_at === null) return { isNew: false, ends_at: null }
    // A grant can't end after the granter's own role, except if it already does.
    const latestEnd = maxEnd && [maxEnd.toISOString(), existing?.ends_at ?? ''].toSorted().at(-1)
    const requestedEnd = endsAt?.toISOString()
    const ends_at = [requestedEnd, latestEnd].filter((end) => end !== undefined).toSorted()[0] ?? null
    const grantColumns = { ...key, granted_by: by, granted_at: at.toISOString(), ends_at }
    decisions.put(decisionKey(ROLE, key), async (decided_by) => {
      const row = proofs.addProof('role_grant', { ...grantColumns, decided_by })
      await upsertRow(transaction, 'role_grant', ['workspace_id', 'role', 'subject_kind', 'subject_id'], row)
    })
    return { isNew: existing === undefined, ends_at }
  }

  /** Grants or extends the role. Returns when the grant now ends, and whether it is new. */
  async function extend(
    role: GrantableRole,
    subject: Subject,
    by: string,
    at: Date,
    end: GrantEnd,
  ): Promise<{ isNew: boolean; endsAt: string | undefined }> {
    const key = grantKey(workspaceId, role, subject)
    const existing = (await findCurrent(role)).find(
      (row) => subjectName(readSubject(row)) === subjectName(subject),
    )
    const { isNew, ends_at } = saveGrant(key, existing, { by, at, ...end })
    return { isNew, endsAt: ends_at ?? undefined }
  }

  return {
    /**
     * Grants and revokes the role where `requested` differs from `shown`. Leaves grants alone that others have changed since then. New
     * grants end at `maxEnd` if given. Throws `lastGrantError`, and changes nothing, if this would remove the last permanent grant to a
     * person or everyone, even if someone else removes another one at the same time.
     */
    async change(
      role: GrantableRole,
      subjects: { shown: readonly Subject[]; requested: readonly Subject[] },
      by: string,
      at: Date,
      { maxEnd, lastGrantError }: Pick<GrantEnd, 'maxEnd'> & { lastGrantError?: Error | undefined } = {},
    ): Promise<{ added: Subject[]; removed: Subject[] }> {
      const requested = new Map(
        subjects.requested.map((subject) => [subjectName(subject), grantKey(workspaceId, role, subject)]),
      )
      const shownNames = new Set(subjects.shown.map(subjectName))
      const before = await findCurrent(role)
      const isRemoved = (row: RoleGrantRow) => {
        const name = subjectName(readSubject(row))
        return shownNames.has(name) && !requested.has(name)
      }
      const removed = before.filter(isRemoved)
      for (const row of removed) await deleteGrant(row)
      const remaining = before.filter((row) => !isRemoved(row))
      const remainingByName = new Map(remaining.map((row) => [subjectName(readSubject(row)), row]))
      let hasPermanent = remaining.some(isPermanent)
      const added: Subject[] = []
      for (const [name, key] of requested) {
        if (shownNames.has(name)) continue
        const { isNew, ends_at } = saveGrant(key, remainingByName.get(name), { by, at, maxEnd })
        hasPermanent ||= isPermanent({ ...key, ends_at })
        if (isNew) added.push(readSubject(key))
      }
      if (lastGrantError && before.some(isPermanent) && !hasPermanent) throw lastGrantError
      return { added, removed: removed.map(readSubject) }
    },

    /**
     * Grants the role. An existing grant gets the new end, or becomes permanent without one; a permanent grant isn't shortened.
     * True if the subject didn't have the role.
     */
    async add(
      role: GrantableRole,
      subject: Subject,
      by: string,
      at: Date,
      end: GrantEnd = {},
    ): Promise<boolean> {
      return (await extend(role, subject, by, at, end)).isNew
    },

    extend,

    /** Revokes the role. True if the subject had it. */
    async remove(role: GrantableRole, subject: Subject): Promise<boolean> {
      const name = subjectName(subject)
      const hadRole = (await findCurrent(role)).some((row) => subjectName(readSubject(row)) === name)
      await deleteGrant(grantKey(workspaceId, role, subject))
      return hadRole
    },
  }
}

const isPermanent = ({ subject_kind, ends_at }: Pick<RoleGrantRow, 'subject_kind' | 'ends_at'>): boolean =>
  subject_kind !== 'group' && ends_at === null

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
  const { subjectKind: kind, subjectId: id, proof: _, decidedBy: __, ...grant } = ROLE_GRANT.parse(row)
  return { ...grant, subject: { kind, id } }
}
