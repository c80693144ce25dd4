import { newId } from '@signalman/runtime'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteRows, selectRows } from '../database/schema.ts'
import { whileOwned } from './steps.ts'

/** Identifies a message that is about to be posted, or was. */
interface PostSubject {
  readonly workspaceId: string
  /** Unique in the workspace. A message has at most one open attempt. */
  readonly key: string
}

/** A post with an unknown outcome. */
interface PostAttempt {
  /** A random ID in the message's metadata: 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly postId: string
  /** The version of the subject that the message shows. */
  readonly version: number
  readonly attemptedAt: Date
  /** The current time of the database, which also dates attempts. */
  readonly now: Date
}

export type PostAttempts = ReturnType<typeof createPostAttempts>

/** Stores posts with an unknown outcome in `post_attempt`. They are looked up before they're sent again. */
export const createPostAttempts = (
  { rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>,
  time: DatabaseTime,
) => ({
  async find({ workspaceId, key }: PostSubject): Promise<PostAttempt | undefined> {
    const query = selectRows(rows, 'post_attempt', { workspace_id: workspaceId, key }).select(
      time().as('now'),
    )
    const row = await query.executeTakeFirst()
    if (!row) return undefined
    const { mark, version, attempted_at, now } = row
    return { postId: mark, version, attemptedAt: new Date(attempted_at), now: new Date(now) }
  },

  /**
   * Records an attempt, on disk when this returns, and returns its post ID. Writes nothing and returns undefined if the owner no
   * longer has the work, or if there is an open attempt other than `searchedPostId`, which the caller has already looked for.
   */
  async begin(
    {
      workspaceId,
      key,
      version,
      searchedPostId,
    }: PostSubject & { version: number; searchedPostId?: string | undefined },
    { workId, owner }: { workId: string; owner: string },
  ): Promise<string | undefined> {
    const postId = newId()
    const attempt = { mark: postId, version, attempted_at: time() }
    return await whileOwned(rows, workId, owner, async (transaction) => {
      const insert = transaction
        .insertInto('post_attempt')
        .values({ workspace_id: workspaceId, key, ...attempt })
      // A process that is taking over the work may have started an attempt. That one stays.
      const { numInsertedOrUpdatedRows } = await insert
        .onConflict((conflict) => {
          const conflicting = conflict.columns(['workspace_id', 'key'])
          if (searchedPostId === undefined) return conflicting.doNothing()
          return conflicting.doUpdateSet(attempt).where('post_attempt.mark', '=', searchedPostId)
        })
        .executeTakeFirstOrThrow()
      return Number(numInsertedOrUpdatedRows) === 1 ? postId : undefined
    })
  },

  /** Lists the keys with this prefix that have an attempt. */
  async listPending(workspaceId: string, prefix: string): Promise<string[]> {
    // Not by key range, because PostgreSQL sorts text by locale. A workspace has few of these rows.
    const found = await selectRows(rows, 'post_attempt', { workspace_id: workspaceId })
      .where(({ fn, val }) => fn('substr', ['key', val(1), val(prefix.length)]), '=', prefix)
      .orderBy('key')
      .execute()
    return found.map(({ key }) => key)
  },

  /** Deletes the attempt with this post ID, because its outcome is known. */
  async settle({ workspaceId, key }: PostSubject, postId: string): Promise<void> {
    // If a power failure brings the row back, the post is looked up and found.
    await relaxed((relaxedRows) =>
      deleteRows(relaxedRows, 'post_attempt', { workspace_id: workspaceId, key, mark: postId }),
    )
  },
})
