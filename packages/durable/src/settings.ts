import type { Kysely } from 'kysely'
import type { DecisionTransaction } from './audit/audit.ts'
import type { Database } from './database/database.ts'
import { jsonText } from './database/json.ts'
import type { ReadCache } from './database/read-cache.ts'
import { type Schema, selectRows, upsertRow } from './database/schema.ts'

/** A setting, declared once by the feature that owns it. */
export interface Setting<T> {
  readonly key: string
  /** Parses a stored value. It gets undefined if nothing is stored, and may get values from older versions. */
  readonly read: (stored: unknown) => T
}

/** Declares a setting whose stored value is used as it is. */
export const ownSetting = <T>(key: string): Setting<T | undefined> => ({
  key,
  read: (stored) => stored as T | undefined,
})

export type Settings = ReturnType<typeof createSettings>

/** Stores settings in `setting`. Reads are never cached, so that a change by any process applies immediately. */
export function createSettings(
  { rows }: Pick<Database, 'rows'>,
  { invalidateAfter }: Pick<ReadCache, 'invalidateAfter'>,
) {
  /** Reads a setting, in the caller's transaction if there is one. */
  async function get<T>(workspaceId: string, setting: Setting<T>, from: Kysely<Schema> = rows): Promise<T> {
    const query = selectRows(from, 'setting', { workspace_id: workspaceId, key: setting.key })
    const row = await query.executeTakeFirst()
    return setting.read(row && JSON.parse(row.value))
  }

  /** Runs in the caller's transaction. The caller also invalidates the workspace's cached reads. */
  async function write<T>(
    to: Kysely<Schema>,
    workspaceId: string,
    { key }: Setting<T>,
    newValue: T,
  ): Promise<void> {
    const value = jsonText(newValue, `The setting ${key}`)
    await upsertRow(to, 'setting', ['workspace_id', 'key'], { workspace_id: workspaceId, key, value })
  }

  return {
    get,
    /** Stores any JSON value. Throws StoreError `bad-value` for a value that isn't JSON. */
    set: <T>(workspaceId: string, setting: Setting<T>, value: T): Promise<void> =>
      invalidateAfter(workspaceId, write(rows, workspaceId, setting, value)),
    /** Like `set`, but in the caller's transaction. */
    setInTransaction: write,
    /** Saves the result of `next` together with the audit row that records the change. Returns the result. */
    async decide<T>(
      { transaction, workspaceId }: DecisionTransaction,
      setting: Setting<T>,
      next: (current: T) => T,
    ): Promise<T> {
      const value = next(await get(workspaceId, setting, transaction))
      await write(transaction, workspaceId, setting, value)
      return value
    },
  }
}
