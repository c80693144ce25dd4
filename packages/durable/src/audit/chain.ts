import { type Kysely, sql, type Transaction } from 'kysely'
import { StoreError } from '../database/errors.ts'
import { isPostgres } from '../database/migrating.ts'
import { type AuditEntryRow, rowsIn, type Schema, updateIn } from '../database/schema.ts'
import { type Identity, SealError, type Sealer } from '../secrets/seal.ts'
import { hashOf, type UnchainedRow } from './row.ts'
import { erasureCheck } from './walk.ts'

/** Both ends of a workspace's chain, as sealed in its row of `audit_chain`. */
export interface ChainHead {
  /** The number of the last row; 0 before the first. */
  readonly sequence: number
  readonly hash: string
  /** The number of the first row that retention has kept, or of the next row where none is left. */
  readonly keptFrom: number
  /** The hash of the row before that one. */
  readonly hashBefore: string
}

/** Before the first row there is nothing to hash. */
export const START: ChainHead = { sequence: 0, hash: '', keptFrom: 1, hashBefore: '' }

/** The row of `audit_chain` that counts the others, so that a chain that is gone with all its rows is noticed. */
export const REGISTER = ''

/** Stores and moves the heads of chains. */
export type Chains = ReturnType<typeof auditChains>

/** Counts the chains. */
interface Register {
  readonly chains: number
}

/** Table and workspace: a head opens only for its own workspace. */
const headIdentity = (workspaceId: string): Identity => ['audit_chain', workspaceId]

/** The rows of `audit_chain`. With the database but without a key, nobody can write one. */
export function auditChains(sealer: Sealer) {
  // Only this program seals text for this row, so it has this type.
  const decrypted = <T>(sealed: string, workspaceId: string) =>
    JSON.parse(sealer.open(sealed, headIdentity(workspaceId))) as T

  /** On SQLite nothing needs locking: the transaction has shut out every other writer. */
  async function read<T>(rows: Kysely<Schema>, workspaceId: string, isLocked = false) {
    const query = rows.selectFrom('audit_chain').select('sealed_head').where('workspace_id', '=', workspaceId)
    const found = await (isLocked && isPostgres(rows) ? query.forUpdate() : query).executeTakeFirst()
    return found && decrypted<T>(found.sealed_head, workspaceId)
  }

  const lock = <T>(transaction: Transaction<Schema>, workspaceId: string) =>
    read<T>(transaction, workspaceId, true)

  async function save(transaction: Transaction<Schema>, workspaceId: string, content: object): Promise<void> {
    const sealed_head = sealer.seal(JSON.stringify(content), headIdentity(workspaceId))
    await updateIn(transaction, 'audit_chain', { workspace_id: workspaceId }, { sealed_head })
  }

  /** True when this call inserted the row. Waits for another process that is inserting the same. */
  async function make(transaction: Transaction<Schema>, workspaceId: string, content: object) {
    const sealed_head = sealer.seal(JSON.stringify(content), headIdentity(workspaceId))
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('audit_chain')
      .values({ workspace_id: workspaceId, sealed_head })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }

  async function begin(transaction: Transaction<Schema>, workspaceId: string): Promise<ChainHead> {
    if (!(await make(transaction, workspaceId, START))) {
      return (await lock<ChainHead>(transaction, workspaceId)) ?? START
    }
    await refuseOrphans(transaction, workspaceId)
    if (await make(transaction, REGISTER, { chains: 1 })) return START
    const register = await lock<Register>(transaction, REGISTER)
    await save(transaction, REGISTER, { chains: (register?.chains ?? 0) + 1 })
    return START
  }

  return {
    /** Appends rows to the workspace's chain and seals the new head, in the caller's transaction. Throws StoreError, SealError. */
    async append(
      transaction: Transaction<Schema>,
      workspaceId: string,
      rows: readonly UnchainedRow[],
    ): Promise<{ sequence: number; hash: string }[]> {
      const head =
        (await lock<ChainHead>(transaction, workspaceId)) ?? (await begin(transaction, workspaceId))
      const linked = linkedTo(head, rows)
      await transaction.insertInto('audit_entry').values(linked).execute()
      const ends = linked.map(({ sequence, hash }) => ({ sequence, hash }))
      await save(transaction, workspaceId, { ...head, ...ends.at(-1) })
      return ends
    },

    /** Decrypts the head in a workspace's row. Throws SealError. */
    open: (workspaceId: string, sealed: string) => decrypted<ChainHead>(sealed, workspaceId),
    /** Whether a row lacks what its hash says because it was erased. */
    isErased: erasureCheck(sealer),
    /** The head, its row locked until the transaction ends; undefined when there is no chain. Throws SealError. */
    lock: lock<ChainHead>,
    save,

    /** The head without a lock; undefined when there is none. Throws SealError. */
    read: (rows: Kysely<Schema>, workspaceId: string) => read<ChainHead>(rows, workspaceId),

    /** Lowers the count of chains: a restore has left these out. */
    async uncount(transaction: Transaction<Schema>, chains: number): Promise<void> {
      const register = (await lock<Register>(transaction, REGISTER)) ?? { chains }
      await save(transaction, REGISTER, { chains: register.chains - chains })
    },

    /** The fault of the number of chains, or undefined. */
    registerFault: (rows: Kysely<Schema>) =>
      registerFault(rows, (sealed) => decrypted<Register>(sealed, REGISTER).chains),
  }
}

/** The rows with the numbers and hashes that link them to the last one. */
function linkedTo({ sequence, hash }: ChainHead, rows: readonly UnchainedRow[]): AuditEntryRow[] {
  let last = { sequence, hash }
  return rows.map((row) => {
    const linked = { ...row, sequence: last.sequence + 1, previous_hash: last.hash }
    last = { sequence: linked.sequence, hash: hashOf(linked) }
    return { ...linked, hash: last.hash }
  })
}

async function registerFault(
  rows: Kysely<Schema>,
  open: (sealed: string) => number,
): Promise<string | undefined> {
  // One statement sees one moment, also while rows are appended.
  const { count, register } = await rows
    .selectFrom('audit_chain')
    .select(({ fn }) => [
      sql<number>`cast(count(*) as integer)`.as('count'),
      fn.max(sql<string>`case when workspace_id = ${REGISTER} then sealed_head end`).as('register'),
    ])
    .executeTakeFirstOrThrow()
  if (register === null) {
    return count === 0 ? undefined : 'The sealed count of the workspaces’ chains was deleted.'
  }
  try {
    const gone = open(register) - (count - 1)
    if (gone === 0) return undefined
    return gone > 0 ? `Whole chains are missing: ${gone}.` : `Whole chains were put in: ${-gone}.`
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return 'The sealed count of the workspaces’ chains was changed.'
  }
}

async function refuseOrphans(transaction: Transaction<Schema>, workspaceId: string): Promise<void> {
  const orphan = await rowsIn(transaction, 'audit_entry', { workspace_id: workspaceId })
    .limit(1)
    .executeTakeFirst()
  if (orphan === undefined) return
  throw new StoreError(
    'unusable',
    `The audit log of ${workspaceId} has lost the sealed head of its chain: somebody deleted it. Run audit verify, and restore a backup.`,
  )
}
