import { createHash } from 'node:crypto'
import type { Database } from './database.ts'
import { deleteInBatches } from './sweeping.ts'

export interface Claims {
  /** True for the first to name this key, in whatever process; false for everyone after. */
  claim(key: string, now: Date): Promise<boolean>
  /** Forgets the claims made before that time, and says how many. Their keys can be claimed again. */
  sweep(before: Date): Promise<number>
}

/** The rows of `claim`. A power cut may take back the last moments of them; a killed process loses none. */
export function claimStore({ rows, relaxed }: Database): Claims {
  return {
    async claim(key, now) {
      const row = { key: digestOf(key), claimed_at: now.toISOString() }
      const { numInsertedOrUpdatedRows } = await relaxed((rows) =>
        rows
          .insertInto('claim')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow(),
      )
      return numInsertedOrUpdatedRows === 1n
    },

    sweep(before) {
      return deleteInBatches(async (limit) => {
        const old = rows.selectFrom('claim').select('key').where('claimed_at', '<', before.toISOString())
        const { numDeletedRows } = await relaxed((rows) =>
          rows.deleteFrom('claim').where('key', 'in', old.limit(limit)).executeTakeFirstOrThrow(),
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
