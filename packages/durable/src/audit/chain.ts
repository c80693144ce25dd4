import { randomUUID } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { StoreError } from '../database/errors.ts'
import { isPostgres } from '../database/make-tables.ts'
import { type AuditChainRow, type AuditEntryRow, type Schema, selectRows } from '../database/schema.ts'
import { type Identity, type Sealer, tryOpen } from '../secrets/seal.ts'
import { createDecisions, type Decisions, formatDecidedBy } from './decisions.ts'
import { type Decided, type DecidedBy, type Head, lastRestore, type Register } from './head.ts'
import { createErasureCheck, ERASED, withoutDetails } from './read-chain.ts'
import { type AuditEvent, hashRow, toUnchainedRow, type UnchainedRow } from './row.ts'

/** The workspace ID of the register's row. */
export const REGISTER = ''

export type Chains = ReturnType<typeof createChains>

const NOTHING_DECIDED: Decided = { by: '', rows: {} }

/** Binds a head to its table and workspace. It can't be opened for another workspace, or as the list of decisions. */
const headIdentity = (workspaceId: string): Identity => ['audit_chain', workspaceId]
const decidedIdentity = (workspaceId: string): Identity => ['audit_decided', workspaceId]

/**
 * Stores chain heads in `audit_chain`. Nobody can write one without a key, even with access to the database. An audit row, the
 * head, and everything that the row decides are saved in one transaction.
 */
