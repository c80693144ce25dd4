import { yieldWhenDue } from '@signalman/runtime'
import { type Kysely, sql, type Transaction } from 'kysely'
import { createBatches } from '../database/batches.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { type Schema, selectRows } from '../database/schema.ts'
import type { NamedCells } from '../database/stored-tables.ts'
import type { LiveKeys } from '../secrets/keys.ts'
import { createRowProofs } from '../secrets/row-proofs.ts'
import { type Sealer, tryOpen } from '../secrets/seal.ts'
import { type Chains, createChains, REGISTER, withoutErased } from './chain.ts'
import { type Decisions, hasGenuine, readStoredDecisions, type StoredDecision } from './decisions.ts'
import { countMentions, type ErasedPerson, erasePerson } from './erase-person.ts'
import { type FoldedPage, foldRows } from './fold.ts'
import type { Head } from './head.ts'
import { type AuditFault, ERASED } from './read-chain.ts'
import { type CreateRetentionEvent, findOlderThan, type RetentionPace, removeOlderThan } from './retention.ts'
import {
  type AppendAudit,
  type AuditEntry,
  type AuditEvent,
  toEntry,
  toUnchainedRow,
  type UnchainedRow,
} from './row.ts'
import { type AuditFilter, searchRows } from './search.ts'
import {
  type AuditVerdict,
  type AuditVerdicts,
  findDecisionFaults,
  listWorkspacesWithLogs,
  verifyAll,
} from './verify.ts'

/** A query of the log, newest first. */
export interface AuditQuery extends Omit<AuditFilter, 'withoutIntents'> {
  /** Also include rows with the outcome `begun`. Each records an intent, and another row records its outcome. */
  readonly withIntents?: boolean | undefined
  /** 1 to 1,000. */
  readonly limit: number
}

export type Audit = ReturnType<typeof createAudit>

interface AuditDeps {
  readonly sealer: Sealer
  readonly time: DatabaseTime
  /** Called after a transaction that saves a workspace's settings or roles together with an audit row. */
  readonly onDecided?: ((workspaceId: string) => void) | undefined
}

/** Rows that arrive during a transaction are written together in the next one, so that they wait for the disk only once. */
const MAX_ROWS_PER_BATCH = 32
/**
 * `appendMissing` searches only this many recent rows. Without a limit, one statement would read the whole log if the row isn't
 * there.
 */
const RECENT_ROWS = 1000

