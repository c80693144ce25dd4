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
 * The key of a workspace that seals; undefined when there is none yet. Where it is held, nobody retires it before the transaction has
 * ended, which on SQLite is so for any. Throws SealError.
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

/** What makes, retires and destroys the rows of `workspace_key`. */
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
    // Of several at once, in whatever process, the first one's stays.
    const insert = rows.insertInto('workspace_key').values(values)
    await changing(workspaceId, insert.onConflict((conflict) => conflict.doNothing()).execute())
    return await inUseOrMade(workspaceId, purpose)
  }

  return {
    inUseOrMade,

    /** From now on another key seals. What the former one has sealed still opens. */
    async retire(rows: Kysely<Schema>, workspaceId: string, purpose: KeyPurpose): Promise<void> {
      const retiring = rows
        .updateTable('workspace_key')
        .set({ retired_at: now().toISOString() })
        .where('workspace_id', '=', workspaceId)
        .where('purpose', '=', purpose)
        .where('retired_at', 'is', null)
      await changing(workspaceId, retiring.execute())
    },

    /** As a key that was destroyed: it is in the file of keys too, and no restore brings back what was there before it. */
    async leaveWord(rows: Kysely<Schema>, workspaceId: string): Promise<void> {
      const at = now().toISOString()
      const word = { workspace_id: workspaceId, purpose: 'content', sealed_key: null } as const
      const leaving = rows
        .insertInto('workspace_key')
        .values({ ...word, id: newKeyId(), made_at: at, retired_at: at })
      await changing(workspaceId, leaving.execute())
    },

    /**
     * Destroys the keys that were retired: nothing opens any more what they have sealed, wherever it is. One that seals what
     * is to last is left to the other replica that forgets the same workspace, and has yet to seal that anew.
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