export function createChains(sealer: Sealer) {
  // Only this file seals texts for these rows, so the cast is safe.
  const openJson = <T>(sealed: string, identity: Identity) => JSON.parse(sealer.open(sealed, identity)) as T

  /** SQLite needs no row lock: the transaction already excludes every other writer. */
  async function findRow(rows: Kysely<Schema>, workspaceId: string, locks = false) {
    const query = selectRows(rows, 'audit_chain', { workspace_id: workspaceId })
    return await (locks && isPostgres(rows) ? query.forUpdate() : query).executeTakeFirst()
  }

  const openHead = (row: AuditChainRow): Head => openJson(row.sealed_head, headIdentity(row.workspace_id))
  const openRegister = (row: AuditChainRow): Register => openJson(row.sealed_head, headIdentity(REGISTER))
  const openDecided = ({ workspace_id, sealed_decided }: AuditChainRow): Decided =>
    sealed_decided === null ? NOTHING_DECIDED : openJson(sealed_decided, decidedIdentity(workspace_id))

  async function save(
    transaction: Transaction<Schema>,
    workspaceId: string,
    head: Head | Register,
    decided?: Decided,
  ): Promise<void> {
    await transaction
      .updateTable('audit_chain')
      .set({
        sealed_head: sealer.seal(JSON.stringify(head), headIdentity(workspaceId)),
        ...(decided && {
          sealed_decided: sealer.seal(JSON.stringify(decided), decidedIdentity(workspaceId)),
        }),
      })
      .where('workspace_id', '=', workspaceId)
      .execute()
  }

  /** True if this call inserted the row. Waits for another process that is inserting the same row. */
  async function insert(transaction: Transaction<Schema>, workspaceId: string, head: Head | Register) {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('audit_chain')
      .values({
        workspace_id: workspaceId,
        sealed_head: sealer.seal(JSON.stringify(head), headIdentity(workspaceId)),
        sealed_decided: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }

  async function lock(transaction: Transaction<Schema>, workspaceId: string): Promise<Head | undefined> {
    const row = await findRow(transaction, workspaceId, true)
    return row && openHead(row)
  }

  async function lockRegister(transaction: Transaction<Schema>): Promise<Register | undefined> {
    const row = await findRow(transaction, REGISTER, true)
    return row && openRegister(row)
  }

  /** Begins a workspace's chain and adds it to the register. Throws StoreError if the workspace had one before. */
  async function begin(transaction: Transaction<Schema>, workspaceId: string): Promise<Head> {
    let register = await lockRegister(transaction)
    if (!register) {
      const first = { lineage: randomUUID(), restores: [], chains: [], n: 0, heads: {} }
      // If several processes begin the first chain, the others wait here for the one that inserts it.
      if (await insert(transaction, REGISTER, first))
        await refuseWithoutHead(transaction, REGISTER, 'audit_chain')
      register = await lockRegister(transaction)
    }
    if (!register) throw missingHeadError('')
    // Another process may have begun it while this one waited for the register.
    const existing = await lock(transaction, workspaceId)
    if (existing) return existing
    if (register.chains.includes(workspaceId)) throw missingHeadError(workspaceId)
    await refuseWithoutHead(transaction, workspaceId, 'audit_entry')
    await save(transaction, REGISTER, { ...register, chains: [...register.chains, workspaceId] })
    const head = {
      restore: lastRestore(register),
      began: register.n,
      sequence: 0,
      hash: '',
      keptFrom: 1,
      hashBefore: '',
      cuts: [],
      erased: 0,
      decided: '',
    }
    await insert(transaction, workspaceId, head)
    return head
  }

  const lockOrBegin = async (transaction: Transaction<Schema>, workspaceId: string): Promise<Head> =>
    (await lock(transaction, workspaceId)) ?? (await begin(transaction, workspaceId))

  /** The row that made each current decision, by key. Undefined if the list was tampered with. */
  function findDecisions(row: AuditChainRow | undefined): ReadonlyMap<string, DecidedBy> | undefined {
    if (!row) return new Map()
    const found = tryOpen(() => ({ head: openHead(row), decided: openDecided(row) }))
    if ('sealError' in found || found.value.head.decided !== found.value.decided.by) return undefined
    return new Map(Object.entries(found.value.decided.rows))
  }

  return {
    openHead,
    openRegister,
    openDecided,
    save,
    lock,
    lockRegister,

    /** Whether a row's content is missing because it was erased. */
    isErased: createErasureCheck(sealer),

    /**
     * Appends rows to the workspace's chain and seals the new head, in the caller's transaction. Throws StoreError and SealError.
     */
    async append(
      transaction: Transaction<Schema>,
      workspaceId: string,
      rows: readonly UnchainedRow[],
      change: Partial<Head> = {},
    ): Promise<{ sequence: number; hash: string }[]> {
      const head = await lockOrBegin(transaction, workspaceId)
      const linked = linkRows(head, await withoutErased(transaction, head, rows))
      await transaction.insertInto('audit_entry').values(linked).execute()
      const ends = linked.map(({ sequence, hash }) => ({ sequence, hash }))
      await save(transaction, workspaceId, { ...head, ...ends.at(-1), ...change })
      return ends
    },

    /**
     * Appends the row that `work` returns and saves everything that it decides, in the caller's transaction. Other decisions in
     * this workspace wait. Throws StoreError `tampered` if the log doesn't match what is stored.
     */
    async decide<T>(
      transaction: Transaction<Schema>,
      workspaceId: string,
      work: (decisions: Decisions) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
    ): Promise<T> {
      const head = await lockOrBegin(transaction, workspaceId)
      const before = findDecisions(await findRow(transaction, workspaceId))
      if (!before)
        throw new StoreError(
          'tampered',
          `The settings and roles of ${workspaceId} can’t be changed, because someone tampered with the list of decisions in its audit log. Verify the audit log, then restore a backup.`,
        )
      const { decisions, writes } = createDecisions(transaction, workspaceId, before)
      const { auditEvent, outcome } = await work(decisions)
      const [row] = linkRows(head, await withoutErased(transaction, head, [toUnchainedRow(auditEvent)]))
      if (!row) throw new Error('linkRows returned no row.')
      await transaction.insertInto('audit_entry').values(row).execute()
      const by = formatDecidedBy(row)
      const rows = new Map(before)
      for (const [key, write] of writes) {
        if (write) rows.set(key, by)
        else rows.delete(key)
        await write?.(by)
      }
      const ends = { sequence: row.sequence, hash: row.hash }
      if (writes.size === 0) await save(transaction, workspaceId, { ...head, ...ends })
      else {
        const decided = { by, rows: Object.fromEntries(rows) }
        await save(transaction, workspaceId, { ...head, ...ends, decided: by }, decided)
      }
      return outcome
    },

    /**
     * The rows that decided the current settings and roles, by key. Undefined if the list was tampered with, in which case
     * nothing stored may be trusted.
     */
    findCurrentDecisions: async (rows: Kysely<Schema>, workspaceId: string) =>
      findDecisions(await findRow(rows, workspaceId)),

    /** Reads the head without a lock. Undefined if there is none. Throws SealError. */
    async readHead(rows: Kysely<Schema>, workspaceId: string): Promise<Head | undefined> {
      const row = await findRow(rows, workspaceId)
      return row && openHead(row)
    },

    /** Reads the register without a lock. Undefined if there is none. Throws SealError. */
    async readRegister(rows: Kysely<Schema>): Promise<Register | undefined> {
      const row = await findRow(rows, REGISTER)
      return row && openRegister(row)
    },
  }
}

/**
 * Leaves out of a workspace's new rows what was erased from earlier rows with the same reference, because an act or a job may end
 * after a person was erased.
 */
export async function withoutErased(
  transaction: Transaction<Schema>,
  head: Pick<Head, 'erased'>,
  rows: readonly UnchainedRow[],
): Promise<readonly UnchainedRow[]> {
  const [first] = rows
  if (!first || head.erased === 0) return rows
  const references = [...new Set(rows.map(({ reference }) => reference))]
  const erased = await selectRows(transaction, 'audit_entry', { workspace_id: first.workspace_id })
    .where('reference', 'in', references)
    .where('sealed_erasure', 'is not', null)
    .execute()
  return rows.map((row) => {
    const earlier = erased.filter(({ reference }) => reference === row.reference)
    if (earlier.length === 0) return row
    return { ...row, ...withoutDetails(earlier.some(({ user_id }) => user_id === ERASED)) }
  })
}

/** Numbers the rows and links them to the last one by hash. */
function linkRows(
  { sequence, hash }: Pick<Head, 'sequence' | 'hash'>,
  rows: readonly UnchainedRow[],
): AuditEntryRow[] {
  let last = { sequence, hash }
  return rows.map((row) => {
    const linked = { ...row, sequence: last.sequence + 1, previous_hash: last.hash }
    last = { sequence: linked.sequence, hash: hashRow(linked) }
    return { ...linked, hash: last.hash }
  })
}

const missingHeadError = (workspaceId: string): StoreError =>
  new StoreError(
    'tampered',
    workspaceId === ''
      ? 'The encrypted list of audit logs is missing: someone deleted it. Verify the audit log, then restore a backup.'
      : `The sealed head of the audit log of ${workspaceId} is missing: someone deleted it. Verify the audit log, then restore a backup.`,
  )

/** Throws if rows of a log exist although its head is missing. */
async function refuseWithoutHead(
  transaction: Transaction<Schema>,
  workspaceId: string,
  table: 'audit_chain' | 'audit_entry',
): Promise<void> {
  const belongsTo = workspaceId === '' ? sql`workspace_id <> ''` : sql`workspace_id = ${workspaceId}`
  const { rows } = await sql`select 1 from ${sql.table(table)} where ${belongsTo} limit 1`.execute(
    transaction,
  )
  if (rows.length > 0) throw missingHeadError(workspaceId)
}
