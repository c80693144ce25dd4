import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { AuditEntryRow } from '../database/schema.ts'

/** What the application log has of a row: enough to compare the two, and nothing that a person wrote. */
export type AuditCopy = Pick<AuditEntryRow, 'sequence' | 'verb' | 'object' | 'outcome' | 'reference'>

const PAUSE_MS = 500
/** A transaction that takes longer than a minute has failed. */
const MAX_TRIES = 120
const MAX_ROWS = 500

/** Copies rows once their transaction is committed, and others see them. One that is rolled back is never copied. */
export function createAuditCopies({ rows }: Pick<Database, 'rows'>, copy: (row: AuditCopy) => void) {
  /** The numbers of rows that were written, and how often they weren't there yet. */
  const pending = new Map<number, number>()
  let running: Promise<void> | undefined

  async function copyCommitted(): Promise<void> {
    const numbers = [...pending.keys()].slice(0, MAX_ROWS)
    const found = await rows
      .selectFrom('audit_entry')
      .select(['sequence', 'verb', 'object', 'outcome', 'reference'])
      .where('sequence', 'in', numbers)
      .orderBy('sequence')
      .execute()
    // `flush` may have read the same rows.
    for (const row of found) if (pending.delete(row.sequence)) copy(row)
    for (const number of numbers) {
      const tries = pending.get(number)
      if (tries !== undefined && tries < MAX_TRIES) pending.set(number, tries + 1)
      else pending.delete(number)
    }
  }

  async function run(): Promise<void> {
    while (pending.size > 0) {
      await wait(PAUSE_MS, undefined, { ref: false })
      await copyCommitted().catch(() => undefined)
    }
  }

  return {
    add(number: number): void {
      pending.set(number, 0)
      running ??= run().finally(() => (running = undefined))
    },
    /** Copies what is committed now. Never rejects. */
    async flush(): Promise<void> {
      if (pending.size > 0) await copyCommitted().catch(() => undefined)
      pending.clear()
    },
  }
}
