import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { WorkEnd, WorkStore } from '../store/store.ts'
import { fullJitterMs } from './backoff.ts'
import type { HeldWork, Holdings } from './held-work.ts'

/**
 * Releases work, and keeps trying while the database is away; it stays this process's own until then, so that nobody else
 * begins it again meanwhile. Never rejects.
 */
export type LetGo = (held: HeldWork, how: WorkEnd) => Promise<void>

export function createLetGo(parts: {
  store: Pick<WorkStore, 'release' | 'discard'>
  owner: string
  holdings: Pick<Holdings, 'drop' | 'find'>
  log: Log
  isStopping: () => boolean
}): { letGo: LetGo; discard(id: string): Promise<void> } {
  const { store, owner, holdings, log, isStopping } = parts

  async function insist(line: object, work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (attempt === 1)
          log.error({ ...line, err: error }, 'Work could not be let go of; it is tried until it can.')
      }
      if (isStopping()) return
      await pause(fullJitterMs(attempt, { baseMs: 100, mostMs: 1000 }), undefined, { ref: false })
    }
  }

  return {
    async letGo(held, how) {
      await insist({ kind: held.work.kind }, () => store.release(held.work.id, owner, how))
      holdings.drop(held)
    },
    async discard(id) {
      const held = holdings.find(id)
      await insist({ id }, () => store.discard(id, owner))
      if (held) holdings.drop(held)
    },
  }
}
