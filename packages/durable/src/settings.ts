import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Decisions } from './audit/audit.ts'
import type { AuditEvent } from './audit/row.ts'
import type { Database } from './database/database.ts'
import { jsonText } from './database/json.ts'
import type { ReadCache } from './database/read-cache.ts'
import { type Schema, selectRows, upsertRow } from './database/schema.ts'

/** A setting, declared once by the feature that owns it. */
export interface Setting<T> {
  readonly key: string
  /** Parses a stored value. It gets undefined if nothing is stored, and may get values from older versions. */
  readonly read: (stored: unknown) => T
  /** True if every change adds an audit row, in the same transaction. */
  readonly decides?: true
}

/** Declares a setting whose stored value is used as it is. */
export const ownSetting = <T>(key: string): Setting<T | undefined> => ({
  key,
  read: (stored) => stored as T | undefined,
})

export type Settings = ReturnType<typeof createSettings>

/** Saves protected settings together with the audit row that records the change. See `createAudit`. */
export interface DecisionAudit {
  decide<T>(
    workspaceId: string,
    work: (decisions: Decisions) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
  ): Promise<T>
}

/** Stores settings in `setting`. Reads are never cached, so that a change by any process applies immediately. */
export function createSettings(
  { rows, takeLock }: Pick<Database, 'rows' | 'takeLock'>,
  { invalidateAfter }: Pick<ReadCache, 'invalidateAfter'>,
  audit: DecisionAudit,
) {
  async function read<T>(from: Kysely<Schema>, workspaceId: string, setting: Setting<T>): Promise<T> {
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

  /** Saves the result of `next` together with the audit row that records the change. Returns the result. */
  async function decide<T>(decisions: Decisions, setting: Setting<T>, next: (current: T) => T): Promise<T> {
    const { transaction, workspaceId } = decisions
    const value = next(await read(transaction, workspaceId, setting))
    await write(transaction, workspaceId, setting, value)
    return value
  }

  function change<T>(workspaceId: string, setting: Setting<T>, next: (current: T) => T): Promise<T> {
    const changing = setting.decides
      ? audit.decide(workspaceId, async (decisions) => ({
          outcome: await decide(decisions, setting, next),
          auditEvent: createSettingEvent(workspaceId, setting.key),
        }))
      : rows
          .transaction()
          .execute((transaction) => changeInTransaction(transaction, workspaceId, setting, next))
    return invalidateAfter(workspaceId, changing)
  }

  async function changeInTransaction<T>(
    transaction: Transaction<Schema>,
    workspaceId: string,
    setting: Setting<T>,
    next: (current: T) => T,
  ): Promise<T> {
    await takeLock(transaction, `setting ${setting.key} of ${workspaceId}`)
    const value = next(await read(transaction, workspaceId, setting))
    await write(transaction, workspaceId, setting, value)
    return value
  }

  return {
    /** Reads a setting, in the caller's transaction if there is one. */
    get: <T>(workspaceId: string, setting: Setting<T>, from: Kysely<Schema> = rows): Promise<T> =>
      read(from, workspaceId, setting),
    /**
     * Stores any JSON value. A protected setting gets its own audit row; use `decide` when a person makes the change. Throws
     * StoreError `bad-value` for values that aren't JSON.
     */
    async set<T>(workspaceId: string, setting: Setting<T>, value: T): Promise<void> {
      if (setting.decides) await change(workspaceId, setting, () => value)
      else await invalidateAfter(workspaceId, write(rows, workspaceId, setting, value))
    },
    /** Like `change`, but in the caller's transaction, and only for settings that aren't protected. */
    changeInTransaction,
    /** Like `set`, but in the caller's transaction, and only for settings that aren't protected. */
    setInTransaction: <T>(transaction: Kysely<Schema>, workspaceId: string, setting: Setting<T>, value: T) =>
      write(transaction, workspaceId, setting, value),
    /** Stores and returns the result of `next` for the current value. Concurrent changes don't overwrite each other. */
    change,
    decide,
  }
}

/** The audit row for a setting that the app saves without a person's request. */
const createSettingEvent = (workspaceId: string, key: string): AuditEvent => ({
  workspaceId,
  at: new Date(),
  actor: { userId: 'system' },
  verb: 'setting.save',
  object: key,
  outcome: 'done',
  reference: randomUUID().slice(0, 8),
})
