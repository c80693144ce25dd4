import type { Kysely } from 'kysely'
import type { Database } from './database/database.ts'
import { jsonText } from './database/json.ts'
import type { ReadCache } from './database/read-cache.ts'
import type { Schema, SettingRow } from './database/schema.ts'
import type { RowProofs } from './secrets/row-proofs.ts'

/** A setting, declared once by the part of the program that owns it. */
export interface Setting<T> {
  readonly key: string
  /** Turns a stored value into a T. It gets undefined when nothing is stored, and values of older versions. */
  readonly read: (stored: unknown) => T
  /** What holds in place of a value that this program has not written: as where nothing is stored, unless given. */
  readonly forged?: T
}

/** The value of one workspace. */
export interface Having<T> {
  readonly workspaceId: string
  readonly value: T
}

export interface Settings {
  get<T>(workspaceId: string, setting: Setting<T>): Promise<T>
  /** Stores any JSON value. Throws StoreError `bad-value` for what JSON cannot hold. */
  set<T>(workspaceId: string, setting: Setting<T>, value: T): Promise<void>
  /** `set` in a transaction of the caller's, who also forgets what is cached of the workspace. */
  setWithin<T>(rows: Kysely<Schema>, workspaceId: string, setting: Setting<T>, value: T): Promise<void>
  /** Stores and returns what `next` makes of the present value; of two changes at once, none is lost. */
  change<T>(workspaceId: string, setting: Setting<T>, next: (present: T) => T): Promise<T>
  /** Every workspace that has stored this setting, by id, some at a time; without values that this program has not written. */
  having<T>(setting: Setting<T>): AsyncIterable<readonly Having<T>[]>
  /** The workspaces that have stored exactly this value, by id. */
  workspacesWith<T>(setting: Setting<T>, value: T): Promise<string[]>
}

/** The rows of `setting`, read each time, so that a change by any process counts at once. */
export function settingStore(
  { rows, inTurn }: Pick<Database, 'rows' | 'inTurn'>,
  { changing }: Pick<ReadCache, 'changing'>,
  proofs: RowProofs,
): Settings {
  async function read<T>(rows: Kysely<Schema>, workspaceId: string, setting: Setting<T>): Promise<T> {
    const row = await rows
      .selectFrom('setting')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('key', '=', setting.key)
      .executeTakeFirst()
    if (row && !proofs.isGenuine('setting', row)) return setting.forged ?? setting.read(undefined)
    return setting.read(row && JSON.parse(row.value))
  }

  async function write<T>(
    rows: Kysely<Schema>,
    workspaceId: string,
    { key }: Setting<T>,
    given: T,
  ): Promise<void> {
    const value = jsonText(given, `The setting ${key}`)
    const row = proofs.with('setting', { workspace_id: workspaceId, key, value })
    await rows
      .insertInto('setting')
      .values(row)
      .onConflict((conflict) => conflict.columns(['workspace_id', 'key']).doUpdateSet(row))
      .execute()
  }

  return {
    get: (workspaceId, setting) => read(rows, workspaceId, setting),
    set: (workspaceId, setting, value) => changing(workspaceId, write(rows, workspaceId, setting, value)),
    setWithin: write,

    change: (workspaceId, setting, next) =>
      changing(
        workspaceId,
        inTurn(`setting ${setting.key} of ${workspaceId}`, async (transaction) => {
          const value = next(await read(transaction, workspaceId, setting))
          await write(transaction, workspaceId, setting, value)
          return value
        }),
      ),

    async *having({ key, read }) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page: SettingRow[] = await rows
          .selectFrom('setting')
          .selectAll()
          .where('key', '=', key)
          .where('workspace_id', '>', after)
          .orderBy('workspace_id')
          .limit(PAGE)
          .execute()
        yield page
          .filter((row) => proofs.isGenuine('setting', row))
          .map(({ workspace_id, value }) => ({ workspaceId: workspace_id, value: read(JSON.parse(value)) }))
        after = page.length === PAGE ? page.at(-1)?.workspace_id : undefined
      }
    },

    async workspacesWith({ key }, value) {
      const found = await rows
        .selectFrom('setting')
        .selectAll()
        .where('key', '=', key)
        .where('value', '=', jsonText(value, `The setting ${key}`))
        .orderBy('workspace_id')
        .execute()
      return found.filter((row) => proofs.isGenuine('setting', row)).map(({ workspace_id }) => workspace_id)
    },
  }
}

const PAGE = 500
