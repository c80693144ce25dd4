import { yieldWhenDue } from '@signalman/runtime'
import { type Kysely, sql, type Transaction } from 'kysely'
import { createBatches } from '../database/batches.ts'
import { type DatabaseTime, readTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { rowsIn, type Schema } from '../database/schema.ts'
import type { NamedCells } from '../database/stored-tables.ts'
import type { LivingKeys } from '../secrets/keys.ts'
import { rowProofs } from '../secrets/row-proofs.ts'
import { type Sealer, tryOpen } from '../secrets/seal.ts'
import { type AnchorText, type AnchorVerdict, compareWithAnchor } from './anchor-compare.ts'
import { auditChains, type Chains, REGISTER } from './chain.ts'
import { type Decisions, hasGenuine, type StoredDecision, storedDecisions } from './decisions.ts'
import { countNamed, type ErasedPerson, erasePerson } from './erase-person.ts'
import { type FoldedPage, foldRows } from './fold.ts'
import { type RetentionRow, removeOlderThan } from './retention.ts'
import {
  type AppendAudit,
  type AuditEntry,
  type AuditEvent,
  entryOf,
  type UnchainedRow,
  unchainedRow,
} from './row.ts'
import { type AuditFilter, findRows } from './search.ts'
import {
  type AuditVerdict,
  type AuditVerdicts,
  decidedFaults,
  verifyAll,
  workspacesWithLogs,
} from './verify.ts'
import type { AuditFault } from './walk.ts'

/** A query of the log, newest first. */
export interface AuditQuery extends Omit<AuditFilter, 'withoutIntents'> {
  /** Also the rows of acts that were about to begin. */
  readonly withIntents?: boolean | undefined
  /** 1 to 1,000. */
  readonly limit: number
}

export type Audit = ReturnType<typeof auditStore>

interface AuditParts {
  readonly sealer: Sealer
  /** Those that sign, or have signed, what was anchored. */
  readonly keys: Pick<LivingKeys, 'ring'>
  readonly time: DatabaseTime
  /** Called after a transaction that saves settings or roles of a workspace with a row. */
  readonly decided?: ((workspaceId: string) => void) | undefined
}

/** Rows that come in during a transaction are written together in the next one, with one wait for the disk. */
const MOST_AT_ONCE = 32
/** Among so many rows the beginning of an act is looked for: in a log without it every row would be read, in one statement. */
const RECENT = 1000

/** The rows of `audit_entry` and `audit_chain`. */
export function auditStore(
  database: Database,
  { sealer, keys, time, decided = () => undefined }: AuditParts,
) {
  const { rows } = database
  const chains = auditChains(sealer, (from) => readTime(from, time))
  /** The end of the log as its sealed head has it; undefined where that is gone or does not open, of which `verify` tells. */
  const head = (workspaceId: string) => chains.read(rows, workspaceId).catch(() => undefined)
  const newestFirst = (query: Omit<AuditQuery, 'limit'>, most?: number) =>
    findRows(database, { ...query, withoutIntents: !query.withIntents }, 'desc', most)
  const chain = createBatches(MOST_AT_ONCE, (workspaceId: string, auditEvents: readonly UnchainedRow[]) =>
    rows.transaction().execute((transaction) => chains.append(transaction, workspaceId, auditEvents)),
  )
  const proofs = rowProofs(database.model.tables, sealer)
  const isGenuine = (table: Table, row: NamedCells): boolean =>
    proofs.isGenuine(table.name as never, row as never)
  const decisions = (from: Kysely<Schema>) => storedDecisions(from, database.model.tables, isGenuine)
  const verifyIn = (from: Kysely<Schema>, only?: string) =>
    verifyAll(from, database.kind, { chains, decisions }, only)

  return {
    chains,

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
     * Adds one row and saves the settings and roles that it decides, in one transaction. `work` says which, and returns what the
     * row says.
     */
    async decide<T>(
      workspaceId: string,
      work: (decisions: Decisions) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
    ): Promise<T> {
      const deciding = rows
        .transaction()
        .execute((transaction) => chains.decide(transaction, workspaceId, work))
      return await deciding.finally(() => decided(workspaceId))
    },

    /** The same for a transaction that `save` runs and commits. */
    decideWithin: <T>(workspaceId: string, save: (decide: Chains['decide']) => Promise<T>): Promise<T> =>
      save(chains.decide).finally(() => decided(workspaceId)),

    /**
     * Adds, in the caller's transaction, those of these rows that aren't among the last 1,000 with the same outcome: for whoever can't
     * tell whether it has added them before.
     */
    async appendMissing(...[transaction, auditEvents]: Parameters<AppendAudit>): Promise<void> {
      for (const auditEvent of auditEvents) await appendMissing(transaction, chains, auditEvent)
    },

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

    /**
     * Deletes rows that are older than so many days by the database's clock. The first removal of a day adds the row. Returns how
     * many. Throws StoreError `unusable` at a tampered row.
     */
    removeOlderThan: (workspaceId: string, days: number, auditRow: RetentionRow): Promise<number> =>
      removeOlderThan(database, { chains, time }, workspaceId, days, auditRow),

    /**
     * Finds rows that were changed, deleted, inserted or moved, a cut at the end, a chain rewritten without the key, and settings or
     * roles that are not as they were decided last. Only an anchor finds a chain that was put back as a whole.
     */
    verify: (workspaceId: string): Promise<AuditVerdict> =>
      database.snapshot(async (from) => {
        const { workspaces } = await verifyIn(from, workspaceId)
        return workspaces.get(workspaceId) ?? { rows: 0, faults: [], notes: [], head: undefined }
      }),

    /** The same of every workspace, of the set of chains, and of what was anchored, as of one moment. */
    verifyAll: (
      anchor?: AnchorText,
    ): Promise<AuditVerdicts & { readonly anchor: AnchorVerdict | undefined }> =>
      database.snapshot(async (from) => {
        const verdicts = await verifyIn(from)
        return {
          ...verdicts,
          anchor: anchor && (await compareWithAnchor(from, verdicts, keys.ring(), anchor)),
        }
      }),

    /** A sentence for each setting and role that is not as it was decided last. Reads no rows of the logs. */
    decisionFaults: (): Promise<string[]> =>
      database.snapshot(async (from) => await decisionSentences(from, chains, await decisions(from))),

    /** Every workspace with rows or a chain, by id. */
    workspaces: () => workspacesWithLogs(database.reading),
    /** Removes a person from a workspace's log; the chain stays valid. Returns the number of changed rows. Throws StoreError. */
    erasePerson: (workspaceId: string, person: ErasedPerson) =>
      erasePerson(database, { chains, sealer }, workspaceId, person),
    /** How many rows each of their names would take out of it, by name. */
    countNamed: (workspaceId: string, person: ErasedPerson) => countNamed(database, workspaceId, person),
    head,
  }
}

async function decisionSentences(
  from: Kysely<Schema>,
  chains: Chains,
  stored: ReadonlyMap<string, ReadonlyMap<string, StoredDecision>>,
): Promise<string[]> {
  const found = await rowsIn(from, 'audit_chain', {}).where('workspace_id', '<>', REGISTER).execute()
  const sealed = new Map(found.map((row) => [row.workspace_id, row]))
  const sentences: string[] = []
  for (const workspaceId of new Set([...stored.keys(), ...sealed.keys()])) {
    await yieldWhenDue()
    const row = sealed.get(workspaceId)
    const own = stored.get(workspaceId) ?? new Map()
    if (!row && !hasGenuine(own)) continue
    const head = row && tryOpen(() => chains.openHead(row))
    const faults =
      row && head && 'value' in head
        ? decidedFaults(chains, row, head.value, own)
        : [{ sequence: 0, what: 'the sealed head of the audit log was changed or deleted' }]
    sentences.push(...faults.map((fault) => `${workspaceId}: ${describeFault(fault)}`))
  }
  return sentences.toSorted()
}

/** A fault as a line: sequence 0 is of the chain as a whole. */
export const describeFault = ({ sequence, what }: AuditFault): string =>
  sequence === 0 ? what : `row ${sequence} ${what}`

/** The last rows of one verb: the index leads to them. */
function recentRows(transaction: Transaction<Schema>, workspaceId: string, verb: string) {
  const newest = transaction
    .selectFrom('audit_entry')
    .select(sql<number>`max(sequence) - ${RECENT}`.as('before'))
    .where('workspace_id', '=', workspaceId)
  return rowsIn(transaction, 'audit_entry', { workspace_id: workspaceId, verb }).where(
    'sequence',
    '>',
    newest,
  )
}

async function appendMissing(
  transaction: Transaction<Schema>,
  chains: Chains,
  auditEvent: AuditEvent,
): Promise<void> {
  const { workspaceId, verb } = auditEvent
  // Whoever else adds it waits here.
  await chains.lock(transaction, workspaceId)
  const row = unchainedRow(auditEvent)
  const same = recentRows(transaction, workspaceId, verb)
    .where('reference', '=', row.reference)
    .where('outcome', '=', row.outcome)
    .where((where) => where('object', row.object === null ? 'is' : '=', row.object))
  if (await same.limit(1).executeTakeFirst()) return
  await chains.append(transaction, workspaceId, [row])
}
