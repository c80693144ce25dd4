import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Chains } from './audit/chain.ts'
import { type Decisions, decisionKey } from './audit/decisions.ts'
import type { AuditEvent } from './audit/row.ts'
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
  /** True for a setting that decides something: each change is a row of the audit log, and nothing else is obeyed. */
  readonly decides?: true
}

/** A setting that this program writes in the form in which it reads it; nothing that anybody else has written is obeyed. */
export const ownSetting = <T>(key: string): Setting<T | undefined> => ({
  key,
  read: (stored) => stored as T | undefined,
})

/** How many days a workspace keeps its audit log; 0: for ever. */
export const AUDIT_KEPT_DAYS: Setting<number> = {
  key: 'audit.kept-days',
  decides: true,
  read: (stored) => (typeof stored === 'number' && stored > 0 ? stored : 0),
}

export type Settings = ReturnType<typeof settingStore>

/** Adds an audit row together with what it decides; see `auditStore`. */
export interface Deciding {
  readonly chains: Pick<Chains, 'decidedNow'>
  decide<T>(
    workspaceId: string,
    work: (decisions: Decisions) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
  ): Promise<T>
}

const SETTING = { decides: 'setting', key: ['workspace_id', 'key'] } as const

/** The rows of `setting`, read each time, so that a change by any process counts at once. */
export function settingStore(
  { rows, takeTurn }: Pick<Database, 'rows' | 'takeTurn'>,
  { invalidateAfter }: Pick<ReadCache, 'invalidateAfter'>,
  proofs: RowProofs,
  audit: Deciding,
) {
  /** Whether this program wrote the row, and for one that an audit row decided, whether it is the last that was. */
  async function isCurrent(from: Kysely<Schema>, row: SettingRow, decides: boolean): Promise<boolean> {
    if (!proofs.isGenuine('setting', row)) return false
    if (!decides) return row.decided_by === null
    const decided = await audit.chains.decidedNow(from, row.workspace_id)
    return row.decided_by !== null && decided?.get(decisionKey(SETTING, row)) === row.decided_by
  }

  /** Whether it was decided and is not there: somebody deleted it. */
  async function isMissing<T>(from: Kysely<Schema>, workspace_id: string, { key, decides }: Setting<T>) {
    if (!decides) return false
    const decided = await audit.chains.decidedNow(from, workspace_id)
    return !decided || decided.has(decisionKey(SETTING, { workspace_id, key }))
  }

  async function read<T>(from: Kysely<Schema>, workspaceId: string, setting: Setting<T>): Promise<T> {
    const own = rowsIn(from, 'setting', { workspace_id: workspaceId, key: setting.key })
    const row = await own.executeTakeFirst()
    if (
      row
        ? await isCurrent(from, row, setting.decides ?? false)
        : !(await isMissing(from, workspaceId, setting))
    )
      return setting.read(row && JSON.parse(row.value))
    return setting.forged ?? setting.read(undefined)
  }

  /** In a transaction of the caller's, who also forgets what is cached of the workspace. */
  async function write<T>(
    to: Kysely<Schema>,
    workspaceId: string,
    { key }: Setting<T>,
    given: T,
    decided_by: string | null = null,
  ): Promise<void> {
    const value = jsonText(given, `The setting ${key}`)
    const row = proofs.with('setting', { workspace_id: workspaceId, key, value, decided_by })
    await upsertIn(to, 'setting', ['workspace_id', 'key'], row)
  }

  /** Saves what `next` makes of the present value with the audit row that decides it, and returns it. */
  async function decide<T>(decisions: Decisions, setting: Setting<T>, next: (present: T) => T): Promise<T> {
    const { transaction, workspaceId } = decisions
    const value = next(await read(transaction, workspaceId, setting))
    decisions.put(decisionKey(SETTING, { workspace_id: workspaceId, key: setting.key }), (by) =>
      write(transaction, workspaceId, setting, value, by),
    )
    return value
  }

  const change = <T>(workspaceId: string, setting: Setting<T>, next: (present: T) => T): Promise<T> =>
    invalidateAfter(
      workspaceId,
      setting.decides
        ? audit.decide(workspaceId, async (decisions) => ({
            outcome: await decide(decisions, setting, next),
            auditEvent: settingEvent(workspaceId, setting.key),
          }))
        : rows.transaction().execute((transaction) => changeWithin(transaction, workspaceId, setting, next)),
    )

  async function changeWithin<T>(
    transaction: Transaction<Schema>,
    workspaceId: string,
    setting: Setting<T>,
    next: (present: T) => T,
  ): Promise<T> {
    await takeTurn(transaction, `setting ${setting.key} of ${workspaceId}`)
    const value = next(await read(transaction, workspaceId, setting))
    await write(transaction, workspaceId, setting, value)
    return value
  }

  return {
    get: <T>(workspaceId: string, setting: Setting<T>): Promise<T> => read(rows, workspaceId, setting),
    /** In the caller's transaction. */
    getWithin: <T>(transaction: Kysely<Schema>, workspaceId: string, setting: Setting<T>): Promise<T> =>
      read(transaction, workspaceId, setting),
    /**
     * Stores any JSON value. One that decides something is stored with an audit row of its own; a person's change says its row with
     * `decide`. Throws StoreError `bad-value` for what JSON cannot hold.
     */
    async set<T>(workspaceId: string, setting: Setting<T>, value: T): Promise<void> {
      if (setting.decides) await change(workspaceId, setting, () => value)
      else await invalidateAfter(workspaceId, write(rows, workspaceId, setting, value))
    },
    /** In the caller's transaction, for settings that decide nothing. */
    changeWithin,
    /** The same. */
    setWithin: <T>(transaction: Kysely<Schema>, workspaceId: string, setting: Setting<T>, value: T) =>
      write(transaction, workspaceId, setting, value),
    /** Stores and returns what `next` makes of the present value; of two changes at once, none is lost. */
    change,
    decide,

    /** Every workspace that has stored this setting, by id, some at a time; without values that this program has not written. */
    async *having<T>({
      key,
      read,
      decides,
    }: Setting<T>): AsyncGenerator<{ workspaceId: string; value: T }[]> {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const next = rowsIn(rows, 'setting', { key }).where('workspace_id', '>', after)
        const page: SettingRow[] = await next.orderBy('workspace_id').limit(PAGE).execute()
        const current: { workspaceId: string; value: T }[] = []
        for (const row of page)
          if (await isCurrent(rows, row, decides ?? false))
            current.push({ workspaceId: row.workspace_id, value: read(JSON.parse(row.value)) })
        yield current
        after = page.length === PAGE ? page.at(-1)?.workspace_id : undefined
      }
    },

    /** The workspaces that have stored exactly this value, by id. */
    async workspacesWith<T>({ key, decides }: Setting<T>, value: T): Promise<string[]> {
      const exactly = rowsIn(rows, 'setting', { key, value: jsonText(value, `The setting ${key}`) })
      const found = await exactly.orderBy('workspace_id').execute()
      const current: string[] = []
      for (const row of found)
        if (await isCurrent(rows, row, decides ?? false)) current.push(row.workspace_id)
      return current
    },
  }
}

/** Each is proved before it counts, in one turn of the event loop: some 2 ms for so many. */
const PAGE = 100

/** Of a setting that the program saves by itself. */
const settingEvent = (workspaceId: string, key: string): AuditEvent => ({
  workspaceId,
  at: new Date(),
  actor: { userId: 'system' },
  verb: 'setting.save',
  object: key,
  outcome: 'done',
  reference: randomUUID().slice(0, 8),
})
