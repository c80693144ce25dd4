import { createHash } from 'node:crypto'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteRows, selectRows } from '../database/schema.ts'

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>

/** Stores claims in `idempotency_key`. A claim is on disk when it returns. */
export const createIdempotencyKeys = ({ rows }: Pick<Database, 'rows'>, time: DatabaseTime) => ({
  /** True for the first claimant of this key in any process, and for the same claimant again. False for all others. */
  async claim(key: string, claimant: string): Promise<boolean> {
    const digest = hashKey(key)
    const { numInsertedOrUpdatedRows } = await rows
      .insertInto('idempotency_key')
      .values({ key: digest, claimant, claimed_at: time() })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows === 1n) return true
    const row = await selectRows(rows, 'idempotency_key', { key: digest }).executeTakeFirst()
    return row?.claimant === claimant
  },

  /** Releases this claimant's key. */
  async release(key: string, claimant: string): Promise<void> {
    await deleteRows(rows, 'idempotency_key', { key: hashKey(key), claimant })
  },
})

/** Digests have a fixed length, and keep the content of requests out of the database. */
const hashKey = (key: string): string => createHash('sha256').update(key).digest('base64url')
