import { setImmediate } from 'node:timers/promises'
import { type SelectQueryBuilder, sql } from 'kysely'
import { auditChains, type Chains, REGISTER } from './audit-chain.ts'
import { type AuditDeed, type AuditEntry, entryOf, type UnchainedRow, unchainedRow } from './audit-row.ts'
import { auditText } from './audit-value.ts'
import { type AuditVerdict, verifyChain } from './audit-verify.ts'
import { startWalk } from './audit-walk.ts'
import { createBatches } from './batches.ts'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import type { AuditEntryRow, Schema } from './schema.ts'
import type { Sealer } from './seal.ts'
import { deleteInBatches } from './sweeping.ts'

/** What of the log is wanted; what is left out does not matter. */
export interface AuditQuery {
  readonly workspaceId: string
  readonly userId?: string | undefined
  /** The beginning of the verb. */
  readonly verb?: string | undefined
  /** Any part of the object; the letters a–z in either case. */
  readonly object?: string | undefined
  /** From this time on. */
  readonly from?: Date | undefined
  /** Before this time. */
  readonly to?: Date | undefined
  /** 1 to 1,000. */
  readonly limit: number
  /** For the next page: the last sequence of the one before. */
  readonly before?: number | undefined
}

export interface Audit {
  /**
   * Adds one row to the workspace's chain, on disk before this returns; several processes may do so at once. Texts of
   * more than 2,000 characters are clipped. Throws StoreError `bad-value` for what is no JSON and for a value under a
   * key such as token, secret, csr or password; `unusable` when the chain has lost its head.
   */
  append(deed: AuditDeed): Promise<{ sequence: number; hash: string }>
  /** Newest first. */
  search(query: AuditQuery): Promise<AuditEntry[]>
  /** Every row in order, in constant memory; rows added meanwhile may be among them. */
  read(workspaceId: string): AsyncIterable<AuditEntry>
  /** Removes rows from the start up to the first that is not older, and says how many. Throws StoreError `unusable` before it removes a row that was tampered with. */
  retain(workspaceId: string, olderThan: Date): Promise<number>
  /**
   * Finds each row that was changed, deleted, put in or moved, a cut at the end, and a chain rewritten without the
   * key. What is not found is a chain put back, rows and head together, to what it once was: compare
   * it with an export or a backup.
   */
  verify(workspaceId: string): Promise<AuditVerdict>
  /** Every workspace with rows or a chain, by id. */
  workspaces(): Promise<string[]>
  /** What is wrong with the set of chains, such as one that is gone with all its rows; undefined when nothing is. */
  missingChains(): Promise<string | undefined>
}

const PAGE = 500
/** What comes in while a transaction runs goes into the next one together: one wait for the disk for all of it. */
const MOST_AT_ONCE = 32

/** The rows of `audit_entry` and `audit_chain`. */
export function auditStore(database: Database, sealer: Sealer): Audit {
  const { rows } = database
  const chains = auditChains(database, sealer)
  const pages = pagesOf(database)
  const chain = createBatches(MOST_AT_ONCE, (workspaceId: string, deeds: readonly UnchainedRow[]) =>
    rows.transaction().execute((transaction) => chains.append(transaction, workspaceId, deeds)),
  )
  return {
    append: async (deed) => await chain(deed.workspaceId, unchainedRow(deed)),

    async search(query) {
      const limit = Math.min(Math.max(Math.trunc(query.limit), 1), 1000)
      const found = await filtered(
        database.kind,
        rows.selectFrom('audit_entry').selectAll().where('workspace_id', '=', query.workspaceId),
        query,
      )
        .orderBy('sequence', 'desc')
        .limit(limit)
        .execute()
      return found.map(entryOf)
    },

    async *read(workspaceId) {
      for await (const page of pages(workspaceId)) yield* page.map(entryOf)
    },

    retain: (workspaceId, olderThan) =>
      deleteInBatches((limit) => shorten(database, chains, { workspaceId, olderThan, limit })),

    verify: (workspaceId) => verifyChain(rows, chains, pages, workspaceId),

    async workspaces() {
      const found = await rows
        .selectFrom('audit_chain')
        .select('workspace_id')
        .union(rows.selectFrom('audit_entry').select('workspace_id'))
        .execute()
      return found
        .map((row) => row.workspace_id)
        .filter((id) => id !== REGISTER)
        .sort()
    },

    missingChains: () => chains.registerFault(rows),
  }
}

/** No page holds a connection while it is worked on, and other work is let in between. */
function pagesOf({ rows }: Database) {
  return async function* pages(workspaceId: string): AsyncGenerator<AuditEntryRow[]> {
    let after: number | undefined
    do {
      let query = rows.selectFrom('audit_entry').selectAll().where('workspace_id', '=', workspaceId)
      if (after !== undefined) query = query.where('sequence', '>', after)
      const page = await query.orderBy('sequence').limit(PAGE).execute()
      if (page.length > 0) yield page
      after = page.length === PAGE ? page.at(-1)?.sequence : undefined
      await setImmediate()
    } while (after !== undefined)
  }
}

type Filtered = SelectQueryBuilder<Schema, 'audit_entry', AuditEntryRow>

function filtered(
  kind: Database['kind'],
  all: Filtered,
  { userId, verb, object, from, to, before }: AuditQuery,
): Filtered {
  let query = all
  if (userId !== undefined) query = query.where('user_id', '=', auditText(userId))
  if (verb !== undefined) {
    const start = auditText(verb)
    query = query.where(sql<boolean>`substr(verb, 1, length(cast(${start} as text))) = ${start}`)
  }
  if (object !== undefined) {
    const position = kind === 'postgres' ? sql.raw('strpos') : sql.raw('instr')
    query = query.where(
      sql<boolean>`${position}(lower(object), lower(cast(${auditText(object)} as text))) > 0`,
    )
  }
  if (from !== undefined) query = query.where('at', '>=', from.toISOString())
  if (to !== undefined) query = query.where('at', '<', to.toISOString())
  if (before !== undefined) query = query.where('sequence', '<', before)
  return query
}

/** One batch of retention: what is removed and where the chain then starts are one transaction. */
function shorten(
  { rows }: Database,
  chains: Chains,
  what: { workspaceId: string; olderThan: Date; limit: number },
): Promise<number> {
  return rows.transaction().execute(async (transaction) => {
    const head = await chains.lock(transaction, what.workspaceId)
    if (head === undefined) return 0
    const first = await transaction
      .selectFrom('audit_entry')
      .selectAll()
      .where('workspace_id', '=', what.workspaceId)
      .where('sequence', '<=', head.sequence)
      .orderBy('sequence')
      .limit(what.limit)
      .execute()
    const newer = first.findIndex(({ at }) => at >= what.olderThan.toISOString())
    const old = newer === -1 ? first : first.slice(0, newer)
    if (old.length === 0) return 0
    const walk = startWalk({ sequence: head.keptFrom - 1, hash: head.hashBefore })
    const [fault] = old.flatMap((row) => walk.step(row))
    if (fault !== undefined) {
      throw new StoreError(
        'unusable',
        `The audit log of ${what.workspaceId} was tampered with at ${fault.sequence}, so nothing more of it is removed: run audit:verify.`,
      )
    }
    await transaction
      .deleteFrom('audit_entry')
      .where('workspace_id', '=', what.workspaceId)
      .where('sequence', '<=', walk.sequence)
      .execute()
    await chains.save(transaction, what.workspaceId, {
      ...head,
      keptFrom: walk.sequence + 1,
      hashBefore: walk.hash,
    })
    return old.length
  })
}
