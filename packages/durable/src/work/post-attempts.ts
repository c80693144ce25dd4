import { newId } from '@signalman/runtime'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { isHeld } from './step-ledger.ts'

/** A message that is, or was, about to be posted. */
export interface PostSubject {
  readonly workspaceId: string
  /** Names one message among all that the workspace is told: there is one attempt of it at a time. */
  readonly key: string
}

/** A post whose outcome is unknown. */
export interface PostAttempt {
  /** What the message is known by in Slack, which tells nothing: 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly mark: string
  /** What of its subject it told. */
  readonly version: number
  readonly attemptedAt: Date
  /** The time of the database, by which attempts are dated. */
  readonly now: Date
}

/** Posts of unknown outcome, which are looked for before they are repeated. */
export interface PostAttempts {
  find(subject: PostSubject): Promise<PostAttempt | undefined>
  /**
   * Returns a new mark to post with; that it is about to be posted is on disk before. Undefined, with nothing written, when the
   * owner does not have the work (any more), or another attempt was begun than the one that was `looked` for.
   */
  begin(
    subject: PostSubject & { version: number; looked?: string | undefined },
    by: { workId: string; owner: string },
  ): Promise<string | undefined>
  /** The keys that begin so and of which there is an attempt. */
  pending(workspaceId: string, prefix: string): Promise<string[]>
  /** The outcome of the attempt with this mark is known. */
  settle(subject: PostSubject, mark: string): Promise<void>
}

/** The rows of `post_attempt`. */
export function postAttempts(database: Database, time: DatabaseTime): PostAttempts {
  const { rows, relaxed } = database
  return {
    async find({ workspaceId, key }) {
      const row = await rows
        .selectFrom('post_attempt')
        .select(['mark', 'version', 'attempted_at'])
        .select(time().as('now'))
        .where('workspace_id', '=', workspaceId)
        .where('key', '=', key)
        .executeTakeFirst()
      return (
        row && {
          mark: row.mark,
          version: row.version,
          attemptedAt: new Date(row.attempted_at),
          now: new Date(row.now),
        }
      )
    },

    async begin({ workspaceId, key, version, looked }, { workId, owner }) {
      const mark = newId()
      const attempt = { mark, version, attempted_at: time() }
      return await rows.transaction().execute(async (transaction) => {
        if (!(await isHeld(transaction, workId, owner))) return undefined
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

    async pending(workspaceId, prefix) {
      // No range of keys, whose order is one of letters in PostgreSQL. Of a workspace there are few.
      const found = await rows
        .selectFrom('post_attempt')
        .select('key')
        .where('workspace_id', '=', workspaceId)
        .where(({ fn, val }) => fn('substr', ['key', val(1), val(prefix.length)]), '=', prefix)
        .orderBy('key')
        .execute()
      return found.map(({ key }) => key)
    },

    async settle({ workspaceId, key }, mark) {
      // What a power cut brings back is looked for, and found.
      await relaxed((own) =>
        own
          .deleteFrom('post_attempt')
          .where('workspace_id', '=', workspaceId)
          .where('key', '=', key)
          .where('mark', '=', mark)
          .execute(),
      )
    },
  }
}
