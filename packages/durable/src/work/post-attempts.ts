import { newId } from '@signalman/runtime'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteIn, rowsIn } from '../database/schema.ts'
import { whileHeld } from './step-ledger.ts'

/** A message that is, or was, about to be posted. */
interface PostSubject {
  readonly workspaceId: string
  /** Identifies one message in the workspace: there is one attempt at a time. */
  readonly key: string
}

/** A post whose outcome is unknown. */
interface PostAttempt {
  /** A random ID in the message's metadata: 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly mark: string
  /** The version of its subject that it shows. */
  readonly version: number
  readonly attemptedAt: Date
  /** The time of the database, by which attempts are dated. */
  readonly now: Date
}

export type PostAttempts = ReturnType<typeof postAttempts>

/** The rows of `post_attempt`: posts with an unknown outcome, which are looked up before they are sent again. */
export const postAttempts = ({ rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>, time: DatabaseTime) => ({
  async find({ workspaceId, key }: PostSubject): Promise<PostAttempt | undefined> {
    const own = rowsIn(rows, 'post_attempt', { workspace_id: workspaceId, key }).select(time().as('now'))
    const row = await own.executeTakeFirst()
    if (!row) return undefined
    const { mark, version, attempted_at, now } = row
    return { mark, version, attemptedAt: new Date(attempted_at), now: new Date(now) }
  },

  /**
   * Records an attempt, on disk before this returns, and returns its mark. Undefined, with nothing written, if the owner has lost the
   * work, or if another attempt was started than the one that was `looked` up.
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
      // A process that takes over the work at this moment may have started one: that one stays.
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

  /** The keys with this prefix that have an attempt. */
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
    // If a power cut brings the row back, the post is looked up and found.
    await relaxed((own) => deleteIn(own, 'post_attempt', { workspace_id: workspaceId, key, mark }))
  },
})
