import { createHash } from 'node:crypto'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteInBatches } from '../database/sweeping.ts'

export interface IdempotencyKeys {
  /** True for the first to name this key, in whatever process, and again for the same one; false for everyone else. */
  claim(key: string, claimant: string): Promise<boolean>
  /** Forgets the keys that were claimed so long ago, and says how many. They can be claimed again. */
  sweep(olderThanMs: number): Promise<number>
}

/** The rows of `idempotency_key`: what may be done once, on disk before it is. */
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

/** Of one length, whatever the caller names, and nothing of a request is left to read in the database. */
function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
