import type { DatabaseTime } from './clock.ts'
import type { Database } from './database.ts'

/** A process that has given no sign for so long does not count any more. */
const GONE_AFTER_MS = 30_000

/** The processes that share this database. */
export interface Processes {
  /**
   * Notes that this one lives, and says how many there are. A write on the way that all writes go, so it proves that the
   * database takes them. Throws when it does not.
   */
  signOfLife(id: string): Promise<number>
  /** This one is going, and does not count from now on. */
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
