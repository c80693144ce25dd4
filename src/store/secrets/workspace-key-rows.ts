import { createSecretKey, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import type { ReadCache } from '../database/read-cache.ts'
import type { KeyPurpose, Schema, WorkspaceKeyRow } from '../database/schema.ts'
import { isDisposable } from './disposable-keys.ts'
import type { Key } from './keys.ts'
import type { Identity, Sealer, TextOpener } from './seal.ts'

const KEY_BYTES = 32
const ID_BYTES = 16

const newKeyId = (): string => randomBytes(ID_BYTES).toString('base64url')

const identityOf = ({
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
  const secret = Buffer.from(root.open(row.sealed_key, identityOf(row)), 'base64url')
  return { id: row.id, secret: createSecretKey(secret) }
}

/**
 * The key with which a workspace seals; undefined when there is none yet. With `hold`, no other process retires it before the
 * transaction ends; on SQLite that holds always. Throws SealError.
 */
export async function keyInUse(
  rows: Kysely<Schema>,
  root: TextOpener,
  workspaceId: string,
  purpose: KeyPurpose,
  hold?: Database['kind'],
): Promise<Key | undefined> {
  const inUse = rows
    .selectFrom('workspace_key')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('purpose', '=', purpose)
    .where('retired_at', 'is', null)
  const row = await (hold === 'postgres' ? inUse.forShare() : inUse).executeTakeFirst()
  return row && openWorkspaceKey(root, row)
}

/** Makes, retires and destroys the rows of `workspace_key`. */
export function workspaceKeyRows(
  { rows }: Pick<Database, 'rows'>,
  root: Sealer,
  { changing }: Pick<ReadCache, 'changing'>,
  now: () => Date,
) {
  async function inUseOrMade(workspaceId: string, purpose: KeyPurpose): Promise<Key> {
    const known = await keyInUse(rows, root, workspaceId, purpose)
    if (known !== undefined) return known
    const row = { id: newKeyId(), workspace_id: workspaceId, purpose }
    const sealed_key = root.seal(randomBytes(KEY_BYTES).toString('base64url'), identityOf(row))
    const values = { ...row, sealed_key, made_at: now().toISOString(), retired_at: null }
    // Of several processes at once, the first one's row stays.
    const insert = rows.insertInto('workspace_key').values(values)
    await changing(workspaceId, insert.onConflict((conflict) => conflict.doNothing()).execute())
    return await inUseOrMade(workspaceId, purpose)
  }

  return {
    inUseOrMade,

    /** Makes the next sealing use a new key. Texts sealed with the former one still open. */
    async retire(rows: Kysely<Schema>, workspaceId: string, purpose: KeyPurpose): Promise<void> {
      const retiring = rows
        .updateTable('workspace_key')
        .set({ retired_at: now().toISOString() })
        .where('workspace_id', '=', workspaceId)
        .where('purpose', '=', purpose)
        .where('retired_at', 'is', null)
      await changing(workspaceId, retiring.execute())
    },

    /** The row of a destroyed key: it reaches the file of keys too, so no restore brings back earlier rows of the workspace. */
    async leaveTombstone(rows: Kysely<Schema>, workspaceId: string): Promise<void> {
      const at = now().toISOString()
      const tombstone = { workspace_id: workspaceId, purpose: 'content', sealed_key: null } as const
      const leaving = rows
        .insertInto('workspace_key')
        .values({ ...tombstone, id: newKeyId(), made_at: at, retired_at: at })
      await changing(workspaceId, leaving.execute())
    },

    /**
     * Destroys retired keys: nothing opens what they have sealed, in backups neither. A key that seals lasting data stays: another
     * replica is forgetting the same workspace and has yet to seal that data anew.
     */
    async destroyRetired(workspaceId: string, purpose: KeyPurpose): Promise<void> {
      const destroying = rows
        .updateTable('workspace_key')
        .set({ sealed_key: null })
        .where('workspace_id', '=', workspaceId)
        .where('purpose', '=', purpose)
        .where('retired_at', 'is not', null)
        .where('sealed_key', 'is not', null)
        .where(isDisposable(workspaceId))
      await changing(workspaceId, destroying.execute())
    },
  }
}
