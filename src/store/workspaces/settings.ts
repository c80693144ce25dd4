import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import { jsonText } from '../database/json.ts'
import type { ReadCache } from '../database/read-cache.ts'
import type { Schema, SettingRow } from '../database/schema.ts'

/** A setting, declared once by the part of the program that owns it. */
export interface Setting<T> {
  readonly key: string
  /** Turns a stored value into a T. It gets undefined when nothing is stored, and values of older versions. */
  readonly read: (stored: unknown) => T
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
  /** Stores and returns what `next` makes of the present value; of two changes at once, none is lost. */
  change<T>(workspaceId: string, setting: Setting<T>, next: (present: T) => T): Promise<T>
  /** Every workspace that has stored this setting, by id, some at a time. */
  having<T>(setting: Setting<T>): AsyncIterable<readonly Having<T>[]>
  /** Everything that is stored for the workspace, by key. */
  all(workspaceId: string): Promise<Map<string, unknown>>
}

/** The rows of `setting`, read each time, so that a change by any process counts at once. */
export function settingStore(
  { rows, inTurn }: Pick<Database, 'rows' | 'inTurn'>,
  { changing }: Pick<ReadCache, 'changing'>,
): Settings {
  return {
    get: (workspaceId, setting) => read(rows, workspaceId, setting),
    set: (workspaceId, setting, value) => changing(workspaceId, write(rows, workspaceId, setting, value)),

    change: (workspaceId, setting, next) =>
      changing(
        workspaceId,
        inTurn(`setting ${setting.key} of ${workspaceId}`, async (transaction) => {
          const value = next(await read(transaction, workspaceId, setting))
          await write(transaction, workspaceId, setting, value)
          return value
        }),
      ),

    having: (setting) => having(rows, setting),

    async all(workspaceId) {
      const found = await rows
        .selectFrom('setting')
        .select(['key', 'value'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('key')
        .execute()
      return new Map(found.map(({ key, value }) => [key, JSON.parse(value)]))
    },
  }
}

const PAGE = 500

async function* having<T>(rows: Kysely<Schema>, { key, read }: Setting<T>): AsyncGenerator<Having<T>[]> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const page: Pick<SettingRow, 'workspace_id' | 'value'>[] = await rows
      .selectFrom('setting')
      .select(['workspace_id', 'value'])
      .where('key', '=', key)
      .where('workspace_id', '>', after)
      .orderBy('workspace_id')
      .limit(PAGE)
      .execute()
    yield page.map(({ workspace_id, value }) => ({
      workspaceId: workspace_id,
      value: read(JSON.parse(value)),
    }))
    after = page.length === PAGE ? page.at(-1)?.workspace_id : undefined
  }
}

async function read<T>(rows: Kysely<Schema>, workspaceId: string, setting: Setting<T>): Promise<T> {
  const row = await rows
    .selectFrom('setting')
    .select('value')
    .where('workspace_id', '=', workspaceId)
    .where('key', '=', setting.key)
    .executeTakeFirst()
  return setting.read(row && JSON.parse(row.value))
}

async function write<T>(
  rows: Kysely<Schema>,
  workspaceId: string,
  setting: Setting<T>,
  given: T,
): Promise<void> {
  const value = jsonText(given, `The setting ${setting.key}`)
  await rows
    .insertInto('setting')
    .values({ workspace_id: workspaceId, key: setting.key, value })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'key']).doUpdateSet({ value }))
    .execute()
}
