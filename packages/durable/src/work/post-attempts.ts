import { newId } from '@signalman/runtime'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteIn, rowsIn } from '../database/schema.ts'
import { whileHeld } from './step-ledger.ts'

/** A message that is, or was, about to be posted. */
interface PostSubject {
  readonly workspaceId: string
  /** Names one message among all that the workspace is told: there is one attempt of it at a time. */
  readonly key: string
}

/** A post whose outcome is unknown. */
interface PostAttempt {
  /** The id that the message carries, which tells nothing: 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly mark: string
  /** What of its subject it told. */
  readonly version: number
  readonly attemptedAt: Date
  /** The time of the database, by which attempts are dated. */
  readonly now: Date
}

export type PostAttempts = ReturnType<typeof postAttempts>

/** Posts of unknown outcome, which are looked for before they are repeated: the rows of `post_attempt`. */
export const postAttempts = ({ rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>, time: DatabaseTime) => ({
  async find({ workspaceId, key }: PostSubject): Promise<PostAttempt | undefined> {
    const own = rowsIn(rows, 'post_attempt', { workspace_id: workspaceId, key }).select(time().as('now'))
    const row = await own.executeTakeFirst()
    if (!row) return undefined
    const { mark, version, attempted_at, now } = row
    return { mark, version, attemptedAt: new Date(attempted_at), now: new Date(now) }
  },

  /**
   * Returns a new mark to post with; that it is about to be posted is on disk before. Undefined, with nothing written, when the
   * owner does not have the work (any more), or another attempt was begun than the one that was `looked` for.
   */
  async begin(
    { workspaceId, key, version, looked }: PostSubject & { version: number; looked?: string | undefined },
    { workId, owner }: { workId: string; owner: string },
  ): Promise<string | undefined> {
    const mark = newId()
    const attempt = { mark, version, attempted_at: time() }
    return await whileHeld(rows, workId, owner, async (transaction) => {
      const insert = transaction
        .insertInto('post_attempt')
        .values({ workspace_id: workspaceId, key, ...attempt })
      // Whoever takes the work over in this moment may have begun one: it stays.
      const { numInsertedOrUpdatedRows } = await insert
        .onConflict((conflict) => {
          const same = conflict.columns(['workspace_id', 'key'])
          if (looked === undefined) return same.doNothing()
          return same.doUpdateSet(attempt).where('post_attempt.mark', '=', looked)
        })
        .executeTakeFirstOrThrow()
      return Number(numInsertedOrUpdatedRows) === 1 ? mark : undefined
    })
  },

  /** The keys that begin so and of which there is an attempt. */
  async pending(workspaceId: string, prefix: string): Promise<string[]> {
    // Not by a range of keys, because PostgreSQL sorts texts by the rules of a language. A workspace has few of them.
    const found = await rowsIn(rows, 'post_attempt', { workspace_id: workspaceId })
      .where(({ fn, val }) => fn('substr', ['key', val(1), val(prefix.length)]), '=', prefix)
      .orderBy('key')
      .execute()
    return found.map(({ key }) => key)
  },

  /** The outcome of the attempt with this mark is known. */
  async settle({ workspaceId, key }: PostSubject, mark: string): Promise<void> {
    // What a power cut brings back is looked for, and found.
    await relaxed((own) => deleteIn(own, 'post_attempt', { workspace_id: workspaceId, key, mark }))
  },
})
