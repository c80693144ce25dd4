import type { Kysely } from 'kysely'
import { StoreError } from '../database/errors.ts'
import type { Schema, WorkspaceKeyRow } from '../database/schema.ts'
import type { Key } from '../secrets/keys.ts'
import { SealError, type TextOpener } from '../secrets/seal.ts'
import { openWorkspaceKey } from '../secrets/workspace-key-rows.ts'
import { WORKSPACE_KEYS } from './owners.ts'

/** The keys that open a backup, by id; also which of them are destroyed. */
export interface KnownKeys {
  /**
   * Throws StoreError `wrong-key` for a key that the encryption keys do not open, `unusable` for a key that was replaced and then
   * destroyed: its workspace was not forgotten, so its rows must not be left out.
   */
  get(id: string): Key | 'destroyed' | undefined
}

export function knownKeys(root: TextOpener, rows: ReadonlyMap<string, WorkspaceKeyRow>): KnownKeys {
  const opened = new Map<string, Key | 'destroyed'>()
  return {
    get(id) {
      const row = rows.get(id)
      if (row === undefined) return undefined
      const key = opened.get(id) ?? openedKey(root, row)
      opened.set(id, key)
      return key
    },
  }
}

function openedKey(root: TextOpener, row: WorkspaceKeyRow): Key | 'destroyed' {
  if (row.sealed_key === null && typeof row.dropped_at === 'string') {
    throw new StoreError(
      'unusable',
      `This backup was made before the keys of the workspaces were replaced, and the former keys were destroyed on ${row.dropped_at.slice(0, 10)}: it opens no more. Take a newer backup.`,
    )
  }
  try {
    return openWorkspaceKey(root, row) ?? 'destroyed'
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    const message = `The key of the workspace ${row.workspace_id} does not open. ${error.message}`
    throw new StoreError('wrong-key', message, { cause: error })
  }
}

/** The rows of all lists; a key that is destroyed or retired in one of them is so in the result. */
export function mergedKeys(
  ...sources: readonly (readonly WorkspaceKeyRow[])[]
): ReadonlyMap<string, WorkspaceKeyRow> {
  const merged = new Map<string, WorkspaceKeyRow>()
  for (const row of sources.flat()) {
    const known = merged.get(row.id)
    const word = known === undefined || (known.sealed_key !== null && row.sealed_key === null) ? row : known
    merged.set(row.id, { ...word, retired_at: known?.retired_at ?? row.retired_at })
  }
  return merged
}

/** The workspaces' keys in the former database, which has the newest ones. None in an early version. */
export const formerKeys = async (
  rows: Kysely<Schema>,
  tables: readonly string[],
): Promise<WorkspaceKeyRow[]> =>
  tables.includes(WORKSPACE_KEYS) ? await rows.selectFrom(WORKSPACE_KEYS).selectAll().execute() : []
