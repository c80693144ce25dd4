import type { DatabaseTime } from './clock.ts'
import type { Database } from './database.ts'

/** A process without a sign of life for this long does not count. */
const GONE_AFTER_MS = 30_000

/** The processes that share this database. */
export interface Processes {
  /**
   * Records that this process lives. Returns how many there are. It is an ordinary write, so it also proves that the database takes
   * writes; throws when it does not.
   */
  signOfLife(id: string): Promise<number>
  /** This process is ending, and does not count from now on. */
  leave(id: string): Promise<void>
}

/** The rows of `process`. */
export function processStore({ relaxed }: Database, time: DatabaseTime): Processes {
  return {
    signOfLife: (id) =>
      relaxed(async (rows) => {
        await rows
          .insertInto('process')
          .values({ id, seen_at: time() })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: time() }))
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
