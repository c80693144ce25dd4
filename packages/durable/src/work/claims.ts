import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { newId } from '@signalman/runtime'
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteRows, type Rows, updateRows } from '../database/schema.ts'

// Two things that only one holder may have at a time are rows of `claim`: a key that works once, and the lock of an object of another
// system. No transaction is open meanwhile. A row that nobody releases lapses or is swept.

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
    isFree: RawBuilder<boolean>,
  ): Promise<boolean> {
    const claim = { holder, claimed_at: time() }
    const taken = await db
      .insertInto('claim')
      .values({ ...subject, ...claim })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'key']).doUpdateSet(claim).where(isFree))
      .returning('key')
      .executeTakeFirst()
    return taken !== undefined
  }
  const idempotencyKey = (key: string) => ({ workspace_id: '', key: `once ${hashKey(key)}` })

  return {
    /** A claim is on disk when it returns. */
    idempotencyKeys: {
      /** True for the first claimant of this key in any process, and for the same claimant again. False for all others. */
      claim: (key: string, claimant: string): Promise<boolean> =>
        take(rows, idempotencyKey(key), claimant, sql<boolean>`claim.holder = ${claimant}`),
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
          if (await relaxed((db) => take(db, lock, holder, isFree))) break
          // A time in the future is from before the clock was set back. It counts from now, since its holder may still write.
          await relaxed((db) =>
            db
              .updateTable('claim')
              .set({ claimed_at: time() })
              .where((claim) => claim.and({ ...lock }))
              .where('claimed_at', '>', time())
              .execute(),
          )
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
  }
}

/** Digests have a fixed length, and keep the content of requests out of the database. */
const hashKey = (key: string): string => createHash('sha256').update(key).digest('base64url')
