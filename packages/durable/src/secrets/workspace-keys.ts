import { createSecretKey, randomBytes } from 'node:crypto'
import { splitChunks } from '../database/batches.ts'
import type { Database } from '../database/database.ts'
import { sealedColumns } from '../database/declared-table.ts'
import {
  type KeyPurpose,
  type Rows,
  selectRows,
  updateRows,
  type WorkspaceKeyRow,
} from '../database/schema.ts'
import type { Key } from './keys.ts'
import {
  createWorkspaceOpener,
  createWorkspaceSealer,
  type Identity,
  type OnDecryptError,
  parseWorkspaceKeyId,
  type SealError,
  type Sealer,
  type TextOpener,
  type TextSealer,
  tryOpen,
} from './seal.ts'
import { listUsedWorkspaceKeys } from './used-keys.ts'

/**
 * Seals a workspace's data with the workspace's own key, so that destroying the key destroys all of that data, including in
 * backups. Data that belongs to no workspace is sealed with the encryption keys themselves. So is a step that is written while a
 * rotation replaces its workspace's key, until the rotation reaches it.
 */
export type WorkspaceKeys = ReturnType<typeof createWorkspaceKeys>

const KEYS_PER_STATEMENT = 500

export function createWorkspaceKeys(
  database: Pick<Database, 'rows' | 'reading' | 'kind' | 'model'>,
  root: Sealer,
  { now, onDecryptError = () => undefined }: { now: () => Date; onDecryptError?: OnDecryptError | undefined },
) {
  const { ensureKey, ...changes } = createWorkspaceKeyQueries(database, root, now)

  /** With `lockFor`, the key can't be retired before the caller's transaction ends. */
  async function findSealer(
    rows: Rows,
    workspaceId: string,
    lockFor?: Database['kind'],
  ): Promise<TextSealer | undefined> {
    if (workspaceId === '') return root
    const key = await findKeyInUse(rows, root, workspaceId, 'content', lockFor)
    return key && createWorkspaceSealer(key)
  }

  return {
    /** Returns a sealer for the workspace. Creates its key if there is none, so don't call it in a transaction. */
    ensureSealer: async (workspaceId: string): Promise<TextSealer> =>
      workspaceId === '' ? root : createWorkspaceSealer(await ensureKey(workspaceId, 'content')),
    /**
     * Like `ensureSealer`, but in the caller's transaction and without creating a key. Undefined if no key is in use; call `ensureSealer`
     * outside the transaction to create one.
     */
    findSealer,
    /** Like `findSealer`, but the key can't be retired before the transaction ends. */
    findLockedSealer: (rows: Rows, workspaceId: string) => findSealer(rows, workspaceId, database.kind),
    /** Seals in the caller's transaction without creating a key. If the workspace has no key, the encryption keys seal. */
    findSealerOrRoot: async (rows: Rows, workspaceId: string): Promise<TextSealer> =>
      (await findSealer(rows, workspaceId)) ?? root,

    /**
     * Returns an opener for the texts in this column, reading each key once. The opener's `open` throws SealError; this function
     * doesn't.
     */
    async createOpener<Column extends string>(
      rows: Rows,
      found: readonly { readonly [One in Column]?: string | null }[],
      column: Column,
    ): Promise<TextOpener> {
      const ids = new Set(found.flatMap((row) => parseWorkspaceKeyId(row[column] ?? '') ?? []))
      const byId = new Map<string, Key | SealError>()
      for (const chunk of splitChunks([...ids], KEYS_PER_STATEMENT))
        for (const row of await selectRows(rows, 'workspace_key', {}).where('id', 'in', chunk).execute()) {
          const opened = tryOpen(() => openWorkspaceKey(root, row))
          const key = 'value' in opened ? opened.value : opened.sealError
          if (key) byId.set(row.id, key)
        }
      const opener = createWorkspaceOpener(byId, root)
      return {
        open(sealed, identity) {
          const opened = tryOpen(() => opener.open(sealed, identity))
          if ('value' in opened) return opened.value
          onDecryptError(identity, opened.sealError)
          throw opened.sealError
        },
      }
    },

    ensureKey,
    ...changes,
  }
}

const KEY_BYTES = 32
const ID_BYTES = 16

const newKeyId = (): string => randomBytes(ID_BYTES).toString('base64url')

const keyIdentity = ({
  workspace_id,
  purpose,
  id,
}: Pick<WorkspaceKeyRow, 'workspace_id' | 'purpose' | 'id'>): Identity => [
  'workspace_key',
  workspace_id,
  purpose,
  id,
]

