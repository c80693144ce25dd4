import { createSecretKey, randomBytes } from 'node:crypto'
import { splitChunks } from '../database/batches.ts'
import type { Database } from '../database/database.ts'
import { sealedColumns } from '../database/declared-table.ts'
import { type KeyPurpose, type Rows, rowsIn, updateIn, type WorkspaceKeyRow } from '../database/schema.ts'
import type { Key } from './keys.ts'
import {
  createWorkspaceOpener,
  createWorkspaceSealer,
  type Identity,
  type OnUnopened,
  parseWorkspaceKeyId,
  type SealError,
  type Sealer,
  type TextOpener,
  type TextSealer,
  tryOpen,
} from './seal.ts'
import { workspaceKeysUsed } from './used-keys.ts'

/**
 * Seals what belongs to a workspace with its own key: destroying that key destroys all of it, in backups too. What belongs to no
 * workspace is sealed by the encryption keys themselves, and so is a step that is written while a rotation replaces its key, until
 * that rotation comes to it.
 */
export type WorkspaceKeys = ReturnType<typeof createWorkspaceKeys>

const KEYS_AT_ONCE = 500

export function createWorkspaceKeys(
  database: Pick<Database, 'rows' | 'reading' | 'kind' | 'model'>,
  root: Sealer,
  { now, onUnopened = () => undefined }: { now: () => Date; onUnopened?: OnUnopened | undefined },
) {
  const { keyFor, ...changes } = workspaceKeyRows(database, root, now)

  const sealerIfAny = async (workspaceId: string, key: () => Promise<Key | undefined>) => {
    if (workspaceId === '') return root
    const found = await key()
    return found && createWorkspaceSealer(found)
  }
  const sealerBy = async (workspaceId: string, key: () => Promise<Key | undefined>): Promise<TextSealer> =>
    (await sealerIfAny(workspaceId, key)) ?? root

  return {
    /** Seals for the workspace; makes its key when there is none, so do not call it in a transaction. */
    sealer: (workspaceId: string) => sealerBy(workspaceId, () => keyFor(workspaceId, 'content')),
    /**
     * The same in the caller's transaction, which holds what a forgetting would wait for. Undefined when no key is in use:
     * `sealer` makes one, outside of the transaction.
     */
    presentSealerIn: (rows: Rows, workspaceId: string): Promise<TextSealer | undefined> =>
      sealerIfAny(workspaceId, () => keyInUse(rows, root, workspaceId, 'content')),
    /** The same, and nobody retires the key before the transaction has ended. */
    heldSealerIn: (rows: Rows, workspaceId: string): Promise<TextSealer | undefined> =>
      sealerIfAny(workspaceId, () => keyInUse(rows, root, workspaceId, 'content', database.kind)),
    /** Seals in the caller's transaction. Makes no key for a workspace without one: the encryption keys seal for it. */
    sealerIn: (rows: Rows, workspaceId: string) =>
      sealerBy(workspaceId, () => keyInUse(rows, root, workspaceId, 'content')),

    /** Opens the texts in this column; reads each key once. `open` throws SealError, and this does not. */
    async opener<Column extends string>(
      rows: Rows,
      found: readonly { readonly [One in Column]?: string | null }[],
      column: Column,
    ): Promise<TextOpener> {
      const ids = new Set(found.flatMap((row) => parseWorkspaceKeyId(row[column] ?? '') ?? []))
      const byId = new Map<string, Key | SealError>()
      for (const some of splitChunks([...ids], KEYS_AT_ONCE))
        for (const row of await rowsIn(rows, 'workspace_key', {}).where('id', 'in', some).execute()) {
          const opened = tryOpen(() => openWorkspaceKey(root, row))
          const key = 'value' in opened ? opened.value : opened.unopened
          if (key) byId.set(row.id, key)
        }
      return telling(createWorkspaceOpener(byId, root), onUnopened)
    },

    keyFor,
    ...changes,
  }
}

const telling = ({ open }: TextOpener, onUnopened: OnUnopened): TextOpener => ({
  open(sealed, identity) {
    const opened = tryOpen(() => open(sealed, identity))
    if ('value' in opened) return opened.value
    onUnopened(identity, opened.unopened)
    throw opened.unopened
  },
})

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

