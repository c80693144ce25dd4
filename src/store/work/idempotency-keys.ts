import { createHash } from 'node:crypto'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteInBatches } from '../database/sweeping.ts'

export interface IdempotencyKeys {
  /** True for the first claimant of this key in any process, and for the same claimant again; false for all others. */
  claim(key: string, claimant: string): Promise<boolean>
  /** Deletes the keys that are older than this, and returns how many. They can be claimed again. */
  sweep(olderThanMs: number): Promise<number>
}

/** The rows of `idempotency_key`: a key is on disk before what it allows once is done. */
export function idempotencyKeyStore({ rows, relaxed }: Database, time: DatabaseTime): IdempotencyKeys {
  return {
    async claim(key, claimant) {
      const digest = digestOf(key)
      const { numInsertedOrUpdatedRows } = await rows
        .insertInto('idempotency_key')
        .values({ key: digest, claimant, claimed_at: time() })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows === 1n) return true
      const known = await rows
        .selectFrom('idempotency_key')
        .select('claimant')
        .where('key', '=', digest)
        .executeTakeFirst()
      return known?.claimant === claimant
    },

    sweep(olderThanMs) {
      return deleteInBatches(async (limit) => {
        const old = rows
          .selectFrom('idempotency_key')
          .select('key')
          .where('claimed_at', '<', time(-olderThanMs))
        const { numDeletedRows } = await relaxed((rows) =>
          rows.deleteFrom('idempotency_key').where('key', 'in', old.limit(limit)).executeTakeFirstOrThrow(),
        )
        return Number(numDeletedRows)
      })
    },
  }
}

/** A digest has one length for any key, and the database then holds nothing readable of a request. */
function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
