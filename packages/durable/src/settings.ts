import type { Kysely } from 'kysely'
import type { Database } from './database/database.ts'
import { jsonText } from './database/json.ts'
import type { ReadCache } from './database/read-cache.ts'
import { rowsIn, type Schema, type SettingRow, upsertIn } from './database/schema.ts'
import type { RowProofs } from './secrets/row-proofs.ts'

/** A setting, declared once by the part of the program that owns it. */
export interface Setting<T> {
  readonly key: string
  /** Turns a stored value into a T. It gets undefined when nothing is stored, and values of older versions. */
  readonly read: (stored: unknown) => T
  /** What holds in place of a value that this program has not written: as where nothing is stored, unless given. */
  readonly forged?: T
}

/** A setting that this program writes in the form in which it reads it; nothing that anybody else has written is obeyed. */
export const ownSetting = <T>(key: string): Setting<T | undefined> => ({
  key,
  read: (stored) => stored as T | undefined,
})

export type Settings = ReturnType<typeof settingStore>

/** The rows of `setting`, read each time, so that a change by any process counts at once. */
export function settingStore(
  { rows, inTurn }: Pick<Database, 'rows' | 'inTurn'>,
  { changing }: Pick<ReadCache, 'changing'>,
  proofs: RowProofs,
) {
  async function read<T>(rows: Kysely<Schema>, workspaceId: string, setting: Setting<T>): Promise<T> {
    const own = rowsIn(rows, 'setting', { workspace_id: workspaceId, key: setting.key })
    const row = await own.executeTakeFirst()
    if (row && !proofs.isGenuine('setting', row)) return setting.forged ?? setting.read(undefined)
    return setting.read(row && JSON.parse(row.value))
  }

  /** In a transaction of the caller's, who also forgets what is cached of the workspace. */
  async function write<T>(
    rows: Kysely<Schema>,
    workspaceId: string,
    { key }: Setting<T>,
    given: T,
  ): Promise<void> {
    const value = jsonText(given, `The setting ${key}`)
    const row = proofs.with('setting', { workspace_id: workspaceId, key, value })
    await upsertIn(rows, 'setting', ['workspace_id', 'key'], row)
  }

  return {
    get: <T>(workspaceId: string, setting: Setting<T>): Promise<T> => read(rows, workspaceId, setting),
    /** Stores any JSON value. Throws StoreError `bad-value` for what JSON cannot hold. */
    set: <T>(workspaceId: string, setting: Setting<T>, value: T): Promise<void> =>
      changing(workspaceId, write(rows, workspaceId, setting, value)),
    setWithin: write,

    /** Stores and returns what `next` makes of the present value; of two changes at once, none is lost. */
    change: <T>(workspaceId: string, setting: Setting<T>, next: (present: T) => T): Promise<T> =>
      changing(
        workspaceId,
        inTurn(`setting ${setting.key} of ${workspaceId}`, async (transaction) => {
          const value = next(await read(transaction, workspaceId, setting))
          await write(transaction, workspaceId, setting, value)
          return value
        }),
      ),

    /** Every workspace that has stored this setting, by id, some at a time; without values that this program has not written. */
    async *having<T>({ key, read }: Setting<T>): AsyncGenerator<{ workspaceId: string; value: T }[]> {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const next = rowsIn(rows, 'setting', { key }).where('workspace_id', '>', after)
        const page: SettingRow[] = await next.orderBy('workspace_id').limit(PAGE).execute()
        yield page
          .filter((row) => proofs.isGenuine('setting', row))
          .map(({ workspace_id, value }) => ({ workspaceId: workspace_id, value: read(JSON.parse(value)) }))
        after = page.length === PAGE ? page.at(-1)?.workspace_id : undefined
      }
    },

    /** The workspaces that have stored exactly this value, by id. */
    async workspacesWith<T>({ key }: Setting<T>, value: T): Promise<string[]> {
      const exactly = rowsIn(rows, 'setting', { key, value: jsonText(value, `The setting ${key}`) })
      const found = await exactly.orderBy('workspace_id').execute()
      return found.filter((row) => proofs.isGenuine('setting', row)).map(({ workspace_id }) => workspace_id)
    },
  }
}

/** Each is proved before it counts, in one turn of the event loop: some 2 ms for so many. */
const PAGE = 100