/** Stores the audit log in `audit_entry` and `audit_chain`. */
export function createAudit(
  database: Database,
  { sealer, time, onDecided = () => undefined }: AuditDeps,
) {
  const { rows } = database
  const chains = createChains(sealer)
  /**
   * The end of the log according to its sealed head. Undefined if the head is missing or doesn't open, which `verify` reports.
   */
  const readHead = (workspaceId: string) => chains.readHead(rows, workspaceId).catch(() => undefined)
  const searchNewestFirst = (query: Omit<AuditQuery, 'limit'>, maxRows?: number) =>
    searchRows(database, { ...query, withoutIntents: !query.withIntents }, 'desc', maxRows)
  const appendInBatches = createBatches(
    MAX_ROWS_PER_BATCH,
    (workspaceId: string, auditEvents: readonly UnchainedRow[]) =>
      rows.transaction().execute((transaction) => chains.append(transaction, workspaceId, auditEvents)),
  )
  const proofs = createRowProofs(database.model.tables, sealer)
  const isGenuine = (table: Table, row: NamedCells): boolean =>
    proofs.isGenuine(table.name as never, row as never)
  const readDecisions = (from: Kysely<Schema>) => readStoredDecisions(from, database.model.tables, isGenuine)
  const verifyIn = (from: Kysely<Schema>, only?: string) =>
    verifyAll(from, database.kind, { chains, readDecisions }, only)

  return {
    chains,

    /**
     * Adds one row to the workspace's chain, on disk when this returns. Several processes may do so at the same time. Texts longer than
     * 2,000 characters are clipped. Throws StoreError `bad-value` for values that aren't JSON and for a value under a key such as
     * token, secret, csr, or password. Throws `tampered` if the chain has lost its head.
     */
    append: async (auditEvent: AuditEvent): Promise<{ sequence: number; hash: string }> =>
      await appendInBatches(auditEvent.workspaceId, toUnchainedRow(auditEvent)),

    /** Like `append`, but in the caller's transaction, for rows that must be stored together with their change. */
    async appendInTransaction(...[transaction, auditEvents]: Parameters<AppendAudit>): Promise<void> {
      const workspaces = Map.groupBy(auditEvents, ({ workspaceId }) => workspaceId)
      for (const [workspaceId, events] of workspaces)
        await chains.append(transaction, workspaceId, events.map(toUnchainedRow))
    },

    /**
     * Saves settings and roles together with the audit row that records the changes, in one transaction. `work` makes the changes
     * and returns the content of the row.
     */
    async decide<T>(
      workspaceId: string,
      work: (decisions: Decisions) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
    ): Promise<T> {
      const deciding = rows
        .transaction()
        .execute((transaction) => chains.decide(transaction, workspaceId, work))
      return await deciding.finally(() => onDecided(workspaceId))
    },

    /** Like `decide`, but for a transaction that `save` runs and commits. */
    decideInTransaction: <T>(
      workspaceId: string,
      save: (decide: Chains['decide']) => Promise<T>,
    ): Promise<T> => save(chains.decide).finally(() => onDecided(workspaceId)),

    /**
     * Adds each row in the caller's transaction, unless the last 1,000 rows already contain it with the same outcome. For callers
     * that can't tell whether they have already added it.
     */
    async appendMissing(...[transaction, auditEvents]: Parameters<AppendAudit>): Promise<void> {
      for (const auditEvent of auditEvents) await appendMissing(transaction, chains, auditEvent)
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

    /** Yields every matching row, oldest first, in constant memory. Leaves out rows added meanwhile. */
    async *readAll(filter: AuditFilter): AsyncGenerator<AuditEntry> {
      for await (const page of searchRows(database, filter, 'asc')) {
        for (const row of page) {
          // A row may contain 40,000 characters of JSON.
          await yieldWhenDue()
          yield toEntry(row)
        }
      }
    },

    /**
     * Deletes rows older than this many days by the database's clock. The first removal of a day adds the audit row. Returns the
     * number of deleted rows. Throws StoreError `tampered` at a tampered row.
     */
    removeOlderThan: (
      workspaceId: string,
      days: number,
      auditRow: CreateRetentionEvent,
      pace?: RetentionPace,
    ): Promise<number> => removeOlderThan(database, { chains, time }, workspaceId, days, auditRow, pace),

    /** Counts the rows that are older than this many days by the database's clock. */
    findOlderThan: (workspaceId: string, days: number) => findOlderThan(database, time, workspaceId, days),

    /**
     * Finds rows that were changed, deleted, inserted, or moved, a truncated end, a chain rewritten without the key, and settings
     * or roles that differ from the last decision. Only an anchor detects a chain that was replaced with an older copy.
     */
    verify: (workspaceId: string): Promise<AuditVerdict> =>
      database.snapshot(async (from) => {
        const { workspaces } = await verifyIn(from, workspaceId)
        return workspaces.get(workspaceId) ?? { rows: 0, faults: [], notes: [], head: undefined }
      }),

    /** Verifies the logs of all workspaces and the register of chains, in one snapshot. */
    verifyAll: (): Promise<AuditVerdicts> => database.snapshot((from) => verifyIn(from)),

    /** Returns a sentence for each setting and role that differs from the last decision. Reads no audit rows. */
    listDecisionFaults: (): Promise<string[]> =>
      database.snapshot(
        async (from) => await describeDecisionFaults(from, chains, await readDecisions(from)),
      ),

    /** All workspaces with rows or a chain, by ID. */
    listWorkspaces: () => listWorkspacesWithLogs(database.reading),
    /** Removes a person from a workspace's log. The chain stays valid. Returns the number of changed rows. Throws StoreError. */
    erasePerson: (workspaceId: string, person: ErasedPerson) =>
      erasePerson(database, { chains, sealer }, workspaceId, person),
    /** Counts the rows that erasing each of a person's names would change, by name. */
    countMentionsByName: (workspaceId: string, person: ErasedPerson) =>
      countMentions(database, workspaceId, person),
    readHead,
  }
}

async function describeDecisionFaults(
  from: Kysely<Schema>,
  chains: Chains,
  stored: ReadonlyMap<string, ReadonlyMap<string, StoredDecision>>,
): Promise<string[]> {
  const found = await selectRows(from, 'audit_chain', {}).where('workspace_id', '<>', REGISTER).execute()
  const sealed = new Map(found.map((row) => [row.workspace_id, row]))
  const sentences: string[] = []
  for (const workspaceId of new Set([...stored.keys(), ...sealed.keys()])) {
    await yieldWhenDue()
    const row = sealed.get(workspaceId)
    const storedDecisions = stored.get(workspaceId) ?? new Map()
    if (!row && !hasGenuine(storedDecisions)) continue
    const head = row && tryOpen(() => chains.openHead(row))
    const faults =
      row && head && 'value' in head
        ? findDecisionFaults(chains, row, head.value, storedDecisions)
        : [{ sequence: 0, description: 'the sealed head of the audit log was changed or deleted' }]
    sentences.push(...faults.map((fault) => `${workspaceId}: ${describeFault(fault)}`))
  }
  return sentences.toSorted()
}

/** Formats a fault as a line. Sequence 0 means the chain as a whole. */
export const describeFault = ({ sequence, description }: AuditFault): string =>
  sequence === 0 ? description : `row ${sequence} ${description}`

/** The latest rows of one verb, read through the index. */
function selectRecentRows(transaction: Transaction<Schema>, workspaceId: string, verb: string) {
  const newest = transaction
    .selectFrom('audit_entry')
    .select(sql<number>`max(sequence) - ${RECENT_ROWS}`.as('before'))
    .where('workspace_id', '=', workspaceId)
  return selectRows(transaction, 'audit_entry', { workspace_id: workspaceId, verb }).where(
    'sequence',
    '>',
    newest,
  )
}

/** Whether the log was erased after the act of this event began: what it added before is gone. */
async function wasErased(
  transaction: Transaction<Schema>,
  { cuts }: Head,
  { workspaceId, reference }: AuditEvent,
): Promise<boolean> {
  if (!cuts.some(({ why }) => why === 'erasure')) return false
  const kept = selectRows(transaction, 'audit_entry', { workspace_id: workspaceId })
    .where('reference', '=', reference)
    .orderBy('sequence', 'desc')
    .limit(1)
  return (await kept.executeTakeFirst()) === undefined
}

/** What is known after an erasure: that something ended, and how. Not who did what to what. */
const withoutNames = ({ workspaceId, at, outcome, reference }: AuditEvent): AuditEvent => ({
  workspaceId,
  at,
  actor: { userId: ERASED },
  verb: ERASED,
  outcome,
  reference,
})

async function appendMissing(
  transaction: Transaction<Schema>,
  chains: Chains,
  auditEvent: AuditEvent,
): Promise<void> {
  const { workspaceId, verb } = auditEvent
  // Lock first, so that other processes adding the row wait here.
  const head = await chains.lock(transaction, workspaceId)
  const wanted = toUnchainedRow(
    head && (await wasErased(transaction, head, auditEvent)) ? withoutNames(auditEvent) : auditEvent,
  )
  const [row = wanted] = await withoutErased(transaction, head ?? { erased: 0 }, [wanted])
  const same = selectRecentRows(transaction, workspaceId, verb)
    .where('reference', '=', row.reference)
    .where('outcome', '=', row.outcome)
    .where((where) => where('object', row.object === null ? 'is' : '=', row.object))
  if (await same.limit(1).executeTakeFirst()) return
  await chains.append(transaction, workspaceId, [row])
}
