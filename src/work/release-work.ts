import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { WorkEnd, WorkStore } from '../store/store.ts'
import { fullJitterMs } from './full-jitter.ts'
import type { HeldWork, Holdings } from './held-work.ts'

/**
 * Releases work, and keeps trying while the database is away; it stays this process's own until then, so that nobody else
 * begins it again meanwhile. Never rejects. `afterOutage` is how, where the database had to be waited for.
 */
export type Release = (held: HeldWork, how: WorkEnd, afterOutage?: WorkEnd) => Promise<void>

export function createRelease(parts: {
  store: Pick<WorkStore, 'release' | 'discard'>
  owner: string
  holdings: Pick<Holdings, 'drop' | 'find'>
  log: Log
  isStopping: () => boolean
}): { release: Release; discard(id: string): Promise<void> } {
  const { store, owner, holdings, log, isStopping } = parts

  async function insist(line: object, work: (isLate: boolean) => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work(attempt > 1)
      } catch (error) {
        if (attempt === 1)
          log.error({ ...line, err: error }, 'Work could not be let go of; it is tried until it can.')
      }
      if (isStopping()) return
      await pause(fullJitterMs(attempt, { baseMs: 100, mostMs: 1000 }), undefined, { ref: false })
    }
  }

  return {
    async release(held, how, afterOutage = how) {
      await insist({ kind: held.work.kind }, async (isLate) => {
        // It was lost, and this process has taken it again meanwhile: whoever does it now will release it.
        if (holdings.find(held.work.id) !== held) return
        await store.release(held.work.id, owner, isLate ? afterOutage : how)
      })
      holdings.drop(held)
    },
    async discard(id) {
      const held = holdings.find(id)
      await insist({ id }, () => store.discard(id, owner))
      if (held) holdings.drop(held)
    },
  }
}
