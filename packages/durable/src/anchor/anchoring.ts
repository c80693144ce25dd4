import { yieldWhenDue } from '@signalman/runtime'
import type { Transaction } from 'kysely'
import {
  type AnchoredHead,
  formatRecord,
  HEADS_IN_RECORD,
  hashRecord,
  parseRecord,
} from '../audit/anchor-record.ts'
import { type Chains, REGISTER } from '../audit/chain.ts'
import type { Register } from '../audit/head.ts'
import type { Database } from '../database/database.ts'
import { type AuditChainRow, type Schema, selectRows } from '../database/schema.ts'
import type { LiveKeys } from '../secrets/keys.ts'
import { tryOpen } from '../secrets/seal.ts'
import { ownSetting, type Settings } from '../settings.ts'

/** Writes a record somewhere that database access alone can't change. Throws if the record wasn't accepted. */
export type PutRecord = (text: string) => Promise<void>

export type Anchoring = ReturnType<typeof createAnchoring>

const ALL_ANCHORED_AT = ownSetting<string>('audit.all-anchored-at')
const NO_WORKSPACE = ''
const PAGE_SIZE = 100

/**
 * Anchors the audit logs: writes signed records of their latest hashes to a target outside the database, so that a rollback of the
 * database is detected.
 */
export function createAnchoring(
  { reading, rows }: Pick<Database, 'reading' | 'rows'>,
  chains: Chains,
  settings: Settings,
  keys: LiveKeys,
) {
  /** The chains with rows that aren't anchored yet. Skips chains that can't be decrypted; verification reports those. */
  async function listUnanchored(): Promise<AnchoredHead[]> {
    const register = await chains.readRegister(reading)
    const heads: AnchoredHead[] = []
    if (!register) return heads
    for await (const page of readChainPages(reading)) {
      await yieldWhenDue()
      heads.push(...openHeads(page).filter(([id, , hash]) => register.heads[id]?.[1] !== hash))
    }
    return heads
  }

  const openHeads = (page: readonly AuditChainRow[]): AnchoredHead[] =>
    page.flatMap((row): AnchoredHead[] => {
      const opened = tryOpen(() => chains.openHead(row))
      if ('sealError' in opened || opened.value.sequence === 0) return []
      return [[row.workspace_id, opened.value.sequence, opened.value.hash]]
    })

  const withRegister = <T>(work: (transaction: Transaction<Schema>, register: Register) => Promise<T>) =>
    rows.transaction().execute(async (transaction) => {
      const register = await chains.lockRegister(transaction)
      return register && (await work(transaction, register))
    })

  /** Stores the next record before it's written to the target. If a process died while writing one, returns that same record. */
  const beginRecord = (target: string, heads: readonly AnchoredHead[], now: Date) =>
    withRegister(async (transaction, register) => {
      const { begun } = register
      if (begun?.target === target) return begun.text
      // A record begun for another target may exist there, so don't reuse its number.
      const n = (begun?.n ?? register.n) + 1
      const due = heads.filter(([id, , hash]) => register.heads[id]?.[1] !== hash).slice(0, HEADS_IN_RECORD)
      if (due.length === 0) return undefined
      const prior = register.last[target]
      const text = formatRecord(keys.primary(), {
        life: register.lives.at(-1)?.id ?? '',
        n,
        at: now.toISOString(),
        ...(prior && { prior: { n: prior.n, hash: prior.hash } }),
        heads: due,
      })
      await chains.save(transaction, REGISTER, { ...register, n: n - 1, begun: { target, n, text } })
      return text
    })

  const markAnchored = (text: string) =>
    withRegister(async (transaction, { begun, ...register }) => {
      const record = parseRecord(text)
      if (begun?.text !== text || !record) return
      const { n, at } = record
      const heads = record.heads.map(([id, sequence, hash]) => [id, [sequence, hash] as const] as const)
      await chains.save(transaction, REGISTER, {
        ...register,
        n,
        last: { ...register.last, [begun.target]: { n, at, hash: hashRecord(text) } },
        heads: { ...register.heads, ...Object.fromEntries(heads) },
      })
    })

  return {
    listUnanchored,

    /**
     * Signs the latest hash of every chain that has grown, and passes each record to `put`. Once `put` returns, the record counts
     * as anchored. The database is updated before and after each call. Numbering continues when the target changes, so that there
     * is no gap.
     */
    async anchor(target: string, now: Date, put: PutRecord): Promise<void> {
      const heads = await listUnanchored()
      for (;;) {
        const text = await beginRecord(target, heads, now)
        if (text === undefined) break
        await put(text)
        await markAnchored(text)
      }
      await settings.set(NO_WORKSPACE, ALL_ANCHORED_AT, now.toISOString())
    },

    /** The last record written to any target. */
    async findLastRecord() {
      const { last = {} } = (await chains.readRegister(reading)) ?? {}
      return Object.values(last).toSorted((a, b) => b.n - a.n)[0]
    },

    /** When the oldest unanchored row was written. Undefined if all rows are anchored. */
    async findOldestUnanchoredAt(): Promise<Date | undefined> {
      const register = await chains.readRegister(reading)
      const oldestDates: string[] = []
      for (const [workspaceId] of await listUnanchored()) {
        const first = await selectRows(reading, 'audit_entry', { workspace_id: workspaceId })
          .where('sequence', '>', register?.heads[workspaceId]?.[0] ?? 0)
          .orderBy('sequence')
          .limit(1)
          .executeTakeFirst()
        if (first) oldestDates.push(first.at)
      }
      const [since] = oldestDates.sort()
      return since === undefined ? undefined : new Date(since)
    },

    /** When the whole log was last anchored, by any process. */
    async readAllAnchoredAt(): Promise<Date | undefined> {
      const at = await settings.get(NO_WORKSPACE, ALL_ANCHORED_AT)
      return at === undefined ? undefined : new Date(at)
    },
  }
}

async function* readChainPages(reading: Database['reading']): AsyncGenerator<AuditChainRow[]> {
  for (let after: string | undefined = REGISTER; after !== undefined; ) {
    const page: AuditChainRow[] = await selectRows(reading, 'audit_chain', {})
      .where('workspace_id', '>', after)
      .orderBy('workspace_id')
      .limit(PAGE_SIZE)
      .execute()
    yield page
    after = page.length === PAGE_SIZE ? page.at(-1)?.workspace_id : undefined
  }
}
