import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { newId } from '@signalman/runtime'
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteRows, type Rows, selectRows, updateRows } from '../database/schema.ts'
import { whileOwned } from './steps.ts'

// Three things that only one holder may have at a time are rows of `claim`: a key that works once, the lock of an object of another
// system, and a message that may have been posted. No transaction is open meanwhile. A row that nobody releases lapses or is swept.

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

/** Somebody else holds the lock, or took it over. */
export class Locked extends Error {
  override readonly name = 'Locked'
}

interface HoldOptions {
  /** How long nothing that a holder has sent can still be running. A lock that wasn't renewed for so long is free. */
  readonly maxInFlightMs: number
  readonly waitMs: number
  /** Whether a request may still be running after this error, so that the lock has to lapse. */
  readonly mayStillRun: (error: unknown) => boolean
  /** Who holds it, if another process may go on with the same work: it takes the lock over, because the other one has sent nothing. */
  readonly holder?: string | undefined
  /** Ends the wait: the process stops, or has lost the work that needs the lock. */
  readonly signal?: AbortSignal | undefined
}

export interface HeldLock {
  /** Sends a request. Renews the lock before. Without an answer to it, the lock isn't released: it lapses when the request must be over. */
  send<Answer>(request: () => Promise<Answer>): Promise<Answer>
}

type Claims = ReturnType<typeof createClaims>
export type IdempotencyKeys = Claims['idempotencyKeys']
export type CheckLocks = Claims['checkLocks']
export type PostAttempts = Claims['postAttempts']

/** The first pause of somebody who waits for a lock; later ones are longer. */
const LOCK_RETRY_MS = 50
const MAX_LOCK_RETRY_MS = 800
/** A lock that was taken or renewed within this share of `maxInFlightMs` isn't renewed again: one second of 25. */
const FRESH_SHARE = 25

export function createClaims({ rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>, time: DatabaseTime) {
  /** Claims what nobody has, or what `isFree` says. Of several concurrent callers, one gets it. */
  async function take(
    db: Rows,
    subject: { workspace_id: string; key: string },
    holder: string,
    { version = 0, isFree }: { version?: number; isFree: RawBuilder<boolean> },
  ): Promise<boolean> {
    const claim = { holder, version, claimed_at: time() }
    const taken = await db
      .insertInto('claim')
      .values({ ...subject, ...claim })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'key']).doUpdateSet(claim).where(isFree))
      .returning('key')
      .executeTakeFirst()
    return taken !== undefined
  }
  const isHeldBy = (holder: string) => sql<boolean>`claim.holder = ${holder}`
  const idempotencyKey = (key: string) => ({ workspace_id: '', key: `once ${hashKey(key)}` })

  return {
    /** A claim is on disk when it returns. */
    idempotencyKeys: {
      /** True for the first claimant of this key in any process, and for the same claimant again. False for all others. */
      claim: (key: string, claimant: string): Promise<boolean> =>
        take(rows, idempotencyKey(key), claimant, { isFree: isHeldBy(claimant) }),
    },

    /**
     * Whoever reads an object of another system and then writes to it holds its lock meanwhile, so that no two writers overlap, in any
     * process and any workspace.
     */
    checkLocks: {
      /** Runs `work` while nobody else does for this key. Throws Locked, and AbortError. */
      async hold<T>(
        key: string,
        { maxInFlightMs, waitMs, mayStillRun, holder: owner = newId(), signal }: HoldOptions,
        work: (held: HeldLock) => Promise<T>,
      ): Promise<T> {
        const lock = { workspace_id: '', key: `lock ${key}` }
        const prefix = `${owner} `
        const holder = `${prefix}${newId()}`
        const isSame = sql<boolean>`substr(claim.holder, 1, ${prefix.length}) = ${prefix}`
        const release = () => relaxed((db) => deleteRows(db, 'claim', { ...lock, holder }))
        const deadline = performance.now() + waitMs
        let renewedAt = performance.now()
        for (let pauseMs = LOCK_RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_LOCK_RETRY_MS)) {
          const isFree = sql<boolean>`(claim.claimed_at < ${time(-maxInFlightMs)} or ${isSame})`
          if (await relaxed((db) => take(db, lock, holder, { isFree }))) break
          if (performance.now() > deadline) throw new Locked('Somebody else holds this lock.')
          await wait(pauseMs, undefined, { signal })
          renewedAt = performance.now()
        }
        let isLost = false
        async function send<Answer>(request: () => Promise<Answer>): Promise<Answer> {
          const at = performance.now()
          // One that is fresh isn't renewed: `maxInFlightMs` has more than this to spare.
          if (at - renewedAt >= maxInFlightMs / FRESH_SHARE) {
            const owned = { ...lock, holder }
            const renewed = await relaxed((db) => updateRows(db, 'claim', owned, { claimed_at: time() }))
            if (renewed === 0) throw new Locked('Another process took over this lock.')
            renewedAt = at
          }
          try {
            return await request()
          } catch (error) {
            isLost ||= mayStillRun(error)
            throw error
          }
        }
        try {
          const result = await work({ send })
          await release()
          return result
        } catch (error) {
          if (!isLost) await release()
          throw error
        }
      },
    },

    /** Posts with an unknown outcome. They are looked up before they're sent again. */
    postAttempts: {
      async find({ workspaceId, key }: PostSubject): Promise<PostAttempt | undefined> {
        const query = selectRows(rows, 'claim', { workspace_id: workspaceId, key }).select(time().as('now'))
        const row = await query.executeTakeFirst()
        if (!row) return undefined
        const { holder: postId, version, claimed_at, now } = row
        return { postId, version, attemptedAt: new Date(claimed_at), now: new Date(now) }
      },

      /**
       * Records an attempt, on disk when this returns, and returns its post ID. Writes nothing and returns undefined if the owner no
       * longer has the work, or if there is an open attempt other than `searchedPostId`, which the caller has already looked for.
       */
      begin(
        {
          workspaceId,
          key,
          version,
          searchedPostId = '',
        }: PostSubject & { version: number; searchedPostId?: string | undefined },
        { workId, owner }: { workId: string; owner: string },
      ): Promise<string | undefined> {
        const postId = newId()
        const subject = { workspace_id: workspaceId, key }
        return whileOwned(rows, workId, owner, async (transaction) =>
          (await take(transaction, subject, postId, { version, isFree: isHeldBy(searchedPostId) }))
            ? postId
            : undefined,
        )
      },

      /** Lists the keys with this prefix that have an attempt. */
      async listPending(workspaceId: string, prefix: string): Promise<string[]> {
        const found = await selectRows(rows, 'claim', { workspace_id: workspaceId }).orderBy('key').execute()
        return found.flatMap(({ key }) => (key.startsWith(prefix) ? [key] : []))
      },

      /** Deletes the attempt with this post ID, because its outcome is known. */
      async finish({ workspaceId, key }: PostSubject, postId: string): Promise<void> {
        // If a power failure brings the row back, the post is looked up and found.
        await relaxed((db) => deleteRows(db, 'claim', { workspace_id: workspaceId, key, holder: postId }))
      },
    },
  }
}

/** Digests have a fixed length, and keep the content of requests out of the database. */
const hashKey = (key: string): string => createHash('sha256').update(key).digest('base64url')
