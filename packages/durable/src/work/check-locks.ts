import { setTimeout as wait } from 'node:timers/promises'
import { newId } from '@signalman/runtime'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'

// Whoever reads an object of another system and then writes to it holds its lock meanwhile, so that no two writers overlap, in any
// process and any workspace. No transaction is open during the requests: a lock is a row that lapses by itself.

export type CheckLocks = ReturnType<typeof createCheckLocks>

const RETRY_MS = 100

/** Somebody else holds the lock, or took it over. */
export class Locked extends Error {
  override readonly name = 'Locked'
}

interface HoldOptions {
  /** How long nothing that a holder has sent can still be running. A lock that wasn't renewed for so long is free. */
  readonly settleMs: number
  readonly waitMs: number
  /** Whether something may still be running after this error, so that the lock has to lapse. */
  readonly mayStillRun: (error: unknown) => boolean
}

export function createCheckLocks({ relaxed }: Pick<Database, 'relaxed'>, time: DatabaseTime) {
  const take = async (key: string, mark: string, settleMs: number): Promise<boolean> => {
    const taken = { mark, holder: mark, renewed_at: time() }
    const row = await relaxed((rows) =>
      rows
        .insertInto('hold')
        .values({ key, ...taken })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet(taken).where('hold.renewed_at', '<', time(-settleMs)),
        )
        .returning('key')
        .executeTakeFirst(),
    )
    return row !== undefined
  }
  const renew = async (key: string, mark: string): Promise<void> => {
    const row = await relaxed((rows) =>
      rows
        .updateTable('hold')
        .set({ renewed_at: time() })
        .where('key', '=', key)
        .where('mark', '=', mark)
        .returning('key')
        .executeTakeFirst(),
    )
    if (!row) throw new Locked('Another process took over this lock.')
  }
  const release = (key: string, mark: string) =>
    relaxed((rows) => rows.deleteFrom('hold').where('key', '=', key).where('mark', '=', mark).execute())

  return {
    /** Runs `work` while nobody else does for this key. `work` renews the lock before each request. Throws Locked. */
    async hold<T>(
      key: string,
      { settleMs, waitMs, mayStillRun }: HoldOptions,
      work: (renewLock: () => Promise<void>) => Promise<T>,
    ): Promise<T> {
      const mark = newId()
      const deadline = performance.now() + waitMs
      while (!(await take(key, mark, settleMs))) {
        if (performance.now() > deadline) throw new Locked('Somebody else holds this lock.')
        await wait(RETRY_MS)
      }
      try {
        const result = await work(() => renew(key, mark))
        await release(key, mark)
        return result
      } catch (error) {
        if (!mayStillRun(error)) await release(key, mark)
        throw error
      }
    },
  }
}
