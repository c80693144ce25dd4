import { hostname } from 'node:os'
import type { Kysely } from 'kysely'
import type { DatabaseTime } from './clock.ts'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

/** A process without a sign of life for this long does not count. */
export const GONE_AFTER_MS = 30_000

/** The processes that share this database. */
export interface Processes {
  /**
   * Records that this process lives, and with which key it seals. Returns how many there are. It is an ordinary write, so it also proves that the database takes
   * writes; throws when it does not.
   */
  signOfLife(id: string): Promise<number>
  /** This process is ending, and does not count from now on. */
  leave(id: string): Promise<void>
}

/** The rows of `process`. */
export function processStore(
  { relaxed }: Database,
  time: DatabaseTime,
  keys: { ring(): { primary: { id: string } } },
): Processes {
  const about = `process ${process.pid} on ${hostname()}`
  return {
    signOfLife: (id) =>
      relaxed(async (rows) => {
        const now = { seen_at: time(), key_id: keys.ring().primary.id }
        await rows
          .insertInto('process')
          .values({ id, about, ...now })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(now))
          .execute()
        const there = await rows.selectFrom('process').select(['id', 'seen_at']).execute()
        const own = there.find((row) => row.id === id)?.seen_at ?? ''
        const gone = there.filter(({ seen_at }) => Date.parse(own) - Date.parse(seen_at) > GONE_AFTER_MS)
        if (gone.length > 0)
          await rows
            .deleteFrom('process')
            .where(
              'id',
              'in',
              gone.slice(0, 100).map((row) => row.id),
            )
            .execute()
        return there.length - gone.length
      }),
    async leave(id) {
      await relaxed((rows) => rows.deleteFrom('process').where('id', '=', id).execute())
    },
  }
}

/** The living processes that seal with another key, by what they say about themselves. */
export async function processesWithout(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  keyId: string,
): Promise<string[]> {
  const living = await rows
    .selectFrom('process')
    .select(['about', 'key_id'])
    .where('seen_at', '>', time(-GONE_AFTER_MS))
    .orderBy('id')
    .execute()
  return living
    .filter(({ key_id }) => key_id !== keyId)
    .map(({ about, key_id }) => `${about} (seals with "${key_id}")`)
}
