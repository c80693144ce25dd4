import { yieldWhenDue } from '@signalman/runtime'
import { sql } from 'kysely'
import { createBatches } from '../database/batches.ts'
import type { Database } from '../database/database.ts'
import { rowsIn } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import { auditChains, type Chains } from './chain.ts'
import { countNamed, type ErasedPerson, erasePerson } from './erase-person.ts'
import { type FoldedPage, foldRows } from './fold.ts'
import { oldestRows, type Removal, retain, workspacesWithRows } from './remove-oldest.ts'
import {
  type AppendAudit,
  type AuditEntry,
  type AuditEvent,
  entryOf,
  type UnchainedRow,
  unchainedRow,
} from './row.ts'
import { type AuditFilter, findRows } from './search.ts'
import { unloggedWorkspaces, verifyChain } from './verify.ts'

/** A query of the log, newest first. */
export interface AuditQuery extends Omit<AuditFilter, 'withoutIntents'> {
  /** Also the rows of acts that were about to begin. */
  readonly withIntents?: boolean | undefined
  /** 1 to 1,000. */
  readonly limit: number
}

export type Audit = ReturnType<typeof auditStore>

/** Rows that come in during a transaction are written together in the next one, with one wait for the disk. */
const MOST_AT_ONCE = 32
/** Among so many rows the beginning of an act is looked for: in a log without it every row would be read, in one statement. */
const RECENT = 1000

/** The rows of `audit_entry` and `audit_chain`. */
export function auditStore(database: Database, sealer: Sealer) {
  const { rows } = database
  const chains = auditChains(sealer)
  /** The end of the log as its sealed head has it; undefined where that is gone or does not open, of which `verify` tells. */
  const head = (workspaceId: string) => chains.read(rows, workspaceId).catch(() => undefined)
  async function* newestFirst(query: Omit<AuditQuery, 'limit'>, most?: number) {
    const sealed = await head(query.workspaceId)
    const ends = sealed && { first: sealed.keptFrom, last: sealed.sequence }
    yield* findRows(database, { ...query, withoutIntents: !query.withIntents }, 'desc', most, ends)
  }
  const chain = createBatches(MOST_AT_ONCE, (workspaceId: string, auditEvents: readonly UnchainedRow[]) =>
    rows.transaction().execute((transaction) => chains.append(transaction, workspaceId, auditEvents)),
  )
  return {
    /**
     * Adds one row to the workspace's chain, on disk before this returns; several processes may do so at once. Texts of
     * more than 2,000 characters are clipped. Throws StoreError `bad-value` for what is no JSON and for a value under a
     * key such as token, secret, csr or password; `unusable` when the chain has lost its head.
     */
    append: async (auditEvent: AuditEvent): Promise<{ sequence: number; hash: string }> =>
      await chain(auditEvent.workspaceId, unchainedRow(auditEvent)),

    /** The same within the caller's transaction, for a row that must be stored together with its act. */
    async appendWith(...[transaction, auditEvents]: Parameters<AppendAudit>): Promise<void> {
      const workspaces = Map.groupBy(auditEvents, ({ workspaceId }) => workspaceId)
      for (const [workspaceId, own] of workspaces)
        await chains.append(transaction, workspaceId, own.map(unchainedRow))
    },

    /**
     * Adds the outcome of what was begun among the last 1,000 rows, where nobody has: of several processes, one. Resolves with whether
     * it was this one.
     */
    appendOutcome: (auditEvent: AuditEvent): Promise<boolean> => appendOutcome(database, chains, auditEvent),

    /** Newest first; `before` the last sequence of a page leads to the next. */
    async search(query: AuditQuery): Promise<AuditEntry[]> {
      const limit = Math.min(Math.max(Math.trunc(query.limit), 1), 1000)
      const found: AuditEntry[] = []
      for await (const page of newestFirst(query, limit)) found.push(...page.map(entryOf))
      return found
    },

    /** Newest first, the rows of one act or job that are alike folded into one; `limit` counts folds. */
    searchFolded: ({ limit, ...query }: AuditQuery): Promise<FoldedPage> =>
      foldRows(newestFirst(query), Math.min(Math.max(Math.trunc(limit), 1), 1000)),

    /** Every row that matches, oldest first, in constant memory; without rows that are added meanwhile. */
    async *read(filter: AuditFilter): AsyncGenerator<AuditEntry> {
      for await (const page of findRows(database, filter, 'asc')) {
        for (const row of page) {
          // A row may hold 40,000 characters of JSON.
          await yieldWhenDue()
          yield entryOf(row)
        }
      }
    },

    /** Deletes rows from the start up to the first newer one. Returns how many. Throws StoreError `unusable` at a tampered row. */
    retain: (workspaceId: string, ...what: Removal) => retain(database, chains, workspaceId, ...what),
    /** The time of the oldest row, for each of the workspaces that has one. */
    oldest: (workspaceIds: readonly string[]) => oldestRows(database, workspaceIds),

    /**
     * Finds rows that were changed, deleted, inserted or moved, a cut at the end, and a chain rewritten without the key. It does not
     * find a chain that was put back, rows and head together, to an earlier state: that takes an anchor.
     */
    verify: (workspaceId: string) => verifyChain(database, chains, workspaceId),

    /** Every workspace with rows or a chain, by id. */
    workspaces: () => workspacesWithRows(database),
    /** The fault of the set of chains, such as one that is gone with all its rows; undefined when there is none. */
    missingChains: () => chains.registerFault(rows),
    /** Removes a person from a workspace's log; the chain stays valid. Returns the number of changed rows. Throws StoreError. */
    erasePerson: (workspaceId: string, person: ErasedPerson) =>
      erasePerson(database, sealer, workspaceId, person),
    /** How many rows each of their names would take out of it, by name. */
    countNamed: (workspaceId: string, person: ErasedPerson) => countNamed(database, workspaceId, person),
    /** Workspaces whose log is empty or begins too late, compared with the rest of the database. */
    unlogged: () => unloggedWorkspaces(database),
    head,
  }
}

function appendOutcome(database: Database, chains: Chains, auditEvent: AuditEvent): Promise<boolean> {
  const { workspaceId, verb } = auditEvent
  return database.inTurn(`outcome ${workspaceId}`, async (transaction) => {
    const own = rowsIn(transaction, 'audit_entry', { workspace_id: workspaceId, verb })
    const newest = transaction
      .selectFrom('audit_entry')
      .select(sql<number>`max(sequence) - ${RECENT}`.as('before'))
      .where('workspace_id', '=', workspaceId)
    const recent = own.where('sequence', '>', newest)
    const last = await recent.orderBy('sequence', 'desc').limit(1).executeTakeFirst()
    if (last?.outcome !== 'begun') return false
    await chains.append(transaction, workspaceId, [unchainedRow(auditEvent)])
    return true
  })
}
