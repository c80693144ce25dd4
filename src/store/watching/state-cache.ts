import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { SubjectKey, SubjectState } from '../../domain/watching/observe.ts'
import type { Schema } from '../database/schema.ts'
import type { ScopeOf } from './channel-view.ts'
import { statesOf } from './subject-rows.ts'

type States = ReadonlyMap<SubjectKey, SubjectState>

/** States of all scopes together that a process keeps; some 300 bytes each. */
const MOST_STATES = 100_000

/**
 * The states of scopes as they were read last. In most polls nothing has changed, in whatever process: that the mark of the
 * poll's row is the same says so.
 */
export function createStateCache() {
  const kept = new LRUCache<string, { mark: string | null; states: States }>({
    maxSize: MOST_STATES,
    sizeCalculation: ({ states }) => states.size + 1,
  })
  return {
    /** `mark` must have been read before: states that are newer than it are read again, and older ones never kept. */
    async read(rows: Kysely<Schema>, scope: ScopeOf, mark: string | null): Promise<States> {
      const key = `${scope.workspaceId} ${scope.environment}`
      const known = kept.get(key)
      if (known?.mark === mark) return known.states
      const states = await statesOf(rows, scope)
      kept.set(key, { mark, states })
      return states
    },
  }
}

export type StateCache = ReturnType<typeof createStateCache>