/** Returns undefined if the key was destroyed. Throws SealError. */
export function openWorkspaceKey(root: TextOpener, row: WorkspaceKeyRow): Key | undefined {
  if (row.sealed_key === null) return undefined
  const secret = Buffer.from(root.open(row.sealed_key, keyIdentity(row)), 'base64url')
  return { id: row.id, secret: createSecretKey(secret) }
}

/** Re-seals the key with the primary encryption key. Undefined if no encryption key opens it. */
export function resealKey(root: Sealer, row: WorkspaceKeyRow): WorkspaceKeyRow | undefined {
  if (row.sealed_key === null) return row
  const secret = tryOpen(() => root.open(row.sealed_key ?? '', keyIdentity(row)))
  return 'value' in secret ? { ...row, sealed_key: root.seal(secret.value, keyIdentity(row)) } : undefined
}

/**
 * The workspace's key in use, or undefined if there is none. With `lockFor`, other processes can't retire it before the
 * transaction ends. SQLite's transactions always guarantee that. Throws SealError.
 */
async function findKeyInUse(
  rows: Rows,
  root: TextOpener,
  workspaceId: string,
  purpose: KeyPurpose,
  lockFor?: Database['kind'],
): Promise<Key | undefined> {
  const inUse = selectRows(rows, 'workspace_key', { workspace_id: workspaceId, purpose, retired_at: null })
  const row = await (lockFor === 'postgres' ? inUse.forShare() : inUse).executeTakeFirst()
  return row && openWorkspaceKey(root, row)
}

/** Creates, retires, and destroys rows of `workspace_key`. */
function createWorkspaceKeyQueries(
  { rows, reading, model }: Pick<Database, 'rows' | 'reading' | 'model'>,
  root: Sealer,
  now: () => Date,
) {
  /** Returns the key in use, creating one if there is none. */
  async function ensureKey(workspaceId: string, purpose: KeyPurpose): Promise<Key> {
    const existing = await findKeyInUse(rows, root, workspaceId, purpose)
    if (existing !== undefined) return existing
    const row = { id: newKeyId(), workspace_id: workspaceId, purpose }
    const sealed_key = root.seal(randomBytes(KEY_BYTES).toString('base64url'), keyIdentity(row))
    const values = { ...row, sealed_key, made_at: now().toISOString(), retired_at: null }
    // If several processes insert a row, the first one wins.
    const insert = rows.insertInto('workspace_key').values(values)
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
    return await ensureKey(workspaceId, purpose)
  }

  return {
    ensureKey,

    /** The next sealing creates a new key. Texts sealed with the retired one still open. */
    async retire(rows: Rows, workspaceId: string, purpose: KeyPurpose): Promise<void> {
      const inUse = { workspace_id: workspaceId, purpose, retired_at: null }
      const retired_at = now().toISOString()
      await updateRows(rows, 'workspace_key', inUse, { retired_at })
    },

    /**
     * Inserts the row of a destroyed key. Backups copy it to their key file, so that no restore brings back earlier rows of the
     * workspace.
     */
    async insertTombstone(rows: Rows, workspaceId: string): Promise<void> {
      const at = now().toISOString()
      const tombstone = { workspace_id: workspaceId, purpose: 'content', sealed_key: null } as const
      const insert = rows
        .insertInto('workspace_key')
        .values({ ...tombstone, id: newKeyId(), made_at: at, retired_at: at })
      await insert.execute()
    },

    /**
     * Destroys retired keys, so that nothing can open what they sealed, including in backups. Keeps a key that still seals rows that stay
     * when the workspace is forgotten: another replica is forgetting the same workspace, and hasn't re-sealed those rows yet.
     * Reading the rows without a lock is safe, because nothing new is sealed with a retired key.
     */
    async destroyRetired(workspaceId: string, purpose: KeyPurpose): Promise<void> {
      const own = selectRows(rows, 'workspace_key', { workspace_id: workspaceId, purpose })
      const retired = await own
        .where('retired_at', 'is not', null)
        .where('sealed_key', 'is not', null)
        .execute()
      if (retired.length === 0) return
      const outlastingColumns = sealedColumns(model.tables).filter(
        ({ outlivesWorkspace, owner }) => outlivesWorkspace && owner !== undefined,
      )
      const used = await listUsedWorkspaceKeys(reading, outlastingColumns, workspaceId)
      const unused = retired.flatMap(({ id }) => (used.has(id) ? [] : [id]))
      if (unused.length === 0) return
      const update = rows.updateTable('workspace_key').set({ sealed_key: null }).where('id', 'in', unused)
      await update.execute()
    },
  }
}
