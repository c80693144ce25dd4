// This folder is the audit log.

import { DAY_MS, yieldWhenDue } from '@signalman/runtime'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteWhere } from '../database/delete-rows.ts'
import { type Schema, selectRows } from '../database/schema.ts'
import { type AuditCopy, createAuditCopies } from './copy.ts'
import {
  countMentions,
  ERASED,
  ERASED_COLUMNS,
  ERASED_MENTION,
  type ErasedPerson,
  erasePerson,
} from './erase-person.ts'
import { type FoldedPage, foldRows } from './fold.ts'
import { type AppendAudit, type AuditEntry, type AuditEvent, type NewRow, toEntry, toRow } from './row.ts'
import { type AuditFilter, searchRows } from './search.ts'

/** A query of the log, newest first. */
export interface AuditQuery extends AuditFilter {
  /** 1 to 1,000. */
  readonly limit: number
}

export type Audit = ReturnType<typeof createAudit>

/** A transaction that changes what is stored about a workspace, together with the audit row that records it. */
export interface DecisionTransaction {
  readonly workspaceId: string
  readonly transaction: Transaction<Schema>
}

interface AuditDeps {
  readonly time: DatabaseTime
  /** Called after each transaction of decisions. */
  readonly onDecided?: ((workspaceId: string) => void) | undefined
  /** Called with each row that is committed, so that a copy reaches the application log, and so a place outside the database. */
  readonly onWritten?: ((row: AuditCopy) => void) | undefined
}

/** Stores the audit log in `audit_entry`. Rows are added and expire, and are never changed, except to erase a person. */
export function createAudit(database: Database, { time, onDecided = () => undefined, onWritten }: AuditDeps) {
  const { rows, takeLock, withLock } = database
  const copies = onWritten && createAuditCopies(database, onWritten)

  async function insert(to: Kysely<Schema>, newRow: NewRow): Promise<number> {
    const row = await withoutErased(to, newRow)
    const inserting = to.insertInto('audit_entry').values(row).returning('sequence')
    const { sequence } = await inserting.executeTakeFirstOrThrow()
    copies?.add(sequence)
    return sequence
  }

  /** An act or a job may end after a person was erased from its rows, so what it adds then names nobody either. */
  async function withoutErased(to: Kysely<Schema>, row: NewRow): Promise<NewRow> {
    const erased = await to
      .selectFrom('audit_entry')
      .select('user_id')
      .distinct()
      .where('workspace_id', '=', row.workspace_id)
      .where('reference', '=', row.reference)
      .where((one) => one.or([one('user_id', '=', ERASED), one('object', '=', ERASED)]))
      .execute()
    if (erased.length === 0) return row
    return { ...row, ...(erased.some(({ user_id }) => user_id === ERASED) ? ERASED_COLUMNS : ERASED_MENTION) }
  }

  const searchNewestFirst = (query: Omit<AuditQuery, 'limit'>, maxRows?: number) =>
    searchRows(database, query, 'desc', maxRows)

  return {
    /**
     * Adds one row, on disk when this returns. Texts longer than 2,000 characters are clipped. Throws StoreError `bad-value` for
     * values that aren't JSON and for a value under a key such as token, secret, csr, or password.
     */
    append: async (auditEvent: AuditEvent): Promise<number> => insert(rows, toRow(auditEvent)),

    /** Like `append`, but in the caller's transaction, for rows that must be stored together with their change. */
    async appendInTransaction(...[transaction, auditEvent]: Parameters<AppendAudit>): Promise<void> {
      await insert(transaction, toRow(auditEvent))
    },

    /**
     * Saves decisions together with the audit row that records them, in one transaction. `work` makes the changes
     * and returns the content of the row. Other decisions in this workspace wait.
     */
    decide: <T>(
      workspaceId: string,
      work: (decisions: DecisionTransaction) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
    ): Promise<T> =>
      withLock(workspaceId, async (transaction) => {
        const { auditEvent, outcome } = await work({ workspaceId, transaction })
        await insert(transaction, toRow(auditEvent))
        return outcome
      }).finally(() => onDecided(workspaceId)),

    /**
     * Adds the row in the caller's transaction, unless the log already contains it with the same outcome. For callers that can't tell
     * whether they have already added it.
     */
    async appendMissing(...[transaction, auditEvent]: Parameters<AppendAudit>): Promise<void> {
      const { workspaceId, reference } = auditEvent
      // Other processes that are about to add the row wait here.
      await takeLock(transaction, `audit ${workspaceId} ${reference}`)
      const row = await withoutErased(transaction, toRow(auditEvent))
      const { workspace_id, verb, outcome, object } = row
      const same = selectRows(transaction, 'audit_entry', { workspace_id, reference, verb, outcome })
      const found = same.where('object', object === null ? 'is' : '=', object).limit(1)
      if (!(await found.executeTakeFirst())) await insert(transaction, row)
    },

    /** Returns rows, newest first. To get the next page, pass the last sequence of this one as `before`. */
    async search(query: AuditQuery): Promise<AuditEntry[]> {
      const limit = Math.min(Math.max(Math.trunc(query.limit), 1), 1000)
      const found: AuditEntry[] = []
      for await (const page of searchNewestFirst(query, limit)) found.push(...page.map(toEntry))
      return found
    },

    /** Returns rows, newest first, with similar rows of one act or job folded into one. `limit` counts folds. */
    searchFolded: ({ limit, ...query }: AuditQuery): Promise<FoldedPage> =>
      foldRows(searchNewestFirst(query), Math.min(Math.max(Math.trunc(limit), 1), 1000)),

    /** Yields every matching row with its intents, oldest first, in constant memory. */
    async *readAll(filter: AuditFilter): AsyncGenerator<AuditEntry> {
      for await (const page of searchRows(database, { ...filter, withIntents: true }, 'asc'))
        for (const row of page) {
          // A row may contain 40,000 characters of JSON.
          await yieldWhenDue()
          yield toEntry(row)
        }
    },

    /** Deletes all rows older than this many days, by the clock of the database. Returns how many. */
    removeOlderThan: (days: number): Promise<number> =>
      deleteWhere(database, 'audit_entry', sql<boolean>`at < ${time(-days * DAY_MS)}`),

    /** Deletes a workspace's log, except for one new row that records it. Returns the number of deleted rows. */
    async eraseWorkspace(event: AuditEvent): Promise<number> {
      const last = await insert(rows, toRow(event))
      return await deleteWhere(
        database,
        'audit_entry',
        sql`workspace_id = ${event.workspaceId} and sequence < ${last}`,
      )
    },

    /** Copies what is committed now to the application log. */
    flushCopies: async () => copies?.flush(),

    /**
     * Removes a person from a workspace's log, and from what their unfinished requests and jobs will add: each of those gets a row that
     * says so. Returns the number of changed rows.
     */
    async erasePerson(workspaceId: string, person: ErasedPerson): Promise<number> {
      const actor = { userId: ERASED }
      const event = { workspaceId, at: new Date(), actor, verb: 'audit.erase', outcome: 'done' } as const
      const unfinished = await selectRows(rows, 'work', {
        workspace_id: workspaceId,
        person_id: person.userId,
      })
        .where('state', '<>', 'done')
        .where('reference', 'is not', null)
        .execute()
      for (const reference of new Set(unfinished.map(({ reference }) => reference ?? '')))
        await insert(rows, toRow({ ...event, reference }))
      return await erasePerson(database, workspaceId, person)
    },
    /** Counts the rows that erasing each of a person's names would change, by name. */
    countMentionsByName: (workspaceId: string, person: ErasedPerson) =>
      countMentions(database, workspaceId, person),
  }
}
