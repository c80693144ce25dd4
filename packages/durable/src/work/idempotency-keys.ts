import { createHash } from 'node:crypto'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'

export interface IdempotencyKeys {
  /** True for the first claimant of this key in any process, and for the same claimant again; false for all others. */
  claim(key: string, claimant: string): Promise<boolean>
  /** Gives a key back that this claimant has. */
  free(key: string, claimant: string): Promise<void>
}

/** The rows of `idempotency_key`: a key is on disk before what it allows once is done. */
export function idempotencyKeyStore(database: Database, time: DatabaseTime): IdempotencyKeys {
  const { rows } = database
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

    async free(key, claimant) {
      await rows
        .deleteFrom('idempotency_key')
        .where('key', '=', digestOf(key))
        .where('claimant', '=', claimant)
        .execute()
    },
  }
}

/** A digest has one length for any key, and the database then holds nothing readable of a request. */
function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