/** Undefined for one that was destroyed. Throws SealError. */
export function openWorkspaceKey(root: TextOpener, row: WorkspaceKeyRow): Key | undefined {
  if (row.sealed_key === null) return undefined
  const secret = Buffer.from(root.open(row.sealed_key, keyIdentity(row)), 'base64url')
  return { id: row.id, secret: createSecretKey(secret) }
}

/** The same key, sealed with the first encryption key; undefined when none of them opens it. */
export function sealedAnew(root: Sealer, row: WorkspaceKeyRow): WorkspaceKeyRow | undefined {
  if (row.sealed_key === null) return row
  const secret = tryOpen(() => root.open(row.sealed_key ?? '', keyIdentity(row)))
  return 'value' in secret ? { ...row, sealed_key: root.seal(secret.value, keyIdentity(row)) } : undefined
}

/**
 * The key with which a workspace seals; undefined when there is none yet. With `hold`, no other process retires it before the
 * transaction ends; on SQLite that holds always. Throws SealError.
 */
async function keyInUse(
  rows: Rows,
  root: TextOpener,
  workspaceId: string,
  purpose: KeyPurpose,
  hold?: Database['kind'],
): Promise<Key | undefined> {
  const inUse = rowsIn(rows, 'workspace_key', { workspace_id: workspaceId, purpose, retired_at: null })
  const row = await (hold === 'postgres' ? inUse.forShare() : inUse).executeTakeFirst()
  return row && openWorkspaceKey(root, row)
}

/** Makes, retires and destroys the rows of `workspace_key`. */
function workspaceKeyRows(
  { rows, reading, model }: Pick<Database, 'rows' | 'reading' | 'model'>,
  root: Sealer,
  now: () => Date,
) {
  /** The key itself, made when there is none. */
  async function keyFor(workspaceId: string, purpose: KeyPurpose): Promise<Key> {
    const known = await keyInUse(rows, root, workspaceId, purpose)
    if (known !== undefined) return known
    const row = { id: newKeyId(), workspace_id: workspaceId, purpose }
    const sealed_key = root.seal(randomBytes(KEY_BYTES).toString('base64url'), keyIdentity(row))
    const values = { ...row, sealed_key, made_at: now().toISOString(), retired_at: null }
    // Of several processes at once, the first one's row stays.
    const insert = rows.insertInto('workspace_key').values(values)
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
    return await keyFor(workspaceId, purpose)
  }

  return {
    keyFor,

    /** Makes the next sealing use a new key. Texts sealed with the former one still open. */
    async retire(rows: Rows, workspaceId: string, purpose: KeyPurpose): Promise<void> {
      const inUse = { workspace_id: workspaceId, purpose, retired_at: null }
      const retired_at = now().toISOString()
      await updateIn(rows, 'workspace_key', inUse, { retired_at })
    },

    /** The row of a destroyed key: it reaches the file of keys too, so no restore brings back earlier rows of the workspace. */
    async leaveTombstone(rows: Rows, workspaceId: string): Promise<void> {
      const at = now().toISOString()
      const tombstone = { workspace_id: workspaceId, purpose: 'content', sealed_key: null } as const
      const leaving = rows
        .insertInto('workspace_key')
        .values({ ...tombstone, id: newKeyId(), made_at: at, retired_at: at })
      await leaving.execute()
    },

    /**
     * Destroys retired keys: nothing opens what they have sealed, in backups neither. A key that seals lasting data stays: another
     * replica is forgetting the same workspace and has yet to seal that data anew. Nothing new is sealed with a retired key, so
     * what is looked through meanwhile, aside and row by row, can only come to need fewer of them.
     */
    async destroyRetired(workspaceId: string, purpose: KeyPurpose): Promise<void> {
      const own = rowsIn(rows, 'workspace_key', { workspace_id: workspaceId, purpose })
      const retired = await own
        .where('retired_at', 'is not', null)
        .where('sealed_key', 'is not', null)
        .execute()
      if (retired.length === 0) return
      const lasting = sealedColumns(model.tables).filter(
        ({ outlasts, owner }) => outlasts && owner !== undefined,
      )
      const used = await workspaceKeysUsed(reading, lasting, workspaceId)
      const unused = retired.flatMap(({ id }) => (used.has(id) ? [] : [id]))
      if (unused.length === 0) return
      const destroying = rows.updateTable('workspace_key').set({ sealed_key: null }).where('id', 'in', unused)
      await destroying.execute()
    },
  }
}
